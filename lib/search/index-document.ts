/**
 * What the index is told of an object: plain data that crosses threads.
 */

import type { Acl, Metadata } from '../doip/object.js';
import type { JsonObject } from '../doip/json.js';
import type { IndexForm } from '../objects/index-form.js';
import type { StoredObject } from '../objects/stored-object.js';

export interface IndexDocument {
    readonly id: string;
    readonly type: string;
    readonly content: JsonObject;
    /** What queries on ACL fields see. */
    readonly acl: Acl | null;
    /** What it depends on who finds the object. */
    readonly rights: Acl | null;
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
    /** Replaces parts of the object. */
    readonly form?: IndexForm | undefined;
    readonly keywords?: Readonly<Record<string, readonly string[]>>;
    /** Texts of elements, by name. */
    readonly texts?: ReadonlyMap<string, string>;
}

/** The document of a stored object. */
export function toIndexDocument(object: StoredObject, facts: DocumentFacts): IndexDocument {

    const { id, type, metadata } = object;
    const { content, userMetadata, acl } = facts.form ?? object;
    return {
        id, type, content, acl, userMetadata, metadata,
        rights: object.acl,
        elements: object.elements.map(({ name, filename, mediaType, size }) => {

            return { name, filename, mediaType, size, text: facts.texts?.get(name) ?? null };
        }),
        keywords: facts.keywords ?? {},
        indexedOn: facts.indexedOn
    };
}
