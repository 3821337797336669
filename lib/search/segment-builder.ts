/**
 * Makes a segment of documents.
 */

import { analyse, cutAt, keywordOf, MAX_VALUE_LENGTH } from './analysis.js';
import { ByteWriter, compareBytes, encodeText } from './bytes.js';
import { ALL_FIELD, isNumberField } from './field-names.js';
import { describeFields } from './fields.js';
import type { FieldSink, PrincipalList } from './fields.js';
import type { IndexDocument } from './index-document.js';
import { encodeLength } from './lengths.js';
import { SPACES } from './segment-layout.js';
import type { Sections, Space } from './segment-layout.js';
import { compareValues, SegmentWriter } from './segment-writer.js';
import type { ColumnData, ColumnValue, SpaceWriter } from './segment-writer.js';

/** Between two texts of one field, so that no phrase matches across them. */
const TEXT_GAP = 10_000;

/** Further words of one object are not indexed. */
const MAX_WORDS = 1_000_000;

/** Where a term stands in one field: documents in order, with positions for words. */
interface Entry {
    readonly documents: number[];
    /** Parallel to `documents`. */
    readonly positions: number[][];
}

/** Builds one segment. Documents are numbered in the order of {@link add}. */
export class SegmentBuilder implements FieldSink {

    readonly #spaces: Record<Space, Map<string, Map<string, Entry>>> = {
        text: new Map(), number: new Map(), keyword: new Map(), principal: new Map()
    };
    readonly #lengths = new Map<string, { documents: number[]; lengths: number[] }>();
    readonly #columns = new Map<string, { documents: number[]; values: ColumnValue[] }>();
    /** Where the next text of a field begins, in the document that is being added. */
    readonly #nextPosition = new Map<string, number>();
    #documents = 0;
    /** Words of the document that is being added. */
    #words = 0;

    get documents(): number {

        return this.#documents;
    }

    add(document: IndexDocument): void {

        this.#nextPosition.clear();
        this.#words = 0;
        describeFields(document, this);
        ++this.#documents;
    }

    text(field: string, text: string): void {

        const words = this.#words < MAX_WORDS ? analyse(text) : [];
        if (words.length === 0) {
            return;
        }

        this.#words += words.length;

        const space = isNumberField(field) ? 'number' : 'text';
        const start = this.#nextPosition.get(field) ?? 0;
        for (const { term, position } of words) {
            this.#post(space, term, field).push(start + position);
        }

        this.#nextPosition.set(field, start + (words.at(-1)?.position ?? 0) + TEXT_GAP);
        this.#lengthen(field, words.length);
        this.#lengthen(ALL_FIELD, words.length);
    }

    keyword(field: string, value: string): void {

        this.#post('keyword', keywordOf(value), field);
        this.#lengthen(field, 1);
    }

    principal(list: PrincipalList, entry: string): void {

        this.#post('principal', entry, list);
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
        for (const space of SPACES) {
            writeSpace(writer.space(space), this.#spaces[space], numberOf);
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

    /** The positions of a term in the field of the current document, to be added to. */
    #post(space: Space, term: string, field: string): number[] {

        const fields = getOrAdd(this.#spaces[space], term, () => new Map<string, Entry>());
        const { documents, positions } = getOrAdd(fields, field, () => ({ documents: [], positions: [] }));
        const last = positions.at(-1);
        if (last && documents.at(-1) === this.#documents) {
            return last;
        }

        const added: number[] = [];
        documents.push(this.#documents);
        positions.push(added);
        return added;
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

        const names = new Set([...this.#lengths.keys(), ...this.#columns.keys()]);
        for (const fields of this.#spaces.principal.values()) {
            for (const field of fields.keys()) {
                names.add(field);
            }
        }

        return sortedByBytes([...names]).map(({ text }) => text);
    }
}

/** Distinct values and who has them. */
function toColumn(documents: readonly number[], values: readonly ColumnValue[]): ColumnData {

    const distinct = [...new Set(values)].sort(compareValues);
    const ordinals = new Map(distinct.map((value, ordinal) => [value, ordinal]));
    return {
        values: distinct, documents: Uint32Array.from(documents), ordinals: Uint32Array.from(values, (value) => ordinals.get(value) ?? 0)
    };
}

function writeSpace(
    writer: SpaceWriter, terms: ReadonlyMap<string, ReadonlyMap<string, Entry>>, numberOf: (field: string) => number
): void {

    const [postings, positions] = [new ByteWriter(), new ByteWriter()];
    for (const { text, bytes } of sortedByBytes([...terms.keys()])) {
        writer.term(bytes);
        const entries = [...terms.get(text) ?? []].map(([field, entry]) => ({ field: numberOf(field), entry }));
        for (const { field, entry } of entries.sort((a, b) => a.field - b.field)) {
            postings.clear();
            positions.clear();
            writePostings(entry, postings, positions);
            const [first = 0] = entry.documents;
            if (entry.documents.length === 1 && (entry.positions[0]?.length ?? 0) <= 1) {
                writer.single(field, first, positions.view());
            }
            else {
                writer.entry(field, entry.documents.length, postings.view(), positions.view());
            }
        }
    }

    writer.finish();
}

function writePostings(entry: Entry, postings: ByteWriter, positions: ByteWriter): void {

    let lastDocument = 0;
    entry.documents.forEach((document, i) => {

        const places = entry.positions[i] ?? [];
        const isOnce = places.length <= 1;
        postings.varint((document - lastDocument) * 2 + Number(isOnce));
        if (!isOnce) {
            postings.varint(places.length);
        }

        lastDocument = document;
        let lastPlace = 0;
        for (const place of places) {
            positions.varint(place - lastPlace);
            lastPlace = place;
        }
    });
}

function sortedByBytes(texts: readonly string[]): { text: string; bytes: Uint8Array }[] {

    return texts.map((text) => ({ text, bytes: encodeText(text) })).sort((a, b) => compareBytes(a.bytes, b.bytes));
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {

    let value = map.get(key);
    if (value === undefined) {
        value = make();
        map.set(key, value);
    }

    return value;
}
