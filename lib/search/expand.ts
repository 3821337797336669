/**
 * From a range or a pattern to the terms that it describes.
 */

import { compareBytes, encodeText } from './bytes.js';
import type { Deadline } from './deadline.js';
import { Glob } from './glob.js';
import type { PatternPart } from './query-syntax.js';
import { PATIENCE, startsWith } from './sorted-terms.js';
import type { SortedTerms } from './sorted-terms.js';

/** Terms from `low` up to `high`, which are texts; null is an open end. */
export interface TermRange {
    readonly low: string | null;
    readonly high: string | null;
    readonly includesLow: boolean;
    readonly includesHigh: boolean;
}

/** The first and the one after the last term of a range. */
export function rangeOfTerms(space: SortedTerms, { low, high, includesLow, includesHigh }: TermRange): [first: number, end: number] {

    return [
        low === null ? 0 : border(space, encodeText(low), !includesLow),
        high === null ? space.termCount : border(space, encodeText(high), includesHigh)
    ];
}

/** The terms that a pattern with wildcards describes. */
export function termsOfPattern(space: SortedTerms, pattern: readonly PatternPart[], deadline: Deadline): number[] {

    const parts = pattern.map((part) => ('text' in part ? { text: encodeText(part.text) } : part));
    const [first] = parts;
    const prefix = first && 'text' in first ? first.text : new Uint8Array(0);
    const glob = new Glob(parts);
    const found: number[] = [];
    const { terms, termAt, termCount } = space;
    for (let term = space.lowerBound(prefix); term < termCount; ++term) {
        const [start, end] = [termAt[term] as number, termAt[term + 1] as number];
        if (!startsWith(terms, start, end, prefix)) {
            break;
        }

        if (glob.matches(terms, start, end)) {
            found.push(term);
        }

        if (term % PATIENCE === 0) {
            deadline.check();
        }
    }

    return found;
}

/** The first term that is not before a text, or after it when `after`. */
function border(space: SortedTerms, text: Uint8Array, after: boolean): number {

    const found = space.lowerBound(text);
    return after && found < space.termCount && compareBytes(space.terms.subarray(space.termAt[found], space.termAt[found + 1]), text) === 0 ? found + 1 : found;
}
