/**
 * Character mask filter: a signature says which letters a term has, and how many. One edit changes at most two bits of the mask and
 * the length by one, so comparing signatures rules out nearly all terms that are not similar to a word.
 *
 * Terms are grouped by the letters that about half of them have; groups whose letters differ too much from those of the word are
 * skipped as a whole.
 */

import type { Deadline } from '../../query/query-deadline.js';
import { countOnes } from '../../docset/bit-set.js';
import { groupBy } from '../../docset/counting-sort.js';
import { letterAt, STEPS_PER_CHECK } from '../../analysis/term-bytes.js';
import type { SortedTerms } from '../../analysis/term-bytes.js';

/** Bits of the letter mask; the remaining bits hold the length. */
const LETTER_BITS = 26;
const LETTERS = 2 ** LETTER_BITS - 1;
/** Maximum length in a signature; greater ones are stored as this. */
const MAX_LENGTH = 63;

/** Average size of a group, as a power of two, and maximum number of letters that groups are made by. */
const GROUP_POWER = 3;
const MAX_GROUP_BITS = 14;

export class LetterMaskIndex {

    /** Terms, sorted by group. */
    readonly #terms: Uint32Array;
    /** Signature of each of these. */
    readonly #signatures: Uint32Array;
    /** Start of each group, and the end of the last. */
    readonly #starts: Uint32Array;
    /** Bits of the signature that groups are made by. */
    readonly #letters: readonly number[];

    constructor(terms: SortedTerms) {

        const signatures = signaturesOf(terms);
        const letters = discriminatingLetters(signatures);
        const { members, starts } = groupBy(signatures.map((signature) => groupOf(signature, letters)), 2 ** letters.length);
        this.#terms = members;
        this.#signatures = members.map((term) => signatures[term] as number);
        this.#starts = starts;
        this.#letters = letters;
    }

    get bytes(): number {

        return this.#terms.byteLength + this.#signatures.byteLength + this.#starts.byteLength;
    }

    /** Visits a superset of the terms within `edits` of the word: no order, with false positives. */
    forEachCandidate(word: readonly number[], { edits, deadline }: { edits: number; deadline: Deadline }, visit: (term: number) => void): void {

        const target = signature(word.reduce((bits, letter) => bits | bitOf(letter), 0), word.length);
        const [length, most] = [target >>> LETTER_BITS, 2 * edits];
        const [starts, signatures] = [this.#starts, this.#signatures];
        const group = groupOf(target, this.#letters);
        let visited = 0;
        for (const difference of differences(this.#letters.length, most)) {
            const end = starts[(group ^ difference) + 1] as number;
            for (let i = starts[group ^ difference] as number; i < end; ++i) {
                if (++visited % STEPS_PER_CHECK === 0) {
                    deadline.check();
                }

                const candidate = signatures[i] as number;
                const longer = (candidate >>> LETTER_BITS) - length;
                if (longer <= edits && -longer <= edits && countOnes((candidate ^ target) & LETTERS) <= most) {
                    visit(this.#terms[i] as number);
                }
            }
        }
    }
}

function signaturesOf({ bytes, starts, ends, count }: SortedTerms): Uint32Array {

    const signatures = new Uint32Array(count);
    for (let term = 0; term < count; ++term) {
        const end = ends[term] as number;
        let letters = 0;
        let length = 0;
        for (let at = starts[term] as number; at < end; ++length) {
            const byte = bytes[at] as number;
            if (byte < 0x80) {
                letters |= bitOf(byte);
                ++at;
            }
            else {
                const found = letterAt(bytes, at);
                letters |= bitOf(found.letter);
                at += found.length;
            }
        }

        signatures[term] = signature(letters, length);
    }

    return signatures;
}

/** Returns the bits that discriminate best: those set in nearly half of the signatures. */
function discriminatingLetters(signatures: Uint32Array): number[] {

    const bits = Math.min(Math.max(Math.floor(Math.log2(signatures.length)) - GROUP_POWER, 0), MAX_GROUP_BITS);
    const counts = new Array<number>(LETTER_BITS).fill(0);
    for (const candidate of signatures) {
        for (let letters = candidate & LETTERS; letters !== 0; letters &= letters - 1) {
            const i = 31 - Math.clz32(letters & -letters);
            counts[i] = (counts[i] ?? 0) + 1;
        }
    }

    return counts.map((count, i) => ({ place: i, distance: Math.abs(count - signatures.length / 2) }))
        .sort((a, b) => a.distance - b.distance).slice(0, bits).map(({ place: i }) => i);
}

function groupOf(candidate: number, letters: readonly number[]): number {

    let group = 0;
    for (let i = 0; i < letters.length; ++i) {
        group |= (candidate >>> (letters[i] as number) & 1) << i;
    }

    return group;
}

const DIFFERENCES = new Map<number, Uint32Array>();

/** Returns all numbers below `2 ** bits` with at most `most` bits set. */
function differences(bits: number, most: number): Uint32Array {

    const key = bits << 8 | most;
    const cached = DIFFERENCES.get(key) ?? Uint32Array.from({ length: 2 ** bits }, (_, i) => i).filter((number) => countOnes(number) <= most);
    DIFFERENCES.set(key, cached);
    return cached;
}

function signature(letters: number, length: number): number {

    return (letters | Math.min(length, MAX_LENGTH) << LETTER_BITS) >>> 0;
}

function bitOf(letter: number): number {

    return 1 << letter % LETTER_BITS;
}
