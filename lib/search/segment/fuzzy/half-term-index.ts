/**
 * Partition (pigeonhole) index for one edit: it leaves at least one half of a term unchanged, at its end of the word, unless it
 * transposes the two letters in the middle. So candidates share their first or their last half with the word, and are found by the
 * hash of that half.
 */

import type { Deadline } from '../../query/query-deadline.js';
import { groupBy } from '../../docset/counting-sort.js';
import { letterAt } from '../../analysis/term-bytes.js';
import type { SortedTerms } from '../../analysis/term-bytes.js';

const FIRST = 0;
const LAST = 1;

/** Parameters of the hash, FNV-1a. */
const HASH_START = 0x811c_9dc5;
const HASH_FACTOR = 0x0100_0193;

export class HalfTermIndex {

    /** Terms by hash of a half; each occurs twice. */
    readonly #terms: Uint32Array;
    /** Start of each hash bucket, and the end of the last. */
    readonly #starts: Uint32Array;
    readonly #mask: number;

    constructor(terms: SortedTerms) {

        const hashes = hashesOf(terms);
        const count = 2 ** Math.ceil(Math.log2(Math.max(hashes.length, 1)));
        this.#mask = count - 1;
        const { members, starts } = groupBy(hashes.map((hash) => hash & this.#mask), count);
        this.#terms = members.map((half) => half >>> 1);
        this.#starts = starts;
    }

    get bytes(): number {

        return this.#terms.byteLength + this.#starts.byteLength;
    }

    /** Visits a superset of the terms within one edit of the word: no order, with duplicates and false positives. */
    forEachCandidate(word: readonly number[], { deadline }: { deadline: Deadline }, visit: (term: number) => void): void {

        const length = word.length;
        for (let other = Math.max(length - 1, 1); other <= length + 1; ++other) {
            deadline.check();
            const half = other >>> 1;
            if (half <= length) {
                this.#forEach(hashOf(FIRST, other, word, 0, half), visit);
            }

            const rest = other - half;
            if (rest <= length) {
                this.#forEach(hashOf(LAST, other, word, length - rest, length), visit);
            }
        }

        const middle = length >>> 1;
        if (middle > 0) {
            const swapped = word.slice(0, middle);
            swapped[middle - 1] = word[middle] as number;
            this.#forEach(hashOf(FIRST, length, swapped, 0, middle), visit);
        }
    }

    #forEach(hash: number, visit: (term: number) => void): void {

        const end = this.#starts[(hash & this.#mask) + 1] as number;
        for (let i = this.#starts[hash & this.#mask] as number; i < end; ++i) {
            visit(this.#terms[i] as number);
        }
    }
}

/** Returns the hashes of the first and the last half of each term, alternating. */
function hashesOf({ bytes, starts, ends, count }: SortedTerms): Uint32Array {

    const hashes = new Uint32Array(count * 2);
    const letters: number[] = [];
    for (let term = 0; term < count; ++term) {
        let length = 0;
        const end = ends[term] as number;
        for (let at = starts[term] as number; at < end;) {
            const found = letterAt(bytes, at);
            letters[length++] = found.letter;
            at += found.length;
        }

        const half = length >>> 1;
        hashes[term * 2] = hashOf(FIRST, length, letters, 0, half);
        hashes[term * 2 + 1] = hashOf(LAST, length, letters, half, length);
    }

    return hashes;
}

/** Hashes the letters from `start` to `end` as the first or last half of a term with `length` letters. */
function hashOf(which: number, length: number, letters: readonly number[], start: number, end: number): number {

    let hash = Math.imul(HASH_START ^ (length << 1 | which), HASH_FACTOR);
    for (let i = start; i < end; ++i) {
        hash = Math.imul(hash ^ (letters[i] as number), HASH_FACTOR);
    }

    return (hash ^ hash >>> 15) >>> 0;
}
