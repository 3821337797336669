/**
 * Patterns with wildcards, matched against UTF-8 without decoding it and without ever going back: no pattern takes more than linear
 * time.
 */

import { isInside, startsWith } from '../analysis/term-bytes.js';

/** Bytes that must appear in this order, with wildcards between. */
export class Glob {

    /** Texts between the wildcards for many letters; within them `null` stands for one letter. */
    readonly #runs: (Uint8Array | null)[][] = [[]];

    constructor(parts: readonly ({ readonly text: Uint8Array } | { readonly wildcard: 'one' | 'many' })[]) {

        for (const part of parts) {
            if ('text' in part) {
                this.#runs.at(-1)?.push(part.text);
            }
            else if (part.wildcard === 'one') {
                this.#runs.at(-1)?.push(null);
            }
            else {
                this.#runs.push([]);
            }
        }
    }

    /** The first run must be at the beginning, the last at the end, the others anywhere between, each as early as can be. */
    matches(bytes: Uint8Array, start: number, end: number): boolean {

        const runs = this.#runs;
        const [first = []] = runs;
        let at = runEnd(first, bytes, start, end);
        if (at === -1 || runs.length === 1) {
            return at === end;
        }

        for (let i = 1; i < runs.length - 1; ++i) {
            at = findRun(runs[i] as (Uint8Array | null)[], bytes, at, end);
            if (at === -1) {
                return false;
            }
        }

        return endsWithRun(runs.at(-1) ?? [], bytes, at, end);
    }
}

/** Where a run ends that begins at `start`; -1 when it is not there. */
function runEnd(run: readonly (Uint8Array | null)[], bytes: Uint8Array, start: number, end: number): number {

    let at = start;
    for (const piece of run) {
        if (piece === null) {
            if (at >= end) {
                return -1;
            }

            do {
                ++at;
            }
            while (at < end && isInside(bytes[at]));
        }
        else {
            if (!startsWith(bytes, at, end, piece)) {
                return -1;
            }

            at += piece.length;
        }
    }

    return at;
}

/** Where the first occurrence of a run at or after `start` ends; -1 when there is none. */
function findRun(run: readonly (Uint8Array | null)[], bytes: Uint8Array, start: number, end: number): number {

    for (let at = start; at <= end; ++at) {
        if (at === end || !isInside(bytes[at])) {
            const found = runEnd(run, bytes, at, end);
            if (found !== -1) {
                return found;
            }
        }
    }

    return -1;
}

/** Is the run at the very end, not before `start`? */
function endsWithRun(run: readonly (Uint8Array | null)[], bytes: Uint8Array, start: number, end: number): boolean {

    let at = end;
    for (let i = run.length - 1; i >= 0; --i) {
        const piece = run[i] ?? null;
        if (piece === null) {
            do {
                --at;
            }
            while (at > start && isInside(bytes[at]));
        }
        else {
            at -= piece.length;
            if (at >= start && !startsWith(bytes, at, end, piece)) {
                return false;
            }
        }

        if (at < start) {
            return false;
        }
    }

    return true;
}
