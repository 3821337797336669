/**
 * From a range or a pattern to the terms that it describes.
 */

import { encodeText } from '../segment/byte-buffers.js';
import type { Deadline } from '../query/query-deadline.js';
import { Glob } from './wildcard.js';
import type { PatternPart } from '../query/syntax-tree.js';
import { isText } from '../segment/section-reader.js';
import { firstAfter, firstFrom, STEPS_PER_CHECK } from '../analysis/term-bytes.js';
import type { SortedTerms } from '../analysis/term-bytes.js';

/** Terms from `low` up to `high`, which are texts; null is an open end. */
export interface TermRange {
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/** The first and the one after the last term of a range. */
export function rangeOfTerms(terms: SortedTerms, { low, high, includesLow, includesHigh }: TermRange): [first: number, end: number] {

    return [
        low === null ? 0 : border(terms, encodeText(low), !includesLow),
        high === null ? terms.count : border(terms, encodeText(high), includesHigh)
    ];
}

/** A text, then anything. */
export function isPrefix([first, second, third]: readonly PatternPart[]): boolean {

    return third === undefined && first !== undefined && 'text' in first && second !== undefined && 'wildcard' in second && second.wildcard === 'many';
}

/** Tells which terms a pattern with wildcards describes, in their order. */
export function forEachMatch(terms: SortedTerms, pattern: readonly PatternPart[], deadline: Deadline, visit: (term: number) => void): void {

    const parts = pattern.map((part) => ('text' in part ? { text: encodeText(part.text) } : part));
    const [first, second] = parts;
    const prefix = first && 'text' in first ? first.text : new Uint8Array(0);
    const [from, end] = [firstFrom(terms, prefix), firstAfter(terms, prefix)];
    if (isPrefix(pattern)) {
        for (let term = from; term < end; ++term) {
            visit(term);
        }

        return;
    }

    if (parts.length === 2 && first && 'wildcard' in first && first.wildcard === 'many' && second && 'text' in second) {
        forEachEnding(terms, second.text, visit);
        return;
    }

    const glob = new Glob(parts);
    const { bytes, starts, ends } = terms;
    for (let term = from; term < end; ++term) {
        if (glob.matches(bytes, starts[term] as number, ends[term] as number)) {
            visit(term);
        }

        if (term % STEPS_PER_CHECK === 0) {
            deadline.check();
        }
    }
}

/** Terms that end in the same bytes; takes so little for each that the clock need not be looked at. */
function forEachEnding({ bytes, starts, ends, count }: SortedTerms, suffix: Uint8Array, visit: (term: number) => void): void {

    const length = suffix.length;
    const last = suffix[length - 1] as number;
    for (let term = 0; term < count; ++term) {
        const end = ends[term] as number;
        if (bytes[end - 1] !== last || end - (starts[term] as number) < length) {
            continue;
        }

        let at = length - 2;
        while (at >= 0 && bytes[end - length + at] === suffix[at]) {
            --at;
        }

        if (at < 0) {
            visit(term);
        }
    }
}

/** The first term that is not before a text, or after it when `after`. */
function border(terms: SortedTerms, text: Uint8Array, after: boolean): number {

    const found = firstFrom(terms, text);
    return after && found < terms.count && isText(terms.bytes, terms.starts[found] as number, terms.ends[found] as number, text) ? found + 1 : found;
}
