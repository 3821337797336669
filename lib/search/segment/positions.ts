/**
 * Goes forward through the documents of an entry, with the positions of its term in each.
 */

import type { EntryList, Frequencies } from './postings-cache.js';

export class PositionCursor {

    /** Positions in the document at which it stands, in order; the first {@link count} count. */
    positions = new Uint32Array(16);
    count = 0;
    readonly #documents: Uint32Array;
    readonly #frequencies: Frequencies;
    readonly #bytes: Uint8Array;
    /** Every position takes one byte. */
    readonly #isNarrow: boolean;
    /** Place of the next document in the list, and of its positions. */
    #next = 0;
    #positionsAt = 0;
    #list: number[] | null = null;

    /** @param positions of the entry */
    constructor({ documents, frequencies, occurrences }: EntryList, positions: Uint8Array) {

        this.#documents = documents;
        this.#frequencies = frequencies;
        this.#bytes = positions;
        this.#isNarrow = positions.length === occurrences;
    }

    /** Goes to a document of the entry, further on than the last one. */
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

    /** Is the term at a position? */
    has(position: number): boolean {

        for (let i = 0; i < this.count; ++i) {
            const own = this.positions[i] as number;
            if (own >= position) {
                return own === position;
            }
        }

        return false;
    }

    /** The positions; the same array when asked again for the same document. */
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
                // Numbers end with their first small byte.
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
