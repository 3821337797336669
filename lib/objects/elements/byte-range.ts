/**
 * Ranges of bytes, resolved against the size of what they are taken from.
 */

import { rangeNotSatisfiable } from '../../errors/errors.js';

/** A part of some bytes; both ends are counted from 0 and belong to it. */
export interface ByteRange {
    readonly start: number;
    readonly end: number;
}

/**
 * The range that a request means, or null for all bytes. Only `end` means the last `end` bytes; an end beyond the size is
 * cut; a range of nothing at all is ignored.
 *
 * @throws DoipError 400 (416 over HTTP) when no requested byte exists
 */
export function resolveRange(wanted: { readonly start?: number; readonly end?: number }, size: number): ByteRange | null {

    if (size === 0) {
        return null;
    }

    const { start, end } = wanted;
    const range = start === undefined ?
        { start: Math.max(0, size - (end ?? 0)), end: size - 1 } :
        { start, end: Math.min(end ?? size - 1, size - 1) };
    if (range.start >= size || range.end < range.start) {
        throw rangeNotSatisfiable(size);
    }

    return range;
}
