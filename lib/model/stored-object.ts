/**
 * An object as the service keeps it. The digital object form for clients is made from it by `toDigitalObject`.
 */

import type { Acl, DigitalObject, Element, Metadata } from '../doip/digital-object.js';
import type { JsonObject } from '../util/json-types.js';

/** An element with what is known of its bytes. */
export interface StoredElement {
    readonly name: string;
    readonly filename: string | null;
    readonly mediaType: string | null;
    /** Bytes. */
    readonly size: number;
    /** Number of the blob in its element store. */
    readonly blobId: number;
    /** Name of the element store that holds the bytes. */
    readonly store: string;
    /** Lower-case hex SHA-256 of the bytes, when the type asks for hashes. */
    readonly hash: string | null;
}

/** An object as read from the store. Shared by readers: never changed in place. */
export interface StoredObject {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl: Acl | null;
    readonly userMetadata: JsonObject | null;
    readonly metadata: Metadata & { readonly txnId: number };
    /** In the order in which they were added. */
    readonly elements: readonly StoredElement[];
}

/** The digital object form: what operations return and hooks project from. */
export function toDigitalObject(object: StoredObject): DigitalObject {

    const { content, acl, metadata, userMetadata } = object;
    return {
        id: object.id,
        type: object.type,
        attributes: {
            content,
            ...(acl ? { acl } : {}),
            ...(userMetadata ? { userMetadata } : {}),
            metadata
        },
        elements: object.elements.map(toElement)
    };
}

/** An element as clients see it. */
export function toElement(element: StoredElement): Element {

    return {
        id: element.name,
        length: element.size,
        ...(element.mediaType === null ? {} : { type: element.mediaType }),
        attributes: element.filename === null ? {} : { filename: element.filename }
    };
}
