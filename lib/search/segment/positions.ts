/**
 * Forward cursor over the documents of an entry, with the positions of its term in each.
 */

import type { EntryList, Frequencies } from './postings-cache.js';

export class PositionCursor {

    /** Positions in the current document, ascending; only the first {@link count} are valid. */
    positions = new Uint32Array(16);
    count = 0;
    readonly #documents: Uint32Array;
    readonly #frequencies: Frequencies;
    readonly #bytes: Uint8Array;
    /** Every position is one byte long. */
    readonly #isNarrow: boolean;
    /** Index of the next document in the list, and offset of its positions. */
    #next = 0;
    #positionsAt = 0;
    #list: number[] | null = null;

    /**
     * @param positions encoded positions of the entry
     */
    constructor({ documents, frequencies, occurrences }: EntryList, positions: Uint8Array) {

        this.#documents = documents;
        this.#frequencies = frequencies;
        this.#bytes = positions;
        this.#isNarrow = positions.length === occurrences;
    }

    /** Advances to a document of the entry, which must be after the current one. */
    goTo(document: number): void {

        const [documents, frequencies] = [this.#documents, this.#frequencies];
        this.#list = null;
        let next = this.#next;
        let passed = 0;
        while ((documents[next] as number) < document) {
            passed += frequencies[next++] as number;
        }

        this.#next = next + 1;
        this.#skip(passed);
        this.#readPositions(frequencies[next] as number);
    }

    /** Returns whether the term occurs at a position. */
    has(position: number): boolean {

        for (let i = 0; i < this.count; ++i) {
            const own = this.positions[i] as number;
            if (own >= position) {
                return own === position;
            }
        }

        return false;
    }

    /** Returns the positions; the same array for repeated calls in one document. */
    list(): readonly number[] {

        this.#list ??= Array.from(this.positions.subarray(0, this.count));
        return this.#list;
    }

    #skip(numbers: number): void {

        if (this.#isNarrow) {
            this.#positionsAt += numbers;
            return;
        }

        const bytes = this.#bytes;
        let at = this.#positionsAt;
        for (let left = numbers; left > 0; --left) {
            while ((bytes[at++] as number) > 127) {
                // The last byte of a varint is below 128.
            }
        }

        this.#positionsAt = at;
    }

    #readPositions(count: number): void {

        if (count > this.positions.length) {
            this.positions = new Uint32Array(count * 2);
        }

        const bytes = this.#bytes;
        let at = this.#positionsAt;
        let position = 0;
        for (let i = 0; i < count; ++i) {
            let byte = bytes[at++] as number;
            let value = byte & 127;
            for (let shift = 7; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }

            position += value;
            this.positions[i] = position;
        }

        this.#positionsAt = at;
        this.count = count;
    }
}
