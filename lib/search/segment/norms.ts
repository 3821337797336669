/**
 * Norms: the number of words of a field in one byte. Exact up to 40, then in growing steps, accurate to 7 percent.
 */

import { firstPassing } from '../../util/binary-search.js';

const EXACT = 40;

const DECODED = buildTable();

/** Encodes a length, rounded down; 0 is no words. */
export function encodeLength(length: number): number {

    if (length <= EXACT) {
        return length;
    }

    // The largest step that does not exceed the length
    return firstPassing(EXACT + 1, DECODED.length, (byte) => (DECODED[byte] ?? 0) > length) - 1;
}

/** Returns the length that a byte stands for. */
export function decodeLength(byte: number): number {

    return DECODED[byte] ?? 0;
}

function buildTable(): Float64Array {

    const table = new Float64Array(256);
    for (let byte = 1; byte < 256; ++byte) {
        const before = table[byte - 1] ?? 0;
        table[byte] = byte <= EXACT ? byte : Math.max(before + 1, Math.floor(before * 1.07));
    }

    return table;
}
