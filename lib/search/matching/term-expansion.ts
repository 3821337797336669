/**
 * Expands patterns, ranges and fuzzy terms to the terms of one segment, and limits their number.
 */

import { badRequest } from '../../errors/errors.js';
import { both, countBoth } from '../docset/doc-id-set.js';
import { forEachSimilar } from '../segment/fuzzy/fuzzy-terms.js';
import { entrySet } from '../segment/postings-cache.js';
import type { FuzzyQuery, PatternQuery, RangeQuery } from '../query/query.js';
import { isHidden } from './segment-context.js';
import type { SegmentContext } from './segment-context.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import { encodeText } from '../segment/byte-buffers.js';
import type { Deadline } from '../query/query-deadline.js';
import { Glob } from './wildcard.js';
import type { PatternPart } from '../query/syntax-tree.js';
import { isText } from '../segment/section-reader.js';
import { firstAfter, firstFrom, STEPS_PER_CHECK } from '../analysis/term-bytes.js';
import type { SortedTerms } from '../analysis/term-bytes.js';
import { entriesOf } from '../segment/term-dictionary.js';

/** Maximum number of terms of an expansion in a segment. Contiguous ranges of terms are not limited. */
export const MAX_EXPANSIONS = 250_000;

/** Interval, in terms, at which the deadline is checked. */
const EXPANSIONS_PER_CHECK = 256;

/** A leaf that expands to terms. */
export type Expanded = PatternQuery | FuzzyQuery | RangeQuery;

/** Terms of a dictionary that one field has; null for all fields. */
export interface TermEntry {
    readonly dictionary: TermDictionary;
    readonly field: number | null;
}

/** Visits the terms that a leaf expands to, by their number among those of the field. Returns how many they are. */
export function forEachTerm({ segment, deadline }: SegmentContext, { dictionary, field }: TermEntry, leaf: Expanded, visit: (term: number) => void): number {

    const terms = field === null ? dictionary.all : segment.fieldTerms(dictionary, field);
    let count = 0;
    const counted = (term: number): void => {

        if (++count % EXPANSIONS_PER_CHECK === 0) {
            deadline.check();
        }

        visit(term);
    };

    switch (leaf.kind) {
        case 'range': {
            const [first, end] = rangeOfTerms(terms, leaf);
            for (let term = first; term < end; ++term) {
                counted(term);
            }

            break;
        }

        case 'pattern':
            forEachMatch(terms, leaf.pattern, deadline, counted);
            break;
        case 'fuzzy':
            forEachSimilar(terms, segment.candidates(dictionary, field, terms, leaf.edits), { word: leaf.term, edits: leaf.edits, deadline }, counted);
    }

    return count;
}

/** Returns whether an expansion is too large. Ranges and prefixes never are: they are contiguous, and each of their terms costs little. */
export function isTooMany(leaf: Expanded, count: number): boolean {

    return count > MAX_EXPANSIONS && leaf.kind !== 'range' && !(leaf.kind === 'pattern' && isPrefix(leaf.pattern));
}

/**
 * Counts the terms of an expansion that occur in visible documents: the error must not disclose anything about other documents, not
 * even that they have many words.
 *
 * @throws DoipError 400 when there are more than {@link MAX_EXPANSIONS}
 */
export function rejectTooMany(scope: SegmentContext, termEntry: TermEntry, leaf: Expanded): void {

    let visible = 0;
    forEachTerm(scope, termEntry, leaf, (term) => {

        visible += Number(isVisible(scope, termEntry, term));
        if (isTooMany(leaf, visible)) {
            throw badRequest(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
        }
    });
}

function isVisible(scope: SegmentContext, { dictionary, field }: TermEntry, term: number): boolean {

    const { segment, visible, payloads } = scope;
    const entries = field === null ? entriesOf(dictionary, term, null) : [segment.fieldTerms(dictionary, field).entries[term] as number];
    return entries.some((entry) => {

        const documents = entrySet(segment, dictionary, entry);
        return countBoth(payloads && isHidden(scope, dictionary, entry) ? both(documents, payloads) : documents, visible) > 0;
    });
}

/** Terms from `low` to `high`; null is an open end. */
export type TermRange = Pick<RangeQuery, 'low' | 'high' | 'includesLow' | 'includesHigh'>;

/** Returns the first term of a range, and the one after its last. */
function rangeOfTerms(terms: SortedTerms, { low, high, includesLow, includesHigh }: TermRange): [first: number, end: number] {

    return [
        low === null ? 0 : border(terms, encodeText(low), !includesLow),
        high === null ? terms.count : border(terms, encodeText(high), includesHigh)
    ];
}

/** Returns whether a pattern is a prefix query: text, then any characters. */
export function isPrefix([first, second, third]: readonly PatternPart[]): boolean {

    return third === undefined && first !== undefined && 'text' in first && second !== undefined && 'wildcard' in second && second.wildcard === 'many';
}

/** Visits the terms that match a pattern with wildcards, in order. */
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

/** Visits terms with a suffix; cheap enough to run without checking the deadline. */
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

/** Returns the first term that is not less than a text; with `after`, the first one that is greater. */
function border(terms: SortedTerms, text: Uint8Array, after: boolean): number {

    const found = firstFrom(terms, text);
    return after && found < terms.count && isText(terms.bytes, terms.starts[found] as number, terms.ends[found] as number, text) ? found + 1 : found;
}
