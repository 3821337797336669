/**
 * What the index is told of an object: plain data that crosses threads.
 */

import type { Acl, Metadata } from '../../doip/digital-object.js';
import type { JsonObject } from '../../util/json-types.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';

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
    /** Values of special fields that do not follow from the object alone: `username`, `users`, `schemaName`, `internal.pointsAt` … */
    readonly keywords: Readonly<Record<string, readonly string[]>>;
    /** Values of the content that are indexed under another name as well. */
    readonly copies: readonly FieldCopy[];
    /** Epoch ms. */
    readonly indexedOn: number;
}

/** A value under another name. */
export interface FieldCopy {
    readonly field: string;
    readonly value: string | number | boolean | null;
}

/** An element, and the text that was found in its bytes; null when there is none, or none yet. */
export interface IndexElement {
    readonly name: string;
    readonly filename: string | null;
    readonly mediaType: string | null;
    /** Bytes. */
    readonly size: number;
    readonly text: string | null;
    /** Under which name the text is indexed as well; null for no other. */
    readonly altField: string | null;
}

/** What is known of an object besides itself. */
export interface DocumentFacts {
    readonly indexedOn: number;
    /** Replaces parts of the object. */
    readonly form?: IndexedForm | undefined;
    readonly keywords?: Readonly<Record<string, readonly string[]>>;
    readonly copies?: readonly FieldCopy[];
    /** Texts of elements, by name. */
    readonly texts?: ReadonlyMap<string, string>;
    /** Other names for texts of elements, by name. */
    readonly altFields?: ReadonlyMap<string, string>;
}

/** The document of a stored object. */
export function toIndexDocument(object: StoredObject, facts: DocumentFacts): IndexDocument {

    const { id, type, metadata } = object;
    const { content, userMetadata, acl } = facts.form ?? object;
    return {
        id, type, content, acl, userMetadata, metadata,
        rights: object.acl,
        elements: object.elements.map(({ name, filename, mediaType, size }) => {

            return {
                name, filename, mediaType, size,
                text: facts.texts?.get(name) ?? null,
                altField: facts.altFields?.get(name) ?? null
            };
        }),
        keywords: facts.keywords ?? {},
        copies: facts.copies ?? [],
        indexedOn: facts.indexedOn
    };
}
