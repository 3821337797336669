/**
 * Reading the column of a field: its distinct values in sort order, and which documents have which. The ordinal of a value is its
 * place among them, from 0 on: numbers come before texts.
 */

import { compareText } from '../analysis/analyzer.js';
import { decodeText } from './byte-buffers.js';
import { FieldRecord, NONE } from './format.js';
import { float64, uint32 } from './section-reader.js';
import type { SectionSource } from './section-reader.js';
import type { ColumnValue } from './segment-writer.js';

/** Ordinals plus one of the first values of all documents; 0 for none. */
export type DocOrdinals = Uint8Array | Uint16Array | Uint32Array;

/** The values of a column: plain data that threads can share. */
export interface ColumnTables {
    /** Number of documents of the segment. */
    readonly documents: number;
    /** Distinct and ascending. */
    readonly numbers: Float64Array;
    /** Epoch ms of the texts that are times, NaN of others; null when none is. */
    readonly times: Float64Array | null;
    /** The bytes of all texts, one after the other. */
    readonly text: Uint8Array;
    /** Where each begins among those of all columns; one more for the end of the last. */
    readonly textAt: Uint32Array;
    /** Further values of documents, or all of them when few documents have any: pairs of a document and the ordinal of a value. */
    readonly pairDocuments: Uint32Array;
    readonly pairOrdinals: Uint32Array;
    /** First values of all documents when they are kept so. */
    readonly dense: DocOrdinals | null;
}

/** Most of its parts are those of {@link ColumnTables}. */
export class DocValues {

    readonly numbers: Float64Array;
    /** Number of distinct texts. */
    readonly textCount: number;
    readonly times: Float64Array | null;
    readonly pairDocuments: Uint32Array;
    readonly pairOrdinals: Uint32Array;
    readonly #documents: number;
    readonly #dense: DocOrdinals | null;
    readonly #text: Uint8Array;
    readonly #textAt: Uint32Array;
    /** Where its texts begin among those of all columns. */
    readonly #textStart: number;
    #ranks: DocOrdinals | null = null;

    /** Null when the field has no values. */
    static read(source: SectionSource, record: Uint32Array, documents: number): DocValues | null {

        const place = (name: keyof typeof FieldRecord): number => record[FieldRecord[name]] ?? 0;
        const textCount = place('textCount');
        if (place('numberCount') + textCount === 0) {
            return null;
        }

        const textAt = uint32(source, 'col.textAt', place('textStart'), textCount + 1);
        return new DocValues({
            documents,
            numbers: float64(source, 'col.numbers', place('numberStart'), place('numberCount')),
            times: place('timeStart') === NONE ? null : float64(source, 'col.times', place('timeStart'), textCount),
            text: source.piece('col.text', textAt[0] ?? 0, textAt[textCount] ?? 0),
            textAt,
            pairDocuments: uint32(source, 'col.pairDocs', place('pairStart'), place('pairCount')),
            pairOrdinals: uint32(source, 'col.pairOrds', place('pairStart'), place('pairCount')),
            dense: readDense(source, place('ordStart'), place('ordWidth'), documents)
        });
    }

    constructor({ documents, numbers, times, text, textAt, pairDocuments, pairOrdinals, dense }: ColumnTables) {

        this.#documents = documents;
        this.numbers = numbers;
        this.textCount = textAt.length - 1;
        this.times = times;
        this.#text = text;
        this.#textAt = textAt;
        this.#textStart = textAt[0] ?? 0;
        this.pairDocuments = pairDocuments;
        this.pairOrdinals = pairOrdinals;
        this.#dense = dense;
    }

    /** What is needed to sort by first values. */
    get firstValues(): ColumnTables {

        return {
            documents: this.#documents, numbers: this.numbers, times: null, text: this.#text, textAt: this.#textAt,
            pairDocuments: NONE_OF_THEM, pairOrdinals: NONE_OF_THEM, dense: this.ranks()
        };
    }

    /** Bytes that it takes. */
    get bytes(): number {

        return this.numbers.byteLength + this.#text.length + this.#textAt.byteLength + (this.times?.byteLength ?? 0) +
            this.pairDocuments.byteLength * 2 + (this.#dense?.byteLength ?? this.#documents * Uint32Array.BYTES_PER_ELEMENT);
    }

    /** Number of distinct values. */
    get count(): number {

        return this.numbers.length + this.textCount;
    }

    /** @param ordinal less than {@link count} */
    value(ordinal: number): ColumnValue {

        const number = this.numbers[ordinal];
        if (number !== undefined) {
            return number;
        }

        const text = ordinal - this.numbers.length;
        return decodeText(this.#text, (this.#textAt[text] ?? 0) - this.#textStart, (this.#textAt[text + 1] ?? 0) - this.#textStart);
    }

    /** The ordinal of a text, -1 when no document has it. */
    findText(text: string): number {

        let low = this.numbers.length;
        let high = this.count;
        while (low < high) {
            const middle = (low + high) >>> 1;
            if (compareText(this.value(middle) as string, text) < 0) {
                low = middle + 1;
            }
            else {
                high = middle;
            }
        }

        return low < this.count && this.value(low) === text ? low : -1;
    }

    /** The ordinal of the first number for which the test holds; it must hold for all after it. Behind the last one when there is none. */
    firstNumber(test: (value: number) => boolean): number {

        let low = 0;
        let high = this.numbers.length;
        while (low < high) {
            const middle = (low + high) >>> 1;
            if (test(this.numbers[middle] ?? 0)) {
                high = middle;
            }
            else {
                low = middle + 1;
            }
        }

        return low;
    }

    /** The first value of every document. */
    ranks(): DocOrdinals {

        if (this.#dense) {
            return this.#dense;
        }

        if (!this.#ranks) {
            const ranks = new Uint32Array(this.#documents);
            // From the end on, so that of the values of a document the first one stays.
            for (let i = this.pairDocuments.length - 1; i >= 0; --i) {
                ranks[this.pairDocuments[i] ?? 0] = (this.pairOrdinals[i] ?? 0) + 1;
            }

            this.#ranks = ranks;
        }

        return this.#ranks;
    }

    /** {@link ranks} when they are stored; the pairs then have the further values only. */
    get dense(): DocOrdinals | null {

        return this.#dense;
    }
}

const NONE_OF_THEM = new Uint32Array(0);

function readDense(source: SectionSource, start: number, width: number, documents: number): DocOrdinals | null {

    const { buffer, byteOffset } = source.piece('col.ords', start, start + width * documents);
    switch (width) {
        case 1:
            return new Uint8Array(buffer, byteOffset, documents);
        case 2:
            return new Uint16Array(buffer, byteOffset, documents);
        case 4:
            return new Uint32Array(buffer, byteOffset, documents);
        default:
            return null;
    }
}
