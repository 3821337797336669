/**
 * The terms that a pattern, a range or a similar word stands for in one segment, and how many of them are too many.
 */

import { badRequest } from '../../errors/errors.js';
import { both, countBoth } from '../docset/doc-id-set.js';
import { forEachMatch, isPrefix, rangeOfTerms } from './term-enumeration.js';
import { forEachSimilar } from '../segment/fuzzy/fuzzy-terms.js';
import { entrySet } from '../segment/postings-cache.js';
import type { FuzzyQuery, PatternQuery, RangeQuery } from '../query/query.js';
import { isHidden } from './segment-context.js';
import type { SegmentContext } from './segment-context.js';
import { entriesOf } from '../segment/term-entries.js';
import type { TermDictionary } from '../segment/term-dictionary.js';

/** Most terms that one pattern may stand for in a segment, unless they are all neighbours. */
export const MAX_EXPANSIONS = 250_000;

/** Terms between two looks at the clock. */
const STEPS_PER_CHECK = 256;

export type Expanded = PatternQuery | FuzzyQuery | RangeQuery;

/** Terms of a space that one field has; null for all. */
export interface TermPlace {
    readonly space: TermDictionary;
    readonly field: number | null;
}

/** Tells which terms of a place a leaf stands for, by their number there. Returns how many. */
export function forEachTerm({ segment, deadline }: SegmentContext, { space, field }: TermPlace, leaf: Expanded, visit: (term: number) => void): number {

    const terms = field === null ? space.all : segment.fieldTerms(space, field);
    let count = 0;
    const counted = (term: number): void => {

        if (++count % STEPS_PER_CHECK === 0) {
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
            forEachSimilar(terms, segment.candidates(space, field, terms, leaf.edits), { word: leaf.term, edits: leaf.edits, deadline }, counted);
    }

    return count;
}

/** Are so many terms of a leaf too many? Never of ranges and patterns that are a beginning: however many there are, each takes little. */
export function isTooMany(leaf: Expanded, count: number): boolean {

    return count > MAX_EXPANSIONS && leaf.kind !== 'range' && !(leaf.kind === 'pattern' && isPrefix(leaf.pattern));
}

/**
 * Counts those terms of a leaf that stand in documents which the caller may see: of others nothing may be told, not even that they
 * have many words.
 *
 * @throws DoipError 400 when they are too many
 */
export function refuseTooMany(scope: SegmentContext, place: TermPlace, leaf: Expanded): void {

    let seen = 0;
    forEachTerm(scope, place, leaf, (term) => {

        seen += Number(isSeen(scope, place, term));
        if (isTooMany(leaf, seen)) {
            throw badRequest(`a pattern of the query stands for more than ${MAX_EXPANSIONS} words, make it more specific`);
        }
    });
}

function isSeen(scope: SegmentContext, { space, field }: TermPlace, term: number): boolean {

    const { segment, visible, payloads } = scope;
    const entries = field === null ? entriesOf(space, term, null) : [segment.fieldTerms(space, field).entries[term] as number];
    return entries.some((entry) => {

        const documents = entrySet(segment, space, entry);
        return countBoth(payloads && isHidden(scope, space, entry) ? both(documents, payloads) : documents, visible) > 0;
    });
}
