/**
 * An object in the full form of the interface specification ("Digital object, REST full form"), in which scripts see objects
 * and over which the hash of a whole object is computed.
 */

import type { JsonObject } from '../util/json-types.js';
import type { StoredElement, StoredObject } from './stored-object.js';

/** What the full form is made of. */
export type FullFormSource = Pick<StoredObject, 'id' | 'type' | 'content' | 'acl' | 'userMetadata' | 'elements'>;

/** The full form. Members that have nothing to say are absent. */
export function toFullForm(object: FullFormSource, metadata: JsonObject): JsonObject {

    const { id, type, content, acl, userMetadata, elements } = object;
    return {
        id,
        type,
        content,
        ...(acl ? { acl: acl as JsonObject } : {}),
        ...(userMetadata ? { userMetadata } : {}),
        metadata,
        ...(elements.length > 0 ? { payloads: elements.map(toPayload) } : {})
    };
}

function toPayload({ name, filename, mediaType, size }: StoredElement): JsonObject {

    return {
        name,
        ...(filename === null ? {} : { filename }),
        ...(mediaType === null ? {} : { mediaType }),
        size
    };
}
