/**
 * Internal form of an object. `toDigitalObject` makes the form for clients.
 */

import type { Acl, DigitalObject, Element, Metadata } from '../doip/digital-object.js';
import type { JsonObject } from '../util/json-types.js';

/** An element with its storage location. */
export interface StoredElement {
    readonly name: string;
    readonly filename: string | null;
    readonly mediaType: string | null;
    /** Size in bytes. */
    readonly size: number;
    /** Id of the blob in its element store. */
    readonly blobId: number;
    /** Name of the element store that holds the bytes. */
    readonly store: string;
    /** Lower-case hex SHA-256 of the bytes; null if not computed. */
    readonly hash: string | null;
}

/** An object as read from the store. Shared between readers: must not be modified. */
export interface StoredObject {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl: Acl | null;
    readonly userMetadata: JsonObject | null;
    readonly metadata: Metadata & { readonly txnId: number };
    /** In the order of addition. */
    readonly elements: readonly StoredElement[];
}

/** Approximate length of an element as JSON text, besides its names, in UTF-16 code units. */
const ELEMENT_LENGTH = 64;

/** Returns the approximate length of elements as JSON text, in UTF-16 code units. */
export function elementsLength(elements: readonly StoredElement[]): number {

    return elements.reduce((sum, { name, filename, mediaType }) => (
        sum + ELEMENT_LENGTH + name.length + (filename?.length ?? 0) + (mediaType?.length ?? 0)
    ), 0);
}

/** Returns the digital object form: the result of operations, and the input of projections for hooks. */
export function toDigitalObject(object: StoredObject): DigitalObject {

    const { content, acl, metadata, userMetadata } = object;
    const attributes: DigitalObject['attributes'] = { content };
    if (acl) {
        attributes.acl = acl;
    }

    if (userMetadata) {
        attributes.userMetadata = userMetadata;
    }

    attributes.metadata = metadata;
    return { id: object.id, type: object.type, attributes, elements: object.elements.map(toElement) };
}

/** Returns an element in the form for clients. */
export function toElement(element: StoredElement): Element {

    return {
        id: element.name,
        length: element.size,
        ...(element.mediaType === null ? {} : { type: element.mediaType }),
        attributes: element.filename === null ? {} : { filename: element.filename }
    };
}

/** Parts of an object that the full form contains. */
export type FullFormSource = Pick<StoredObject, 'id' | 'type' | 'content' | 'acl' | 'userMetadata' | 'elements'>;

/** Returns the full form of an object, with `payloads` instead of elements. Empty members are absent. */
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
 * The parts of an object that may be indexed in another form than stored; all are given, changed or not. Id, type, metadata and
 * payloads are indexed as stored. `acl` affects queries on ACL fields only: who finds the object depends on its stored ACL.
 */
export type IndexedForm = Pick<StoredObject, 'content' | 'userMetadata' | 'acl'>;
