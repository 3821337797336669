/**
 * Sorted texts in one run of bytes, and the small questions that everybody asks of them.
 */

/** Terms as UTF-8, one after the other in the order of their bytes. */
export interface SortedTerms {
    readonly terms: Uint8Array;
    /** Where each begins; one more for the end of the last. */
    readonly termAt: Uint32Array;
    readonly termCount: number;
    /** The first term that is not before these bytes. */
    lowerBound(bytes: Uint8Array): number;
}

/** Steps of a walk through terms between two looks at the clock. */
export const PATIENCE = 4096;

/** Do the bytes from `start` to `end` begin with these? */
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

/** True for a byte of UTF-8 that is not the first of its letter. */
export function isInside(byte: number | undefined): boolean {

    return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The letter whose UTF-8 begins at a byte, and how many bytes it has. */
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
