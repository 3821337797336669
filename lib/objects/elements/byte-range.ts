/**
 * Byte ranges, resolved against the size of the data.
 */

import { rangeNotSatisfiable } from '../../errors/errors.js';

/** A byte range; 0-based, both ends inclusive. */
export interface ByteRange {
    readonly start: number;
    readonly end: number;
}

/**
 * Returns the requested range, or null for all bytes, which a range without ends means. `end` alone means the last `end` bytes, of empty
 * data all; an `end` beyond the size is clipped.
 *
 * @throws DoipError 400 (416 over HTTP) if no requested byte exists
 */
export function resolveRange(requested: { readonly start?: number; readonly end?: number }, size: number): ByteRange | null {

    const { start, end } = requested;
    if (start === undefined && (end === undefined || size === 0)) {
        return null;
    }

    const range = start === undefined ?
        { start: Math.max(0, size - (end ?? 0)), end: size - 1 } :
        { start, end: Math.min(end ?? size - 1, size - 1) };
    if (range.start >= size || range.end < range.start) {
        throw rangeNotSatisfiable(size);
    }

    return range;
}
