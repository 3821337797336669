/**
 * Presents objects as results of operations.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { StoredObject } from '../../model/stored-object.js';
import { toDigitalObject } from '../../model/stored-object.js';

/** The caller, and the policy that determines what the caller may see. */
export interface PresentationRequest {
    readonly caller: Caller;
    readonly services: { readonly policy: Policy };
}

/**
 * Returns the digital object as the caller may see it, and its attributes for carriers.
 *
 * @param form the object in the form given by type code, if that differs from the stored object, which determines the
 *   permissions
 */
export function objectAnswer(request: PresentationRequest, object: StoredObject, form = object): [JsonValue, JsonObject] {

    const visible = request.services.policy.visibleTo(request.caller, form, object);
    return [toDigitalObject(visible) as unknown as JsonObject, objectAttributes(request, object)];
}

/** Like {@link objectAnswer} for an object that was created. The result of a dry run has no transaction number. */
export function createdAnswer(request: PresentationRequest, object: StoredObject, dryRun: boolean): [JsonValue, JsonObject] {

    const [value, responseAttributes] = objectAnswer(request, object);
    if (dryRun) {
        const { attributes } = value as { attributes: JsonObject };
        const { txnId, ...metadata } = attributes['metadata'] as JsonObject;
        attributes['metadata'] = metadata;
    }

    return [value, responseAttributes];
}

/** Returns the attributes of a response about an object: its type, and the permission of the caller. */
export function objectAttributes({ caller, services: { policy } }: PresentationRequest, object: StoredObject): JsonObject {

    return { type: object.type, permission: policy.permissionOf(caller, object) };
}
