/**
 * Wildcard patterns, matched against UTF-8 without decoding it and without backtracking over wildcards: time is linear in the text.
 */

import { isInside, startsWith } from '../analysis/term-bytes.js';

/** A compiled pattern: runs of bytes in order, with wildcards between. */
export class Glob {

    /** Runs between the `many` wildcards; in a run, `null` stands for one character. */
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

    /** Returns whether a text matches: the first run at its start, the last at its end, the others between, each as early as possible. */
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

/** Returns the end of a run that starts at `start`; -1 when it does not. */
function runEnd(run: readonly (Uint8Array | null)[], bytes: Uint8Array, start: number, end: number): number {

    let at = start;
    for (const unit of run) {
        if (unit === null) {
            if (at >= end) {
                return -1;
            }

            do {
                ++at;
            }
            while (at < end && isInside(bytes[at]));
        }
        else {
            if (!startsWith(bytes, at, end, unit)) {
                return -1;
            }

            at += unit.length;
        }
    }

    return at;
}

/** Returns the end of the first occurrence of a run at or after `start`; -1 when there is none. */
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

/** Returns whether the run is at the end of the text, not before `start`. */
function endsWithRun(run: readonly (Uint8Array | null)[], bytes: Uint8Array, start: number, end: number): boolean {

    let at = end;
    for (let i = run.length - 1; i >= 0; --i) {
        const unit = run[i] ?? null;
        if (unit === null) {
            do {
                --at;
            }
            while (at > start && isInside(bytes[at]));
        }
        else {
            at -= unit.length;
            if (at >= start && !startsWith(bytes, at, end, unit)) {
                return false;
            }
        }

        if (at < start) {
            return false;
        }
    }

    return true;
}
