/** Maps a document to what OpenSearch indexes: a few fields with all terms and values of an object. Queries are made by query-translator.ts. */

import { analyse, cutAt, keywordOf, MAX_VALUE_LENGTH } from '../analysis/analyzer.js';
import type { AnalysedWord } from '../analysis/analyzer.js';
import { isNullField, isNumberField, isPayloadField, REST_FIELD } from '../analysis/field-names.js';
import { stemOf, stemTerm } from '../analysis/stemmer.js';
import { formatTimestamp, parseTime } from '../analysis/timestamps.js';
import type { TextLanguage } from '../../model/text-language.js';
import { ABSENT, describeFields } from '../mapping/field-mapper.js';
import type { FieldConsumer, PrincipalList } from '../mapping/field-mapper.js';
import type { IndexDocument } from '../mapping/index-document.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';
import { ANY_CODE, codeOf, exactKey, facetField, isLong, numberKey, sortKey, textKey, tokenOf } from './encoding.js';

/** Changes whenever other terms are made of the same objects, queries expect others, or versions mean something else: indexes of other formats are left alone. */
export const FORMAT = 4;

/** Fields of words with positions; each has a further field for the terms that are too long for it. */
export const WORD_FIELDS = ['all', 'words', 'others', 'hiddenAll', 'hidden'] as const;

/**
 * `all` has the words of an object but those of payloads, `words` those of texts by property, `others` those of numbers and of properties
 * that are null; `hiddenAll` and `hidden` are `all` and `words` of payloads.
 */
export type WordField = typeof WORD_FIELDS[number];

/** Returns the field for long terms. */
export function longField(field: WordField): string {

    return `${field}Long`;
}

/** Fields of whole terms, for exact comparison and patterns. */
export const TERM_FIELDS = ['keys', 'names', 'hiddenNames', 'stems', 'hiddenStems', 'columns', 'numbers', 'times', 'stamps', 'acl'] as const;

/** Marks of the lists of principals. */
const LIST_MARKS: Readonly<Record<PrincipalList, string>> = {
    readers: 'r', writers: 'w', payloadReaders: 'p', noReaders: '-r', noWriters: '-w', noPayloadReaders: '-p', versions: 'v'
};

/** Columns of every object with fields of their own for sorting; others are nested documents. */
export const TOP_COLUMNS: ReadonlyMap<string, string> = new Map([
    ['id', 'top.id'], ['type', 'top.type'], ['metadata/txnId', 'top.txnId'], ['metadata/createdOn', 'top.createdOn'], ['metadata/createdBy', 'top.createdBy'],
    ['metadata/modifiedOn', 'top.modifiedOn'], ['metadata/modifiedBy', 'top.modifiedBy'], ['dtindexed', 'top.indexedOn']
]);

/** Columns whose numbers are also found by their text. */
type Format = (value: number) => string;
const STAMPED: ReadonlyMap<string, Format> = new Map<string, Format>([
    ['metadata/createdOn', formatTimestamp], ['metadata/modifiedOn', formatTimestamp], ['dtindexed', formatTimestamp], ['metadata/txnId', String]
]);

/** Maximum number of stemmed words of an object, and of texts in a field with a gap between them: positions are limited to 2^31. */
const MAX_STEMMED_WORDS = 200_000;
const MAX_TEXTS = 200_000;

/** A document for the engine. */
export type EngineDocument = Readonly<Record<string, unknown>>;

/** Returns the fields of a document. */
export function toEngineDocument(document: IndexDocument): EngineDocument {

    const fields = new FieldCollector();
    describeFields(document, fields);
    return {
        ...fields.result(), id: document.id, type: exactKey(document.type), createdBy: exactKey(document.metadata.createdBy)
    };
}

class FieldCollector implements FieldConsumer {

    readonly #texts = new Map<string, string[]>();
    readonly #terms = new Map<string, Set<string>>();
    readonly #facets = new Map<string, Set<string>>();
    /** First values by column. */
    readonly #first = new Map<string, string>();
    #stemmed = 0;
    /** The text of the last payload, which a second name may follow. */
    #hiddenText: string | null = null;

    text(field: string, text: string, language: TextLanguage | null): void {

        const words = analyse(text);
        if (words.length === 0) {
            return;
        }

        const isHidden = isPayloadField(field);
        const isOther = isNumberField(field) || isNullField(field);
        const code = codeOf('word', isHidden || isOther ? field.slice(1) : field);
        const isRepeated = isHidden && this.#hiddenText === text;
        if (!isRepeated) {
            this.#words(isHidden ? 'hiddenAll' : 'all', ANY_CODE, words);
        }

        this.#hiddenText = isHidden ? text : null;
        if (field !== REST_FIELD) {
            this.#words(isHidden ? 'hidden' : isOther ? 'others' : 'words', code, words);
            if (!isNullField(field)) {
                this.#term(isHidden ? 'hiddenNames' : 'names', code);
            }
        }

        if (language !== null) {
            this.#stem(isHidden ? 'hiddenStems' : 'stems', field === REST_FIELD ? [ANY_CODE] : [ANY_CODE, code], { words, language });
        }
    }

    keyword(field: string, value: string): void {

        const code = codeOf('keyword', field);
        this.#term('keys', code + keywordOf(value).toWellFormed());
        this.#term('names', code);
    }

    principal(list: PrincipalList, entry: string): void {

        this.#term('acl', principalKey(list, entry));
    }

    value(column: string, value: string | number): void {

        const code = codeOf('column', column);
        if (!this.#first.has(column)) {
            this.#first.set(column, sortKey(value));
            this.#term('columns', code);
        }

        getOrAdd(this.#facets, facetField(code), () => new Set<string>()).add(code + textKey(String(value)));
        if (typeof value === 'number') {
            this.#term('numbers', code + numberKey(value));
            const stamp = STAMPED.get(column);
            if (stamp) {
                this.#term('stamps', code + stamp(value));
            }
        }
        else {
            const time = parseTime(cutAt(value, MAX_VALUE_LENGTH));
            if (time !== null) {
                this.#term('times', code + numberKey(time));
            }
        }
    }

    result(): EngineDocument {

        const own = new Map<string, unknown>();
        const nested: { c: string; k: string }[] = [];
        for (const [column, key] of this.#first) {
            const field = TOP_COLUMNS.get(column);
            if (field === undefined) {
                nested.push({ c: codeOf('column', column), k: key });
            }
            else {
                own.set(field, key);
            }
        }

        for (const [field, values] of [...this.#terms, ...this.#facets]) {
            own.set(field, [...values]);
        }

        return { ...Object.fromEntries(this.#texts), ...Object.fromEntries(own), ...nested.length > 0 ? { sort: nested } : {} };
    }

    #words(field: WordField, code: string, words: readonly AnalysedWord[]): void {

        const tokens: string[] = [];
        for (const { term } of words) {
            const token = code + term;
            if (isLong(token)) {
                this.#term(longField(field), token);
            }

            tokens.push(tokenOf(code, term));
        }

        const texts = getOrAdd(this.#texts, field, () => []);
        const text = tokens.join(' ');
        if (texts.length < MAX_TEXTS) {
            texts.push(text);
        }
        else {
            texts[texts.length - 1] += ` ${text}`;
        }
    }

    #stem(field: string, prefixes: readonly string[], { words, language }: { readonly words: readonly AnalysedWord[]; readonly language: TextLanguage }): void {

        for (const { term } of words.slice(0, Math.max(MAX_STEMMED_WORDS - this.#stemmed, 0))) {
            const stem = stemOf(term, language);
            if (stem !== null) {
                prefixes.forEach((code) => this.#term(field, code + stemTerm(stem, language)));
            }
        }

        this.#stemmed += words.length;
    }

    #term(field: string, term: string): void {

        getOrAdd(this.#terms, field, () => new Set<string>()).add(term);
    }
}

/** Returns the term of an entry of a list. */
export function principalKey(list: PrincipalList, entry: string): string {

    return entry === ABSENT ? LIST_MARKS[list] : `${LIST_MARKS[list]}:${exactKey(entry)}`;
}
