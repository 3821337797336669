/**
 * What the index is told of an object: plain data that crosses threads.
 */

import type { Acl, Metadata } from '../doip/object.js';
import type { JsonObject } from '../doip/json.js';
import type { StoredObject } from '../objects/stored-object.js';

export interface IndexDocument {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    readonly acl: Acl | null;
    readonly userMetadata: JsonObject | null;
    readonly metadata: Metadata & { readonly txnId: number };
    readonly elements: readonly IndexElement[];
    /** Values of special fields that only the type knows: `username`, `users`, `schemaName`, `internal.pointsAt` … */
    readonly keywords: Readonly<Record<string, readonly string[]>>;
    /** Epoch ms. */
    readonly indexedOn: number;
}

/** An element, and the text that was found in its bytes; null when there is none, or none yet. */
export interface IndexElement {
    readonly name: string;
    readonly filename: string | null;
    readonly mediaType: string | null;
    /** Bytes. */
    readonly size: number;
    readonly text: string | null;
}

/** What is known of an object besides itself. */
export interface DocumentFacts {
    readonly indexedOn: number;
    /** Replaces the content, as the type's hook for indexing wants it. */
    readonly content?: JsonObject;
    readonly keywords?: Readonly<Record<string, readonly string[]>>;
    /** Texts of elements, by name. */
    readonly texts?: ReadonlyMap<string, string>;
}

/** The document of a stored object. */
export function toIndexDocument(object: StoredObject, facts: DocumentFacts): IndexDocument {

    const { id, type, acl, userMetadata, metadata } = object;
    return {
        id, type, acl, userMetadata, metadata,
        content: facts.content ?? object.content,
        elements: object.elements.map(({ name, filename, mediaType, size }) => {

            return { name, filename, mediaType, size, text: facts.texts?.get(name) ?? null };
        }),
        keywords: facts.keywords ?? {},
        indexedOn: facts.indexedOn
    };
}
