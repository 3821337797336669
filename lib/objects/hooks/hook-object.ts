/**
 * Conversion of objects into the form for scripts and back. Objects returned by scripts are validated like input of clients.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { HookObject, HookPayload } from './lifecycle.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';
import { restoreNumberTexts } from '../../json/exact-numbers.js';
import {
    checkAcl, checkContent, checkElementName, checkFilename, checkMediaType, checkTypeName, checkUserMetadata, type FieldLimits
} from '../input/field-validation.js';
import { isDeepStrictEqual } from 'node:util';

/** The prospective state of an object. */
export interface Proposal extends Omit<StoredObject, 'id' | 'metadata'> {
    /** Undefined for a new object without id. */
    readonly id: string | undefined;
}

/** Returns an object in the form for scripts. */
export function toHookObject(object: Proposal, metadata?: Metadata): HookObject {

    const { id, type, content, acl, userMetadata, elements } = object;
    return {
        ...id === undefined ? {} : { id },
        type, content,
        ...acl ? { acl } : {},
        ...userMetadata ? { userMetadata } : {},
        ...metadata ? { metadata } : {},
        ...elements.length > 0 ? { payloads: elements.map(toHookPayload) } : {}
    };
}

/** Returns an element in the form for scripts. */
export function toHookPayload({ name, filename, mediaType, size }: StoredElement): HookPayload {

    return { name, ...filename === null ? {} : { filename }, ...mediaType === null ? {} : { mediaType }, size };
}

/** Parameters of {@link fromHookObject}. */
export interface ReturnRules {
    readonly limits: FieldLimits;
    /** Names of the elements whose bytes came with the request; scripts may change their file name and media type. */
    readonly uploaded: ReadonlySet<string>;
}

/**
 * Returns a proposal as changed by a script. Missing members stay unchanged; `null` removes ACL or user metadata. Payloads are
 * compared by name: missing ones are deleted.
 *
 * @throws DoipError 400 for anything that would be invalid as input of a client too
 */
export function fromHookObject(returned: JsonValue, proposal: Proposal, { limits, uploaded }: ReturnRules): Proposal {

    if (!isJsonObject(returned)) {
        throw badRequest('a hook must return an object with type and content');
    }

    const { id, type, content, acl, userMetadata, payloads } = returned;
    return {
        id: readId(id, proposal.id),
        type: type === undefined ? proposal.type : checkTypeName(type, limits),
        content: restoreNumberTexts(proposal.content, checkContent(content)),
        acl: acl === undefined ? proposal.acl : acl === null ? null : checkAcl(acl, limits),
        userMetadata: userMetadata === undefined ? proposal.userMetadata : readUserMetadata(userMetadata, proposal),
        elements: payloads === undefined ? proposal.elements : readPayloads(payloads ?? [], proposal.elements, { limits, uploaded })
    };
}

/** Reads user metadata. Scripts get numbers as doubles; numbers they did not change keep their text. */
function readUserMetadata(userMetadata: JsonValue, before: Proposal): JsonObject | null {

    return userMetadata === null ? null : restoreNumberTexts(before.userMetadata, checkUserMetadata(userMetadata));
}

function readId(id: JsonValue | undefined, before: string | undefined): string | undefined {

    if (id === undefined || id === null || id === '') {
        return before;
    }

    if (typeof id !== 'string') {
        throw badRequest('id must be a string');
    }

    return id;
}

function readPayloads(payloads: JsonValue, elements: readonly StoredElement[], { limits, uploaded }: ReturnRules): StoredElement[] {

    if (!Array.isArray(payloads)) {
        throw badRequest('payloads must be an array');
    }

    const byId = new Map<string, JsonObject>();
    for (const payload of payloads) {
        const name = checkElementName(isJsonObject(payload) ? payload.name : undefined, limits);
        if (byId.has(name)) {
            throw badRequest(`Duplicate payload ${name}`);
        }

        if (!elements.some((element) => element.name === name)) {
            throw badRequest(`No such payload ${name}: a hook cannot add payloads`);
        }

        byId.set(name, payload as JsonObject);
    }

    return elements.flatMap((element) => {

        const payload = byId.get(element.name);
        return payload ? [uploaded.has(element.name) ? described(element, payload, limits) : element] : [];
    });
}

function described(element: StoredElement, { filename, mediaType }: JsonObject, limits: FieldLimits): StoredElement {

    return { ...element, filename: checkFilename(filename, limits), mediaType: checkMediaType(mediaType, limits) };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Returns the object as changed by a method; null if it is unchanged.
 *
 * @throws DoipError 400 for another id, and for anything that would be invalid as input of a client too
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
