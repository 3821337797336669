/**
 * Going through the bytes of postings.
 */

import type { Bits } from '../docset/bit-set.js';
import { SINGLE } from './format.js';

/** Sets the bits of documents whose postings begin at a place. */
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
                // How often it occurs does not matter.
            }
        }

        document += value >>> 1;
        bits[document >>> 5] = (bits[document >>> 5] as number) | 1 << (document & 31);
    }
}

/** The same into a list, from a place of it on. The loop stands here again because a call for each document would take as long as all the rest. */
export function listPostings(list: Uint32Array, place: number, { count, bytes, start }: { count: number; bytes: Uint8Array; start: number }): void {

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
                // How often it occurs does not matter.
            }
        }

        document += value >>> 1;
        list[place + i] = document;
    }
}

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
