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

/**
 * The parts of an object that may be indexed otherwise than they are stored; all of them are given, also those that are the
 * same. Id, type, metadata and payloads are indexed as they are. `acl` is what queries on ACL fields see: who finds the object
 * depends on its own ACL all the same.
 */
export interface IndexedForm {
    readonly content: JsonObject;
    readonly userMetadata: JsonObject | null;
    readonly acl: Acl | null;
}
