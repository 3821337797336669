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

        this.#documents = grown(this.#documents, count);
        return this.#documents;
    }

    /** Returns a list for a number for each of {@link documents}. */
    frequencies(count: number): Uint32Array {

        this.#frequencies = grown(this.#frequencies, count);
        return this.#frequencies;
    }

    /** Returns a number for every document, all 0; the caller has to reset them to 0. */
    sums(documents: number): Uint32Array {

        this.#sums = grown(this.#sums, documents);
        return this.#sums;
    }

    /** Returns a score for every document, not initialised. */
    scores(documents: number): Float32Array {

        this.#scores = grown(this.#scores, documents);
        return this.#scores;
    }

    /** Returns a bit for every document, all clear; the caller has to clear them again. */
    marks(documents: number): Bits {

        const words = (documents + 31) >>> 5;
        this.#marks = grown(this.#marks, words);
        return this.#marks.subarray(0, words);
    }

    /** Bytes of all buffers. */
    get bytes(): number {

        return this.#documents.byteLength + this.#frequencies.byteLength + this.#sums.byteLength + this.#scores.byteLength +
            this.#marks.byteLength;
    }
}

/** Returns the buffer if it is long enough, else a new one of the same kind. */
function grown<B extends Uint32Array | Float32Array>(buffer: B, length: number): B {

    return buffer.length < length ? new (buffer.constructor as new (length: number) => B)(length) : buffer;
}
