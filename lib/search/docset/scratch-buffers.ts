/**
 * Lists that searches work with, as long as the largest segment. They are used again by the next segment and the next search:
 * getting and clearing so much memory would take longer than most searches.
 */

import type { Bits } from './bit-set.js';

/** Lists may be longer than what was asked for. */
export class ScratchBuffers {

    #documents = new Uint32Array(0);
    #frequencies = new Uint32Array(0);
    #sums = new Uint32Array(0);
    #scores = new Float32Array(0);
    #marks = new Uint32Array(0);

    /** Room for a list of documents; for one user at a time. */
    documents(count: number): Uint32Array {

        if (this.#documents.length < count) {
            this.#documents = new Uint32Array(count);
        }

        return this.#documents;
    }

    /** Room for a number of each of {@link documents}. */
    frequencies(count: number): Uint32Array {

        if (this.#frequencies.length < count) {
            this.#frequencies = new Uint32Array(count);
        }

        return this.#frequencies;
    }

    /** A number for every document. All are 0, and whoever uses them leaves them so. */
    sums(documents: number): Uint32Array {

        if (this.#sums.length < documents) {
            this.#sums = new Uint32Array(documents);
        }

        return this.#sums;
    }

    /** A score for every document, with anything in it. */
    scores(documents: number): Float32Array {

        if (this.#scores.length < documents) {
            this.#scores = new Float32Array(documents);
        }

        return this.#scores;
    }

    /** Bits of all documents. None is set, and whoever uses them leaves them so. */
    marks(documents: number): Bits {

        const words = (documents + 31) >>> 5;
        if (this.#marks.length < words) {
            this.#marks = new Uint32Array(words);
        }

        return this.#marks.subarray(0, words);
    }

    /** Bytes of all lists. */
    get bytes(): number {

        return this.#documents.byteLength + this.#frequencies.byteLength + this.#sums.byteLength + this.#scores.byteLength +
            this.#marks.byteLength;
    }
}
