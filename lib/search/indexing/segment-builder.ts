/**
 * Builds a segment from documents.
 */

import type { TextLanguage } from '../../model/text-language.js';
import { analyse, cutAt, keywordOf, MAX_VALUE_LENGTH, TEXT_GAP } from '../analysis/analyzer.js';
import type { AnalysedWord } from '../analysis/analyzer.js';
import { stemOf, stemTerm } from '../analysis/stemmer.js';
import { compareUnicode } from '../segment/byte-buffers.js';
import { ALL_FIELD, isNumberField, isPayloadField } from '../analysis/field-names.js';
import { describeFields } from '../mapping/field-mapper.js';
import type { FieldConsumer, PrincipalList } from '../mapping/field-mapper.js';
import type { IndexDocument } from '../mapping/index-document.js';
import { encodeLength } from '../segment/norms.js';
import { NO_POSITION, PostingsBuffer } from './postings-buffer.js';
import { TERM_KINDS } from '../segment/format.js';
import type { Sections, TermKind } from '../segment/format.js';
import { compareValues, SegmentWriter } from '../segment/segment-writer.js';
import type { ColumnData, ColumnValue } from '../segment/segment-writer.js';
import { getOrAdd } from '../../util/cache/get-or-add.js';

/** Maximum number of indexed words of an object; further ones are ignored. */
const MAX_WORDS = 1_000_000;

/** Maximum number of stemmed words of an object; further ones are indexed in their exact form only. */
const MAX_STEMMED_WORDS = 200_000;

/** Builder of one segment. Documents are numbered in the order of {@link add}. */
export class SegmentBuilder implements FieldConsumer {

    readonly #buffers: Record<TermKind, PostingsBuffer> = {
        text: new PostingsBuffer(), number: new PostingsBuffer(), keyword: new PostingsBuffer(), principal: new PostingsBuffer(),
        stem: new PostingsBuffer()
    };
    readonly #lengths = new Map<string, { documents: number[]; lengths: number[] }>();
    readonly #columns = new Map<string, { documents: number[]; values: ColumnValue[] }>();
    /** Start position of the next text of each field, in the current document. */
    readonly #nextPosition = new Map<string, number>();
    #documents = 0;
    /** Number of words of the current document. */
    #words = 0;
    /** Number of its words in texts with a language. */
    #stemmed = 0;

    get documents(): number {

        return this.#documents;
    }

    add(document: IndexDocument): void {

        this.#nextPosition.clear();
        this.#words = 0;
        this.#stemmed = 0;
        describeFields(document, this);
        ++this.#documents;
    }

    text(field: string, text: string, language: TextLanguage | null): void {

        const words = this.#words < MAX_WORDS ? analyse(text) : [];
        if (words.length === 0) {
            return;
        }

        this.#words += words.length;

        const log = this.#buffers[isNumberField(field) ? 'number' : 'text'];
        const start = this.#nextPosition.get(field) ?? 0;
        for (const { term, position } of words) {
            log.add(field, term, this.#documents, start + position);
        }

        if (language !== null) {
            this.#stem(field, words, { start, language });
        }

        this.#nextPosition.set(field, start + (words.at(-1)?.position ?? 0) + TEXT_GAP);
        this.#lengthen(field, words.length);
        if (!isPayloadField(field)) {
            // This norm is part of scores for all callers; the length of a payload must not show in it.
            this.#lengthen(ALL_FIELD, words.length);
        }
    }

    keyword(field: string, value: string): void {

        this.#buffers.keyword.add(field, keywordOf(value), this.#documents, NO_POSITION);
        this.#lengthen(field, 1);
    }

    principal(list: PrincipalList, entry: string): void {

        this.#buffers.principal.add(list, entry, this.#documents, NO_POSITION);
    }

    value(column: string, value: string | number): void {

        const own = getOrAdd(this.#columns, column, () => ({ documents: [], values: [] }));
        own.documents.push(this.#documents);
        own.values.push(typeof value === 'number' ? value : cutAt(value, MAX_VALUE_LENGTH));
    }

    finish(): Sections {

        const names = this.#fieldNames();
        const numbers = new Map(names.map((name, number) => [name, number]));
        const numberOf = (name: string): number => numbers.get(name) ?? 0;
        const writer = new SegmentWriter(this.#documents, names);
        for (const kind of TERM_KINDS) {
            this.#buffers[kind].write(writer.dictionary(kind), numberOf);
        }

        for (const name of names) {
            const lengths = this.#lengths.get(name);
            if (lengths) {
                writer.lengths(numberOf(name), {
                    documents: Uint32Array.from(lengths.documents), bytes: Uint8Array.from(lengths.lengths, encodeLength)
                });
            }

            const column = this.#columns.get(name);
            if (column) {
                writer.column(numberOf(name), toColumn(column.documents, column.values));
            }
        }

        return writer.finish();
    }

    /** Adds the stems of words. Positions only serve to count occurrences: they are not stored. */
    #stem(field: string, words: readonly AnalysedWord[], { start, language }: { readonly start: number; readonly language: TextLanguage }): void {

        for (const { term, position } of words.slice(0, Math.max(MAX_STEMMED_WORDS - this.#stemmed, 0))) {
            const stem = stemOf(term, language);
            if (stem !== null) {
                this.#buffers.stem.add(field, stemTerm(stem, language), this.#documents, start + position);
            }
        }

        this.#stemmed += words.length;
    }

    #lengthen(field: string, words: number): void {

        const { documents, lengths } = getOrAdd(this.#lengths, field, () => ({ documents: [], lengths: [] }));
        if (documents.at(-1) !== this.#documents) {
            documents.push(this.#documents);
            lengths.push(0);
        }

        lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + words;
    }

    #fieldNames(): string[] {

        return [...new Set([...this.#lengths.keys(), ...this.#columns.keys(), ...this.#buffers.principal.fields])].sort(compareUnicode);
    }
}

/** Encodes values as ordinals of the distinct ones. */
function toColumn(documents: readonly number[], values: readonly ColumnValue[]): ColumnData {

    const distinct = [...new Set(values)].sort(compareValues);
    const ordinals = new Map(distinct.map((value, ordinal) => [value, ordinal]));
    return {
        values: distinct, documents: Uint32Array.from(documents), ordinals: Uint32Array.from(values, (value) => ordinals.get(value) ?? 0)
    };
}
