/**
 * A document: what is indexed of an object. Plain data, passed between threads.
 */

import type { Acl } from '../../doip/digital-object.js';
import type { StoredObject, IndexedForm, StoredElement } from '../../model/stored-object.js';
import type { TextLanguage } from '../../model/text-language.js';
import { numberTextsIn, type NumberText } from './number-texts.js';

/** What is indexed of one object. */
export interface IndexDocument extends Omit<StoredObject, 'elements'> {
    /** Decides who finds the object; `acl` has the values for queries on ACL fields. */
    readonly rights: Acl | null;
    readonly elements: readonly IndexElement[];
    /** Values of special fields that do not follow from the object alone: `username`, `users`, `schemaName`, `internal.pointsAt` … */
    readonly keywords: Readonly<Record<string, readonly string[]>>;
    /** Values of the content that are also indexed under another name. */
    readonly copies: readonly FieldCopy[];
    readonly languages?: readonly LanguageMark[];
    /** Of the numbers in `content` and `userMetadata`. */
    readonly numberTexts?: readonly NumberText[];
    /** Epoch ms. */
    readonly indexedOn: number;
}

/** Language of the texts in a value of the content. */
export interface LanguageMark {
    /** JSON pointer of the value; empty for the whole content and the text of elements. The longest one counts. */
    readonly pointer: string;
    /** Null for none. */
    readonly language: TextLanguage | null;
}

/** A value under another name. */
export interface FieldCopy {
    readonly field: string;
    readonly value: string | number | boolean | null;
    readonly language?: TextLanguage | null;
    /** Of a number that JavaScript writes in another way than it was sent. */
    readonly numberText?: string;
}

/** An element with the text extracted from it; null when there is none, or not yet. */
export interface IndexElement extends Pick<StoredElement, 'name' | 'filename' | 'mediaType' | 'size'> {
    readonly text: string | null;
    /** Another name for the field of the text; null for none. */
    readonly altField: string | null;
}

/** Inputs of a document besides the object. */
export interface MappedParts {
    readonly indexedOn: number;
    /** Replaces parts of the object. */
    readonly form?: IndexedForm | undefined;
    readonly keywords?: Readonly<Record<string, readonly string[]>>;
    readonly copies?: readonly FieldCopy[];
    readonly languages?: readonly LanguageMark[];
    /** Texts of elements, by name. */
    readonly texts?: ReadonlyMap<string, string>;
    /** Other names for the fields of these texts, by name of the element. */
    readonly altFields?: ReadonlyMap<string, string>;
}

/** Returns the document of a stored object. */
export function toIndexDocument(object: StoredObject, parts: MappedParts): IndexDocument {

    const { id, type, metadata } = object;
    const { content, userMetadata, acl } = parts.form ?? object;
    const numberTexts = numberTextsIn(content, userMetadata);
    return {
        id, type, content, acl, userMetadata, metadata,
        rights: object.acl,
        elements: object.elements.map(({ name, filename, mediaType, size }) => {

            return {
                name, filename, mediaType, size,
                text: parts.texts?.get(name) ?? null,
                altField: parts.altFields?.get(name) ?? null
            };
        }),
        keywords: parts.keywords ?? {},
        copies: parts.copies ?? [],
        languages: parts.languages ?? [],
        ...numberTexts ? { numberTexts } : {},
        indexedOn: parts.indexedOn
    };
}
