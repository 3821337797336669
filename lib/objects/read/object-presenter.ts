/**
 * What operations answer when their answer is an object.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { Caller } from '../../model/caller.js';
import type { Policy } from '../../identity/access/access-policy.js';
import type { StoredObject } from '../../model/stored-object.js';
import { toDigitalObject } from '../../model/stored-object.js';

/** Who asks, and who knows what they may see. */
export interface PresentationRequest {
    readonly caller: Caller;
    readonly services: { readonly policy: Policy };
}

/**
 * The digital object as the caller may see it, and the facts that carriers show beside it.
 *
 * @param shown the object as the code of its type shows it, where that differs from the object that rights depend on
 */
export function objectAnswer(asking: PresentationRequest, object: StoredObject, shown = object): [JsonValue, JsonObject] {

    const visible = asking.services.policy.visibleTo(asking.caller, shown, object);
    return [toDigitalObject(visible) as unknown as JsonObject, objectFacts(asking, object)];
}

/** Like {@link objectAnswer} for what was written, or for what a dry run would have written: that has no transaction number. */
export function writtenAnswer(asking: PresentationRequest, object: StoredObject, dryRun: boolean): [JsonValue, JsonObject] {

    const [value, facts] = objectAnswer(asking, object);
    if (dryRun) {
        const { attributes } = value as { attributes: JsonObject };
        const { txnId, ...metadata } = attributes['metadata'] as JsonObject;
        attributes['metadata'] = metadata;
    }

    return [value, facts];
}

/** Attributes of an answer about an object: its type, and what the caller may do with it. */
export function objectFacts({ caller, services: { policy } }: PresentationRequest, object: StoredObject): JsonObject {

    return { type: object.type, permission: policy.permissionOf(caller, object) };
}
