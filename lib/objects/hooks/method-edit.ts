/**
 * Storing what a method made of its object: what a script edited, compared with what it was given.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../util/json-types.js';
import { badRequest } from '../../errors/errors.js';
import type { FieldLimits } from '../input/field-validation.js';
import { fromHookObject, type Proposal } from './hook-object.js';
import type { StoredObject } from '../../model/stored-object.js';

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
