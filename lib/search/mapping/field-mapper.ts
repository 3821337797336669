/**
 * Maps a document to the fields of the index; no other module knows which part of an object yields which field.
 */

import { isJsonObject } from '../../util/json-types.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { TextLanguage } from '../../model/text-language.js';
import { searchableTexts } from '../../json/exact-numbers.js';
import { escapeSegment } from '../../json/pointer.js';
import { analyse } from '../analysis/analyzer.js';
import { isColumnAlias, nullField, numberField, payloadField, payloadNameField, payloadPropertyFields, REST_FIELD } from '../analysis/field-names.js';
import type { FieldCopy, IndexDocument, IndexElement } from './index-document.js';
import { NumberTextReader } from './number-texts.js';
import { LanguageMap } from './language-map.js';

/** Receives the fields of one object. */
export interface FieldConsumer {
    /**
     * A text whose words are found in the field and in the default field, by their stems as well if it has a language. No phrase
     * spans two texts of a field.
     */
    text(field: string, text: string, language: TextLanguage | null): void;
    /** A whole value, found regardless of case. */
    keyword(field: string, value: string): void;
    /** An entry of an access control list, compared byte for byte. */
    principal(list: PrincipalList, entry: string): void;
    /** A doc value, for sorting, facets and ranges; objects are sorted by their first value in a column. */
    value(column: string, value: string | number): void;
}

/** Lists of principals; `no…` has the entry {@link ABSENT} when the object has no such list of its own. */
export type PrincipalList = 'readers' | 'writers' | 'payloadReaders' | 'noReaders' | 'noWriters' | 'noPayloadReaders' | 'versions';

/** The entry of lists that are flags. */
export const ABSENT = '';

/** Maximum number of fields of properties; the texts of further properties are found in the default field only. */
export const MAX_FIELDS = 2000;

/** Passes all fields of an object to the consumer. */
export function describeFields(document: IndexDocument, sink: FieldConsumer): void {

    const walker = new Walker(sink);
    const languages = LanguageMap.of(document.languages);
    // Metadata first, so that it never exceeds the limit of fields: access depends on the creator of an object.
    walker.walk(document.metadata as unknown as JsonObject, 'metadata');
    walker.numberTexts = document.numberTexts ? new NumberTextReader(document.numberTexts) : null;
    walker.walk(document.content, '', languages);
    if (document.userMetadata) {
        walker.walk(document.userMetadata, 'userMetadata');
    }

    document.copies.forEach((copy) => walker.add(copy));
    describeKeywords(document, sink);
    describeRights(document, sink);
    document.elements.forEach((element) => describeElement(element, sink));
    // Texts of payloads last, because words are limited: nothing else of an object may depend on the length of its payloads.
    document.elements.forEach((element) => describeText(element, languages.language, sink));
}

interface Scalar extends Omit<FieldCopy, 'numberText'> {
    readonly numberText?: string | undefined;
}

/** Walks JSON; array indices become `_`. */
class Walker {

    /** Of the numbers of what is walked. */
    numberTexts: NumberTextReader | null = null;
    readonly #sink: FieldConsumer;
    readonly #fields = new Set<string>();

    constructor(sink: FieldConsumer) {

        this.#sink = sink;
    }

    walk(value: JsonValue | undefined, field: string, languages = LanguageMap.NONE): void {

        if (Array.isArray(value)) {
            value.forEach((element, index) => this.walk(element, `${field}/_`, languages.child(index)));
        }
        else if (isJsonObject(value)) {
            for (const [name, member] of Object.entries(value)) {
                this.walk(member, `${field}/${escapeSegment(name)}`, languages.child(name));
            }
        }
        else if (value !== undefined) {
            this.add({ field, value, language: languages.language, numberText: typeof value === 'number' ? this.numberTexts?.next(value) : undefined });
        }
    }

    add({ field: name, value, language = null, numberText }: Scalar): void {

        this.#fields.add(name);
        const isRest = this.#fields.size > MAX_FIELDS;
        if (isRest) {
            this.#fields.delete(name);
        }

        if (typeof value === 'number') {
            const field = isRest ? REST_FIELD : numberField(name);
            searchableTexts(value, numberText).forEach((text) => this.#sink.text(field, text, null));
        }
        else {
            const field = isRest ? REST_FIELD : value === null ? nullField(name) : name;
            this.#sink.text(field, String(value), typeof value === 'string' ? language : null);
        }

        if (!isRest && value !== null) {
            this.#sink.value(name, typeof value === 'number' ? value : String(value));
        }
    }
}

function describeKeywords({ id, type, metadata, keywords, indexedOn }: IndexDocument, sink: FieldConsumer): void {

    const keyword = (field: string, value: string): void => {

        sink.keyword(field, value);
        if (!isColumnAlias(field)) {
            sink.value(field, value);
        }
    };

    keyword('id', id);
    keyword('type', type);
    keyword('createdBy', metadata.createdBy);
    keyword('modifiedBy', metadata.modifiedBy);
    if (metadata.versionOf !== undefined) {
        keyword('versionOf', metadata.versionOf);
    }

    keyword('isVersion', String(metadata.isVersion ?? false));
    for (const [field, values] of Object.entries(keywords)) {
        values.forEach((value) => keyword(field, value));
    }

    sink.value('dtindexed', indexedOn);
}

function describeRights({ acl, rights, metadata }: IndexDocument, sink: FieldConsumer): void {

    const list = (name: 'readers' | 'writers' | 'payloadReaders', absent: PrincipalList, shortName?: string): void => {

        const granted = rights?.[name];
        granted?.forEach((entry) => sink.principal(name, entry));
        if (!granted) {
            sink.principal(absent, ABSENT);
        }

        for (const entry of acl?.[name] ?? []) {
            sink.keyword(`acl/${name}/_`, entry);
            sink.value(`acl/${name}/_`, entry);
        }

        if (shortName !== undefined) {
            for (const entry of acl?.[name] ?? ['missing']) {
                sink.keyword(shortName, entry);
                sink.value(shortName, entry);
            }
        }
    };

    list('readers', 'noReaders', 'aclRead');
    list('writers', 'noWriters', 'aclWrite');
    list('payloadReaders', 'noPayloadReaders');
    for (const [method, entries] of Object.entries(acl?.methods ?? {})) {
        const field = `acl/methods/${escapeSegment(method)}/_`;
        for (const entry of entries) {
            sink.keyword(field, entry);
            sink.value(field, entry);
        }
    }

    if (metadata.isVersion) {
        sink.principal('versions', ABSENT);
    }
}

function describeElement({ name, filename, mediaType, size }: IndexElement, sink: FieldConsumer): void {

    const addProperty = (field: string, value: string | number): void => {

        sink.keyword(field, String(value));
        sink.value(field, value);
    };

    addProperty(payloadNameField(name), 'true');
    payloadPropertyFields(name, 'internal.size').forEach((field) => addProperty(field, size));
    if (mediaType !== null) {
        // Also found by each of its parts.
        const parts = new Set(analyse(mediaType).map(({ term }) => term));
        for (const field of payloadPropertyFields(name, 'mimetype')) {
            addProperty(field, mediaType);
            parts.forEach((part) => sink.keyword(field, part));
        }
    }

    if (filename !== null) {
        for (const field of payloadPropertyFields(name, 'filename')) {
            sink.text(field, filename, null);
            sink.value(field, filename);
        }
    }
}

function describeText({ name, text, altField }: IndexElement, language: TextLanguage | null, sink: FieldConsumer): void {

    if (text !== null) {
        sink.text(payloadField(name), text, language);
        if (altField !== null) {
            sink.text(payloadField(altField), text, language);
        }
    }
}
