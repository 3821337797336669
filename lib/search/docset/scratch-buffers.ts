/**
 * Scratch buffers for searches, as long as the largest segment. They are reused for every segment and search, because allocating
 * and clearing them would take longer than most searches.
 */

import type { Bits } from './bit-set.js';

/** Buffers may be longer than requested. */
export class ScratchBuffers {

    #documents = new Uint32Array(0);
    #frequencies = new Uint32Array(0);
    #sums = new Uint32Array(0);
    #scores = new Float32Array(0);
    #marks = new Uint32Array(0);

    /** Returns a list for documents; one user at a time. */
    documents(count: number): Uint32Array {

        if (this.#documents.length < count) {
            this.#documents = new Uint32Array(count);
        }

        return this.#documents;
    }

    /** Returns a list for a number for each of {@link documents}. */
    frequencies(count: number): Uint32Array {

        if (this.#frequencies.length < count) {
            this.#frequencies = new Uint32Array(count);
        }

        return this.#frequencies;
    }

    /** Returns a number for every document, all 0; the caller has to reset them to 0. */
    sums(documents: number): Uint32Array {

        if (this.#sums.length < documents) {
            this.#sums = new Uint32Array(documents);
        }

        return this.#sums;
    }

    /** Returns a score for every document, not initialised. */
    scores(documents: number): Float32Array {

        if (this.#scores.length < documents) {
            this.#scores = new Float32Array(documents);
        }

        return this.#scores;
    }

    /** Returns a bit for every document, all clear; the caller has to clear them again. */
    marks(documents: number): Bits {

        const words = (documents + 31) >>> 5;
        if (this.#marks.length < words) {
            this.#marks = new Uint32Array(words);
        }

        return this.#marks.subarray(0, words);
    }

    /** Bytes of all buffers. */
    get bytes(): number {

        return this.#documents.byteLength + this.#frequencies.byteLength + this.#sums.byteLength + this.#scores.byteLength +
            this.#marks.byteLength;
    }
}
