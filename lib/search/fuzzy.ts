/**
 * Fuzzy words: the terms within few edits of a word.
 */

import type { Deadline } from './deadline.js';
import { letterAt, PATIENCE, startsWith } from './sorted-terms.js';
import type { SortedTerms } from './sorted-terms.js';

/** Terms that differ from a word by few edits: a letter more, less or other, or two neighbours swapped. */
export function fuzzyTerms(space: SortedTerms, word: string, edits: number, deadline: Deadline): number[] {

    return new FuzzyWalk(space, word, edits, deadline).run();
}

/**
 * Walks the sorted terms as a tree of their common beginnings, with one row of edit distances for every letter, and leaves out
 * whatever begins too differently.
 */
class FuzzyWalk {

    readonly #space: SortedTerms;
    readonly #letters: readonly number[];
    readonly #edits: number;
    readonly #deadline: Deadline;
    readonly #found: number[] = [];

    constructor(space: SortedTerms, word: string, edits: number, deadline: Deadline) {

        this.#space = space;
        this.#letters = Array.from(word, (letter) => letter.codePointAt(0) ?? 0);
        this.#edits = edits;
        this.#deadline = deadline;
    }

    run(): number[] {

        const { terms, termAt, termCount } = this.#space;
        const width = this.#letters.length + 1;
        // Row d holds the distances of the first d letters of a term to all beginnings of the word.
        const rows: Uint16Array[] = [Uint16Array.from({ length: width }, (_, i) => i)];
        const path: number[] = [];
        // Byte offsets in the term at which the letters of the path end.
        const ends: number[] = [];
        let term = 0;
        let steps = 0;
        while (term < termCount) {
            if (++steps % PATIENCE === 0) {
                this.#deadline.check();
            }

            const [start, end] = [termAt[term] as number, termAt[term + 1] as number];
            let depth = this.#sharedDepth(term, path, ends);
            let at = depth === 0 ? 0 : ends[depth - 1] as number;
            let isDead = false;
            while (start + at < end) {
                const { letter, length } = letterAt(terms, start + at);
                at += length;
                path[depth] = letter;
                ends[depth] = at;
                const best = this.#row(rows, path, depth);
                ++depth;
                if (best > this.#edits) {
                    isDead = true;
                    break;
                }
            }

            path.length = depth;
            ends.length = depth;
            if (isDead) {
                term = this.#afterPrefix(term, start, at);
                continue;
            }

            const distance = (rows[depth] as Uint16Array)[width - 1] as number;
            if (distance === 0 || distance <= this.#edits && distance < Math.min(depth, this.#letters.length)) {
                this.#found.push(term);
            }

            ++term;
        }

        return this.#found;
    }

    /** How many letters of the path the term begins with. */
    #sharedDepth(term: number, path: readonly number[], ends: readonly number[]): number {

        const { terms, termAt } = this.#space;
        const [start, end] = [termAt[term] as number, termAt[term + 1] as number];
        let at = start;
        let depth = 0;
        while (depth < path.length && at < end && start + (ends[depth] as number) <= end) {
            const { letter, length } = letterAt(terms, at);
            if (letter !== path[depth]) {
                break;
            }

            at += length;
            ++depth;
        }

        return depth;
    }

    /** Computes the row after one more letter; returns its smallest distance (with the row before, because of swaps). */
    #row(rows: Uint16Array[], path: readonly number[], depth: number): number {

        const letters = this.#letters;
        const letter = path[depth];
        const above = rows[depth] as Uint16Array;
        const row = rows[depth + 1] ??= new Uint16Array(letters.length + 1);
        row[0] = depth + 1;
        let best = depth + 1;
        for (let i = 1; i <= letters.length; ++i) {
            const isSame = letters[i - 1] === letter;
            let distance = Math.min((above[i - 1] as number) + (isSame ? 0 : 1), (above[i] as number) + 1, (row[i - 1] as number) + 1);
            if (i > 1 && depth > 0 && letters[i - 2] === letter && letters[i - 1] === path[depth - 1]) {
                distance = Math.min(distance, ((rows[depth - 1] as Uint16Array)[i - 2] as number) + 1);
            }

            row[i] = distance;
            best = Math.min(best, distance);
        }

        // A swap can make good what the last letter has spoilt.
        return Math.min(best, Math.min(...above) + 1 <= this.#edits ? this.#edits : best);
    }

    /** The first term after all that begin with the first `length` bytes of this one. */
    #afterPrefix(term: number, start: number, length: number): number {

        const { terms } = this.#space;
        const prefix = terms.slice(start, start + length);
        // Most often it is the next one.
        const next = term + 1;
        if (next >= this.#space.termCount || !this.#startsWith(next, prefix)) {
            return next;
        }

        let low = next;
        let step = 1;
        while (low + step < this.#space.termCount && this.#startsWith(low + step, prefix)) {
            low += step;
            step *= 2;
        }

        let high = Math.min(low + step, this.#space.termCount);
        while (low + 1 < high) {
            const middle = (low + high) >>> 1;
            if (this.#startsWith(middle, prefix)) {
                low = middle;
            }
            else {
                high = middle;
            }
        }

        return high;
    }

    #startsWith(term: number, prefix: Uint8Array): boolean {

        const { terms, termAt } = this.#space;
        return startsWith(terms, termAt[term] as number, termAt[term + 1] as number, prefix);
    }
}
