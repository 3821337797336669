/**
 * Storing what a method made of its object: what a script edited, compared with what it was given.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../doip/json.js';
import { badRequest } from '../doip/error.js';
import type { FieldLimits } from './field-rules.js';
import { fromHookObject, type Proposal } from './hook-object.js';
import type { StoredObject } from './stored-object.js';

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The object as a method left it; null when it is the same as before.
 *
 * @throws DoipError 400 for another id, and for anything that a client could not have sent either
 */
export function editOf(edited: JsonValue | undefined, object: StoredObject, limits: FieldLimits): Proposal | null {

    if (edited === undefined) {
        return null;
    }

    const { id, type, content, acl, userMetadata, elements } = object;
    const before: Proposal = { id, type, content, acl, userMetadata, elements };
    const after = fromHookObject(edited, before, { limits, uploaded: NO_NAMES });
    if (after.id !== id) {
        throw badRequest(`a method must not change the id of object ${id}`);
    }

    const isSame = isDeepStrictEqual({ ...after, elements: after.elements.length }, { ...before, elements: elements.length });
    return isSame ? null : after;
}
