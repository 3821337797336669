/**
 * Fuzzy matching: the terms within an edit distance of a word.
 */

import type { Deadline } from '../../query/query-deadline.js';
import { letterAt } from '../../analysis/term-bytes.js';
import type { SortedTerms } from '../../analysis/term-bytes.js';
import { HalfTermIndex } from './half-term-index.js';
import { LetterMaskIndex } from './letter-mask-index.js';

/** Index that narrows down the terms similar to a word. */
export interface Candidates {
    readonly bytes: number;
    /** Visits a superset of the terms within `edits` of the word: no order; duplicates and false positives are allowed. */
    forEachCandidate(word: readonly number[], options: { edits: number; deadline: Deadline }, visit: (term: number) => void): void;
}

/** Builds the index of candidates for up to `edits` edits. */
export function candidatesOf(terms: SortedTerms, edits: number): Candidates {

    return edits > 1 ? new LetterMaskIndex(terms) : new HalfTermIndex(terms);
}

/** Visits each term within `edits` (1 or 2) of a word, once. An edit inserts, deletes or replaces a letter, or transposes two. */
export function forEachSimilar(
    terms: SortedTerms, candidates: Candidates, { word, edits, deadline }: { word: string; edits: number; deadline: Deadline },
    visit: (term: number) => void
): void {

    const letters = Array.from(word, (letter) => letter.codePointAt(0) ?? 0);
    const buffer: number[] = [];
    const reported = new Set<number>();
    candidates.forEachCandidate(letters, { edits, deadline }, (term) => {

        readLetters(terms, term, buffer);
        const distance = Math.abs(buffer.length - letters.length) > edits ? Infinity : distanceOf(letters, buffer, edits);
        if (distance <= edits && !reported.has(term)) {
            reported.add(term);
            visit(term);
        }
    });
}

function readLetters({ bytes, starts, ends }: SortedTerms, term: number, letters: number[]): void {

    const end = ends[term] as number;
    let count = 0;
    for (let at = starts[term] as number; at < end; ++count) {
        const { letter, length } = letterAt(bytes, at);
        letters[count] = letter;
        at += length;
    }

    if (letters.length !== count) {
        letters.length = count;
    }
}

/**
 * Returns the edit distance, or any number greater than `most` (1 or 2). The common prefix and suffix are stripped first: most
 * pairs differ in one place, so that few need the table.
 */
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

/** Optimal string alignment distance by dynamic programming: insertion, deletion, substitution, transposition of neighbours. */
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
