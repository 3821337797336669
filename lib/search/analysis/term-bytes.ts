/**
 * Sorted terms in one array of bytes, with binary search and decoding of UTF-8.
 */

import { firstPassing } from '../../util/binary-search.js';

/** Terms as UTF-8, sorted by their bytes. */
export interface SortedTerms {
    readonly bytes: Uint8Array;
    /** Start offset of each term; may have more than `count` elements. */
    readonly starts: Uint32Array;
    /** End offset of each term; may have more than `count` elements. */
    readonly ends: Uint32Array;
    readonly count: number;
}

/** Interval, in steps, at which loops over terms check the deadline. */
export const STEPS_PER_CHECK = 4096;

/** Returns the first term that is not less than the bytes; `count` when there is none. */
export function firstFrom({ bytes, starts, ends, count }: SortedTerms, target: Uint8Array): number {

    return firstPassing(0, count, (term) => !isBefore(bytes, starts[term] as number, ends[term] as number, target));
}

/** Returns the first term after all those with the prefix; `count` when there is none. */
export function firstAfter({ bytes, starts, ends, count }: SortedTerms, prefix: Uint8Array): number {

    return firstPassing(0, count, (term) => {

        const start = starts[term] as number;
        const end = Math.min(ends[term] as number, start + prefix.length);
        return !isBefore(bytes, start, end, prefix) && !startsWith(bytes, start, end, prefix);
    });
}

/** Returns whether the bytes from `start` to `end` begin with the prefix. */
export function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {

    if (end - start < prefix.length) {
        return false;
    }

    for (let i = 0; i < prefix.length; ++i) {
        if (bytes[start + i] !== prefix[i]) {
            return false;
        }
    }

    return true;
}

/** Returns whether a byte is a continuation byte of UTF-8. */
export function isInside(byte: number | undefined): boolean {

    return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns the code point encoded at an offset, and its length in bytes. */
export function letterAt(bytes: Uint8Array, at: number): { letter: number; length: number } {

    const first = bytes[at] as number;
    if (first < 0x80) {
        return { letter: first, length: 1 };
    }

    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let letter = first & 0xff >> length + 1;
    for (let i = 1; i < length; ++i) {
        letter = letter << 6 | (bytes[at + i] ?? 0) & 0x3f;
    }

    return { letter, length };
}

/** Returns whether the bytes from `start` to `end` sort before others. */
export function isBefore(bytes: Uint8Array, start: number, end: number, other: Uint8Array): boolean {

    const length = Math.min(end - start, other.length);
    for (let i = 0; i < length; ++i) {
        const difference = (bytes[start + i] as number) - (other[i] as number);
        if (difference !== 0) {
            return difference < 0;
        }
    }

    return end - start < other.length;
}
