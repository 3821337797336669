/**
 * Reads the doc values (the column) of a field: its distinct values in sort order, numbers before texts, and the values of each
 * document. The ordinal of a value is its 0-based index in that order.
 */

import { compareText } from '../analysis/analyzer.js';
import { decodeText } from './byte-buffers.js';
import { FieldRecord, NONE } from './format.js';
import { float64, uint32 } from './section-reader.js';
import type { SectionSource } from './section-reader.js';
import type { ColumnValue } from './segment-writer.js';
import { firstPassing } from '../../util/binary-search.js';

/** Ordinal of the first value of each document, plus one; 0 for none. */
export type DocOrdinals = Uint8Array | Uint16Array | Uint32Array;

/** Tables of a column: plain data that threads can share. */
export interface ColumnTables {
    /** Number of documents of the segment. */
    readonly documents: number;
    /** Distinct and ascending. */
    readonly numbers: Float64Array;
    /** Epoch ms of each text that is a time, NaN for others; null when no text is a time. */
    readonly times: Float64Array | null;
    /** UTF-8 of all texts, concatenated. */
    readonly text: Uint8Array;
    /** Offset of each text among those of all columns, and the end of the last. */
    readonly textAt: Uint32Array;
    /** Further values, or all of them when few documents have any: pairs of a document and the ordinal of a value. */
    readonly pairDocuments: Uint32Array;
    readonly pairOrdinals: Uint32Array;
    /** First values by document; null when only pairs are stored. */
    readonly dense: DocOrdinals | null;
}

/** Doc values of one field; see {@link ColumnTables} for most of the parts. */
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
    /** Offset of its first text among those of all columns. */
    readonly #textStart: number;
    #docOrdinals: DocOrdinals | null = null;

    /** Reads the column that a field record describes; null when the field has no values. */
    static read(source: SectionSource, record: Uint32Array, documents: number): DocValues | null {

        const fieldOf = (name: keyof typeof FieldRecord): number => record[FieldRecord[name]] ?? 0;
        const textCount = fieldOf('textCount');
        if (fieldOf('numberCount') + textCount === 0) {
            return null;
        }

        const textAt = uint32(source, 'col.textAt', fieldOf('textStart'), textCount + 1);
        return new DocValues({
            documents,
            numbers: float64(source, 'col.numbers', fieldOf('numberStart'), fieldOf('numberCount')),
            times: fieldOf('timeStart') === NONE ? null : float64(source, 'col.times', fieldOf('timeStart'), textCount),
            text: source.slice('col.text', textAt[0] ?? 0, textAt[textCount] ?? 0),
            textAt,
            pairDocuments: uint32(source, 'col.pairDocs', fieldOf('pairStart'), fieldOf('pairCount')),
            pairOrdinals: uint32(source, 'col.pairOrds', fieldOf('pairStart'), fieldOf('pairCount')),
            dense: readDense(source, fieldOf('ordStart'), fieldOf('ordWidth'), documents)
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

    /** Reduced tables, sufficient for sorting by the first value. */
    get firstValues(): ColumnTables {

        return {
            documents: this.#documents, numbers: this.numbers, times: null, text: this.#text, textAt: this.#textAt,
            pairDocuments: NONE_OF_THEM, pairOrdinals: NONE_OF_THEM, dense: this.docOrdinals()
        };
    }

    /** Memory used, in bytes. */
    get bytes(): number {

        return this.numbers.byteLength + this.#text.length + this.#textAt.byteLength + (this.times?.byteLength ?? 0) +
            this.pairDocuments.byteLength * 2 + (this.#dense?.byteLength ?? this.#documents * Uint32Array.BYTES_PER_ELEMENT);
    }

    /** Number of distinct values. */
    get count(): number {

        return this.numbers.length + this.textCount;
    }

    /**
     * @param ordinal less than {@link count}
     */
    value(ordinal: number): ColumnValue {

        const number = this.numbers[ordinal];
        if (number !== undefined) {
            return number;
        }

        const text = ordinal - this.numbers.length;
        return decodeText(this.#text, (this.#textAt[text] ?? 0) - this.#textStart, (this.#textAt[text + 1] ?? 0) - this.#textStart);
    }

    /** Returns the ordinal of a text, -1 when no document has it. */
    findText(text: string): number {

        const found = firstPassing(this.numbers.length, this.count, (ordinal) => compareText(this.value(ordinal) as string, text) >= 0);
        return found < this.count && this.value(found) === text ? found : -1;
    }

    /**
     * Returns the ordinal of the first number that passes the test, by binary search: it must hold for all greater numbers as well.
     * `numbers.length` when none passes.
     */
    firstNumber(test: (value: number) => boolean): number {

        return firstPassing(0, this.numbers.length, (ordinal) => test(this.numbers[ordinal] ?? 0));
    }

    /** Returns the first value of every document, computed from the pairs when it is not stored. */
    docOrdinals(): DocOrdinals {

        if (this.#dense) {
            return this.#dense;
        }

        if (!this.#docOrdinals) {
            const docOrdinals = new Uint32Array(this.#documents);
            // Backwards, so that the first value of a document is written last.
            for (let i = this.pairDocuments.length - 1; i >= 0; --i) {
                docOrdinals[this.pairDocuments[i] ?? 0] = (this.pairOrdinals[i] ?? 0) + 1;
            }

            this.#docOrdinals = docOrdinals;
        }

        return this.#docOrdinals;
    }

    /** Stored {@link docOrdinals}; the pairs then hold the further values only. Null when only pairs are stored. */
    get dense(): DocOrdinals | null {

        return this.#dense;
    }
}

const NONE_OF_THEM = new Uint32Array(0);

function readDense(source: SectionSource, start: number, width: number, documents: number): DocOrdinals | null {

    const { buffer, byteOffset } = source.slice('col.ords', start, start + width * documents);
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
