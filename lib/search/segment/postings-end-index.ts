/**
 * Where the postings of an entry end: where those of the next one begin that has any.
 */

import { SINGLE } from './format.js';

/** Entries between two that are looked up. */
const STEP = 64;

export class PostingsEndIndex {

    readonly #entryPost: Uint32Array;
    readonly #length: number;
    /** Where the first postings at or after every so manieth entry begin. */
    readonly #starts: Uint32Array;

    /** @param length of all postings, bytes */
    constructor(entryPost: Uint32Array, length: number) {

        this.#entryPost = entryPost;
        this.#length = length;
        this.#starts = new Uint32Array(PostingsEndIndex.bytesFor(entryPost.length) / Uint32Array.BYTES_PER_ELEMENT);
        let next = length;
        this.#starts[this.#starts.length - 1] = next;
        for (let entry = entryPost.length - 1; entry >= 0; --entry) {
            const start = entryPost[entry] as number;
            if ((start & SINGLE) === 0) {
                next = start;
            }

            if (entry % STEP === 0) {
                this.#starts[entry / STEP] = next;
            }
        }
    }

    /** Bytes that it takes for so many entries. */
    static bytesFor(entries: number): number {

        return (Math.ceil(entries / STEP) + 1) * Uint32Array.BYTES_PER_ELEMENT;
    }

    after(entry: number): number {

        const end = Math.min(Math.ceil((entry + 1) / STEP) * STEP, this.#entryPost.length);
        for (let next = entry + 1; next < end; ++next) {
            const start = this.#entryPost[next] as number;
            if ((start & SINGLE) === 0) {
                return start;
            }
        }

        return end % STEP === 0 ? this.#starts[end / STEP] ?? this.#length : this.#length;
    }
}
