/**
 * Goes forward through the documents of an entry, with the positions of its term in each.
 */

import type { TermSpace } from './term-space.js';

export class PositionCursor {

    /** Positions in the document at which it stands, in order; the first {@link count} count. */
    positions = new Uint32Array(16);
    count = 0;
    readonly #postings: Uint8Array | null;
    readonly #bytes: Uint8Array;
    /** Where the next posting and its positions begin. */
    #at = 0;
    #positionsAt = 0;
    #document = 0;
    #list: number[] | null = null;

    constructor(space: TermSpace, entry: number) {

        this.#postings = space.postings(entry);
        this.#bytes = space.positions(entry);
        this.#document = this.#postings ? 0 : space.single(entry);
    }

    /** Goes to a document of the entry, further on than the last one. */
    goTo(document: number): void {

        this.#list = null;
        const bytes = this.#postings;
        if (!bytes) {
            this.#readPositions(1);
            return;
        }

        let at = this.#at;
        let current = this.#document;
        let passed = 0;
        let frequency = 0;
        do {
            passed += frequency;
            let byte = bytes[at++] as number;
            let value = byte & 127;
            for (let shift = 7; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }

            frequency = 1;
            if ((value & 1) === 0) {
                byte = bytes[at++] as number;
                frequency = byte & 127;
                for (let shift = 7; byte > 127; shift += 7) {
                    byte = bytes[at++] as number;
                    frequency |= (byte & 127) << shift;
                }
            }

            current += value >>> 1;
        }
        while (current < document && at < bytes.length);

        this.#at = at;
        this.#document = current;
        this.#skip(passed);
        this.#readPositions(frequency);
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
