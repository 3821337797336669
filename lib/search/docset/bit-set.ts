/**
 * Bit sets: sets of documents of one segment.
 */

/** Words of 32 bits. */
export type Bits = Uint32Array;

/** Returns an empty set for a segment with this number of documents. */
export function emptyBits(documents: number): Bits {

    return new Uint32Array((documents + 31) >>> 5);
}

/** Returns the set of all documents. */
export function fullBits(documents: number): Bits {

    const bits = emptyBits(documents).fill(0xffff_ffff);
    const rest = documents & 31;
    if (rest !== 0) {
        bits[bits.length - 1] = 2 ** rest - 1;
    }

    return bits;
}

export function setBit(bits: Bits, document: number): void {

    const word = document >>> 5;
    bits[word] = (bits[word] ?? 0) | 1 << (document & 31);
}

export function hasBit(bits: Bits, document: number): boolean {

    return ((bits[document >>> 5] ?? 0) >>> (document & 31) & 1) === 1;
}

/** Adds the first `count` documents of a list. */
export function setBits(bits: Bits, documents: Uint32Array, count: number): void {

    for (let i = 0; i < count; ++i) {
        const document = documents[i] as number;
        bits[document >>> 5] = (bits[document >>> 5] as number) | 1 << (document & 31);
    }
}

/** Removes the documents of a list. */
export function clearBits(bits: Bits, documents: Uint32Array): void {

    for (const document of documents) {
        bits[document >>> 5] = (bits[document >>> 5] as number) & ~(1 << (document & 31));
    }
}

/** Intersects `bits` with `other` in place; returns false when the result is empty. */
export function andBits(bits: Bits, other: Bits): boolean {

    let any = 0;
    for (let i = 0; i < bits.length; ++i) {
        const word = (bits[i] as number) & (other[i] as number);
        bits[i] = word;
        any |= word;
    }

    return any !== 0;
}

/** Adds the documents of `other` to `bits`. */
export function orBits(bits: Bits, other: Bits): void {

    for (let i = 0; i < bits.length; ++i) {
        bits[i] = (bits[i] as number) | (other[i] as number);
    }
}

/** Removes the documents of `other` from `bits`. */
export function andNotBits(bits: Bits, other: Bits): void {

    for (let i = 0; i < bits.length; ++i) {
        bits[i] = (bits[i] as number) & ~(other[i] as number);
    }
}

/** Returns the size of a set. */
export function countBits(bits: Bits): number {

    let count = 0;
    for (let i = 0; i < bits.length; ++i) {
        count += countOnes(bits[i] as number);
    }

    return count;
}

/** Returns the size of the intersection. */
export function countCommon(a: Bits, b: Bits): number {

    let count = 0;
    for (let i = 0; i < a.length; ++i) {
        count += countOnes((a[i] as number) & (b[i] as number));
    }

    return count;
}

/** Visits all documents in ascending order. */
export function forEachBit(bits: Bits, visit: (document: number) => void): void {

    for (let i = 0; i < bits.length; ++i) {
        let word = bits[i] as number;
        while (word !== 0) {
            visit(i * 32 + 31 - Math.clz32(word & -word));
            word &= word - 1;
        }
    }
}

/** Writes the documents into a list, ascending; returns their number. */
export function listBits(bits: Bits, into: Uint32Array): number {

    let count = 0;
    for (let i = 0; i < bits.length; ++i) {
        let word = bits[i] as number;
        while (word !== 0) {
            into[count++] = i * 32 + 31 - Math.clz32(word & -word);
            word &= word - 1;
        }
    }

    return count;
}

/** Returns the number of bits that are set in a word. */
export function countOnes(word: number): number {

    let sum = word - (word >>> 1 & 0x5555_5555);
    sum = (sum & 0x3333_3333) + (sum >>> 2 & 0x3333_3333);
    return Math.imul(sum + (sum >>> 4) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
