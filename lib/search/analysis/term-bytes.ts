/**
 * Sorted texts in one run of bytes, and the small questions that everybody asks of them.
 */


/** Texts as UTF-8, sorted by their bytes. */
export interface SortedTerms {
    readonly bytes: Uint8Array;
    /** Where each begins. */
    readonly starts: Uint32Array;
    /** Where each ends; maybe longer. */
    readonly ends: Uint32Array;
    readonly count: number;
}

/** Steps of a walk through terms between two looks at the clock. */
export const STEPS_PER_CHECK = 4096;

/** The first term that is not before these bytes; the number of terms when there is none. */
export function firstFrom({ bytes, starts, ends, count }: SortedTerms, wanted: Uint8Array): number {

    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBefore(bytes, starts[middle] as number, ends[middle] as number, wanted)) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}

/** The first term after all that begin with these bytes. */
export function firstAfter({ bytes, starts, ends, count }: SortedTerms, prefix: Uint8Array): number {

    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        const start = starts[middle] as number;
        const end = Math.min(ends[middle] as number, start + prefix.length);
        if (isBefore(bytes, start, end, prefix) || startsWith(bytes, start, end, prefix)) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }

    return low;
}

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

/** Does the text from `start` to `end` come before another? */
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
