/**
 * Writes the sections of a segment. The callers (builder and merger) provide fields and terms in sorted order.
 */

import { ByteWriter, encodeText, NumberWriter } from './byte-buffers.js';
import { compareText } from '../analysis/analyzer.js';
import { parseTime } from '../analysis/timestamps.js';
import { FieldRecord, LAYOUT_VERSION, NONE, SINGLE } from './format.js';
import type { Sections, TermKind } from './format.js';

/** A value in a column of doc values. */
export type ColumnValue = string | number;

/** Compares values: numbers come before texts. */
export function compareValues(a: ColumnValue, b: ColumnValue): number {

    if (typeof a === 'number') {
        return typeof b === 'number' ? a - b : -1;
    }

    return typeof b === 'number' ? 1 : compareText(a, b);
}

/** Doc values of one field; `ordinals` are indices in `values`. */
export interface ColumnData {
    /** Distinct, sorted by {@link compareValues}. */
    readonly values: readonly ColumnValue[];
    /** One element for every value of a document: sorted by document, then in the order of the values in the object. */
    readonly documents: Uint32Array;
    readonly ordinals: Uint32Array;
}

/** Norms of one field in the documents that have it, in their order. */
export interface LengthData {
    readonly documents: Uint32Array;
    /** See norms.ts. */
    readonly bytes: Uint8Array;
}

/** Fields that at least one in 8 documents has are stored dense, with one element for every document. */
const DENSE_SHARE = 8;

export class SegmentWriter {

    readonly #documents: number;
    readonly #fields: Uint32Array;
    readonly #fieldCount: number;
    readonly #sections = new Map<string, Uint8Array>();
    readonly #lengths = { bytes: new ByteWriter(), docs: new NumberWriter('uint32') };
    readonly #columns = {
        numbers: new NumberWriter('float64'), text: new ByteWriter(), textAt: new NumberWriter('uint32'), times: new NumberWriter('float64'),
        ords: new ByteWriter(), pairDocs: new NumberWriter('uint32'), pairOrds: new NumberWriter('uint32')
    };

    /**
     * @param names of all fields, sorted by their bytes
     */
    constructor(documents: number, names: readonly string[]) {

        this.#documents = documents;
        this.#fieldCount = names.length;
        this.#fields = new Uint32Array(names.length * FieldRecord.size);
        for (let field = 0; field < names.length; ++field) {
            this.#set(field, FieldRecord.timeStart, NONE);
            this.#set(field, FieldRecord.lenDocs, NONE);
        }

        const bytes = new ByteWriter();
        const at = new NumberWriter('uint32', names.length + 1);
        at.push(0);
        for (const name of names) {
            bytes.append(encodeText(name));
            at.push(bytes.length);
        }

        this.#sections.set('names', bytes.finish());
        this.#sections.set('nameAt', at.finish());
    }

    /** Starts a term dictionary, which {@link DictionaryWriter.finish} completes. */
    dictionary(kind: TermKind): DictionaryWriter {

        return new DictionaryWriter(kind, this.#fieldCount, this.#sections);
    }

    lengths(field: number, { documents, bytes }: LengthData): void {

        const target = this.#lengths;
        this.#set(field, FieldRecord.lenStart, target.bytes.length);
        if (documents.length * DENSE_SHARE >= this.#documents) {
            const dense = new Uint8Array(this.#documents);
            documents.forEach((document, i) => {

                dense[document] = bytes[i] ?? 0;
            });
            this.#set(field, FieldRecord.lenCount, this.#documents);
            target.bytes.append(dense);
            return;
        }

        this.#set(field, FieldRecord.lenCount, documents.length);
        this.#set(field, FieldRecord.lenDocs, target.docs.length);
        target.bytes.append(bytes);
        documents.forEach((document) => target.docs.push(document));
    }

    column(field: number, data: ColumnData): void {

        this.#columnValues(field, data.values);
        this.#columnOrdinals(field, data);
    }

    finish(): Sections {

        const { numbers, text, textAt, times, ords, pairDocs, pairOrds } = this.#columns;
        textAt.push(text.length);
        const head = new NumberWriter('uint32', 4);
        [LAYOUT_VERSION, this.#documents, this.#fieldCount].forEach((number) => head.push(number));
        const parts: Record<string, { finish(): Uint8Array }> = {
            head, 'len.bytes': this.#lengths.bytes, 'len.docs': this.#lengths.docs,
            'col.numbers': numbers, 'col.text': text, 'col.textAt': textAt, 'col.times': times, 'col.ords': ords,
            'col.pairDocs': pairDocs, 'col.pairOrds': pairOrds
        };
        for (const [name, part] of Object.entries(parts)) {
            this.#sections.set(name, part.finish());
        }

        const fields = new NumberWriter('uint32', Math.max(this.#fields.length, 1));
        this.#fields.forEach((number) => fields.push(number));
        this.#sections.set('fields', fields.finish());
        return this.#sections;
    }

    #columnValues(field: number, values: readonly ColumnValue[]): void {

        const { numbers, text, textAt, times } = this.#columns;
        const [numberStart, textStart, timeStart] = [numbers.length, textAt.length, times.length];
        const texts: string[] = [];
        for (const value of values) {
            if (typeof value === 'number') {
                numbers.push(value);
            }
            else {
                texts.push(value);
                textAt.push(text.length);
                text.append(encodeText(value));
            }
        }

        this.#set(field, FieldRecord.numberStart, numberStart);
        this.#set(field, FieldRecord.numberCount, values.length - texts.length);
        this.#set(field, FieldRecord.textStart, textStart);
        this.#set(field, FieldRecord.textCount, texts.length);
        const moments = texts.map((value) => parseTime(value) ?? NaN);
        if (moments.some((time) => !Number.isNaN(time))) {
            this.#set(field, FieldRecord.timeStart, timeStart);
            moments.forEach((time) => times.push(time));
        }
    }

    /** Stores one ordinal for each document when the field is dense, and pairs for further values; else pairs only. */
    #columnOrdinals(field: number, { values, documents, ordinals }: ColumnData): void {

        const { ords, pairDocs, pairOrds } = this.#columns;
        this.#set(field, FieldRecord.pairStart, pairDocs.length);
        const isDense = documents.length * DENSE_SHARE >= this.#documents;
        const dense = isDense ? new Uint32Array(this.#documents) : null;
        for (let i = 0; i < documents.length; ++i) {
            const [document = 0, ordinal = 0] = [documents[i], ordinals[i]];
            if (dense && dense[document] === 0) {
                dense[document] = ordinal + 1;
            }
            else {
                pairDocs.push(document);
                pairOrds.push(ordinal);
            }
        }

        this.#set(field, FieldRecord.pairCount, pairDocs.length - (this.#fields[field * FieldRecord.size + FieldRecord.pairStart] ?? 0));
        if (dense) {
            const width = values.length < 0xff ? 1 : values.length < 0xffff ? 2 : 4;
            ords.align(4);
            this.#set(field, FieldRecord.ordStart, ords.length);
            this.#set(field, FieldRecord.ordWidth, width);
            const narrow = width === 1 ? Uint8Array.from(dense) : width === 2 ? Uint16Array.from(dense) : dense;
            ords.append(new Uint8Array(narrow.buffer));
        }
    }

    #set(field: number, column: number, value: number): void {

        this.#fields[field * FieldRecord.size + column] = value;
    }
}

/** Writes a term dictionary: `term`, then `entry` or `single` for each of its fields, then the next term. */
export class DictionaryWriter {

    readonly #kind: TermKind;
    readonly #wide: boolean;
    readonly #sections: Map<string, Uint8Array>;
    readonly #terms = new ByteWriter(1024);
    readonly #termAt = new NumberWriter('uint32');
    readonly #termEntry = new NumberWriter('uint32');
    readonly #entryField = new NumberWriter('uint32');
    readonly #entryPost = new NumberWriter('uint32');
    readonly #entryPos = new NumberWriter('uint32');
    readonly #post = new ByteWriter(1024);
    readonly #pos = new ByteWriter(1024);

    constructor(kind: TermKind, fieldCount: number, sections: Map<string, Uint8Array>) {

        this.#kind = kind;
        this.#wide = fieldCount > 0xffff;
        this.#sections = sections;
    }

    /** Starts a term; terms must be added in the order of their bytes. */
    term(bytes: Uint8Array): void {

        this.#termAt.push(this.#terms.length);
        this.#terms.append(bytes);
        this.#termEntry.push(this.#entryField.length);
    }

    /**
     * Adds the postings of the term in one field; fields must be added in ascending order.
     *
     * @param postings encoded, without the number of documents
     * @param positions encoded; empty in dictionaries without positions
     */
    entry(field: number, count: number, postings: Uint8Array, positions: Uint8Array): void {

        this.#beginField(field);
        this.#entryPost.push(this.#post.length);
        this.#post.varint(count);
        this.#post.append(postings);
        this.#pos.append(positions);
    }

    /** Adds a field in which the term occurs once, in one document. */
    single(field: number, document: number, positions: Uint8Array): void {

        this.#beginField(field);
        this.#entryPost.push((document | SINGLE) >>> 0);
        this.#pos.append(positions);
    }

    finish(): void {

        if (this.#kind === 'stem' && this.#terms.length === 0) {
            return;
        }

        this.#termAt.push(this.#terms.length);
        this.#termEntry.push(this.#entryField.length);
        const set = (name: string, bytes: Uint8Array): void => {

            this.#sections.set(`${this.#kind}.${name}`, bytes);
        };

        set('terms', this.#terms.finish());
        set('termAt', this.#termAt.finish());
        set('termEntry', this.#termEntry.finish());
        set('entryField', this.#wide ? this.#entryField.finish() : this.#entryField.finishNarrow());
        set('entryPost', this.#entryPost.finish());
        set('post', this.#post.finish());
        if (this.#kind === 'text' || this.#kind === 'number') {
            set('entryPos', this.#entryPos.finish());
            set('pos', this.#pos.finish());
        }
    }

    #beginField(field: number): void {

        this.#entryField.push(field);
        this.#entryPos.push(this.#pos.length);
    }
}
