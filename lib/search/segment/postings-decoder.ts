/**
 * Decodes postings; layout in format.ts.
 */

import type { Bits } from '../docset/bit-set.js';
import { SINGLE } from './format.js';

/** Adds `count` documents, encoded from an offset on, to a bit set. */
export function addPostings(bits: Bits, count: number, bytes: Uint8Array, start: number): void {

    let at = start;
    let document = 0;
    for (let i = 0; i < count; ++i) {
        let value = bytes[at++] as number;
        if (value > 127) {
            let byte = bytes[at++] as number;
            value = value & 127 | (byte & 127) << 7;
            for (let shift = 14; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }
        }

        if ((value & 1) === 0) {
            while ((bytes[at++] as number) > 127) {
                // Skips the frequency.
            }
        }

        document += value >>> 1;
        bits[document >>> 5] = (bits[document >>> 5] as number) | 1 << (document & 31);
    }
}

/** Like {@link addPostings}, into a list from an index on. The loop is repeated because a call for each document would double the time. */
export function listPostings(list: Uint32Array, offset: number, { count, bytes, start }: { count: number; bytes: Uint8Array; start: number }): void {

    let at = start;
    let document = 0;
    for (let i = 0; i < count; ++i) {
        let value = bytes[at++] as number;
        if (value > 127) {
            let byte = bytes[at++] as number;
            value = value & 127 | (byte & 127) << 7;
            for (let shift = 14; byte > 127; shift += 7) {
                byte = bytes[at++] as number;
                value |= (byte & 127) << shift;
            }
        }

        if ((value & 1) === 0) {
            while ((bytes[at++] as number) > 127) {
                // Skips the frequency.
            }
        }

        document += value >>> 1;
        list[offset + i] = document;
    }
}

/** Sampling interval, in entries. */
const STEP = 64;

/** Finds the end offset of postings, which is not stored. */
export class PostingsEndIndex {

    readonly #entryPost: Uint32Array;
    readonly #length: number;
    /** Start offset of the first non-empty postings at or after every 64th entry (sampled index). */
    readonly #starts: Uint32Array;

    /**
     * @param length bytes of all postings
     */
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

    /** Returns the memory for an index of a number of entries, in bytes. */
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
