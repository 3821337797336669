/**
 * Fuzzy words: the terms within few edits of a word.
 *
 * Every term has a signature: which letters it has, and how many. One edit changes at most two letters of the first and one of the
 * second, so a look at the signature rules out nearly all terms.
 */

import type { Deadline } from './deadline.js';
import { letterAt, PATIENCE } from './sorted-terms.js';
import type { SortedTerms } from './sorted-terms.js';

/** Bits for letters; the others have the length. */
const LETTER_BITS = 26;
const LETTERS = 2 ** LETTER_BITS - 1;
/** All greater lengths are as good as this. */
const MOST_LENGTH = 63;

/** The signatures of terms. */
export function signaturesOf({ bytes, starts, ends, count }: SortedTerms): Uint32Array {

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

/**
 * Tells the terms that differ from a word by few edits (at most 2): a letter more, less or other, or two neighbours swapped. A term
 * that is not the same needs fewer edits than the shorter of both has letters.
 */
export function forEachSimilar(
    terms: SortedTerms, signatures: Uint32Array, { word, edits, deadline }: { word: string; edits: number; deadline: Deadline },
    visit: (term: number) => void
): void {

    const letters = Array.from(word, (letter) => letter.codePointAt(0) ?? 0);
    const wanted = signature(letters.reduce((bits, letter) => bits | bitOf(letter), 0), letters.length);
    const wantedLength = wanted >>> LETTER_BITS;
    const buffer: number[] = [];
    for (let term = 0; term < terms.count; ++term) {
        if (term % PATIENCE === 0) {
            deadline.check();
        }

        const own = signatures[term] as number;
        const longer = (own >>> LETTER_BITS) - wantedLength;
        if (longer > edits || -longer > edits || countOnes((own ^ wanted) & LETTERS) > 2 * edits) {
            continue;
        }

        readLetters(terms, term, buffer);
        if (Math.abs(buffer.length - letters.length) > edits) {
            continue;
        }

        const distance = distanceOf(letters, buffer, edits);
        if (distance === 0 || distance <= edits && distance < Math.min(letters.length, buffer.length)) {
            visit(term);
        }
    }
}

function signature(letters: number, length: number): number {

    return (letters | Math.min(length, MOST_LENGTH) << LETTER_BITS) >>> 0;
}

function bitOf(letter: number): number {

    return 1 << letter % LETTER_BITS;
}

function countOnes(word: number): number {

    let sum = word - (word >>> 1 & 0x5555_5555);
    sum = (sum & 0x3333_3333) + (sum >>> 2 & 0x3333_3333);
    return Math.imul(sum + (sum >>> 4) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function readLetters({ bytes, starts, ends }: SortedTerms, term: number, letters: number[]): void {

    letters.length = 0;
    const end = ends[term] as number;
    for (let at = starts[term] as number; at < end;) {
        const { letter, length } = letterAt(bytes, at);
        letters.push(letter);
        at += length;
    }
}

/** Number of edits, or any greater number than `most`. */
function distanceOf(a: readonly number[], b: readonly number[], most: number): number {

    let start = 0;
    let [endA, endB] = [a.length, b.length];
    while (start < endA && start < endB && a[start] === b[start]) {
        ++start;
    }

    while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
        --endA;
        --endB;
    }

    const [restA, restB] = [endA - start, endB - start];
    if (restA === 0 || restB === 0) {
        return restA + restB;
    }

    if (restA === 1 && restB === 1) {
        return 1;
    }

    if (restA === 2 && restB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start]) {
        return 1;
    }

    return most === 1 ? 2 : tableDistance(a.slice(start, endA), b.slice(start, endB));
}

/** Edits by the textbook: insert, delete, replace, swap neighbours. */
function tableDistance(a: readonly number[], b: readonly number[]): number {

    let before = new Array<number>(b.length + 1).fill(0);
    let above = Array.from(before, (_, i) => i);
    for (let i = 1; i <= a.length; ++i) {
        const row = [i];
        for (let j = 1; j <= b.length; ++j) {
            let distance = Math.min(
                (above[j - 1] as number) + Number(a[i - 1] !== b[j - 1]), (above[j] as number) + 1, (row[j - 1] as number) + 1
            );
            if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
                distance = Math.min(distance, (before[j - 2] as number) + 1);
            }

            row.push(distance);
        }

        before = above;
        above = row;
    }

    return above[b.length] as number;
}
