/**
 * Parts of a query that contribute to scores.
 */

import { ALL_FIELD, isPayloadField } from '../analysis/field-names.js';
import type { LeafQuery } from '../matching/leaf-evaluator.js';
import type { PhraseQuery, Query, TermQuery } from '../query/query.js';

/** A leaf whose document frequency is part of the score. */
export type WordLeaf = TermQuery | PhraseQuery;

/** Returns the score that every match of a query has; null when it depends on the match. */
export function sameForAll(query: Query): number | null {

    if (query.kind !== 'boolean') {
        return isWordLeaf(query) ? null : Math.fround(query.boost);
    }

    const { must, should } = query;
    if (must.length + should.length !== 1 && should.length > 0) {
        return null;
    }

    let sum = 0;
    for (const clause of [...must, ...should]) {
        const constantScore = sameForAll(clause);
        if (constantScore === null) {
            return null;
        }

        sum = Math.fround(sum + constantScore);
    }

    return sum;
}

/** Visits the leaves that contribute to scores: all but those under `not`. */
export function *scoredLeaves(query: Query): Generator<LeafQuery> {

    if (query.kind !== 'boolean') {
        yield query;
        return;
    }

    for (const clause of [...query.must, ...query.should]) {
        yield *scoredLeaves(clause);
    }
}

/** Returns whether a leaf is scored by BM25. */
export function isWordLeaf(leaf: LeafQuery): leaf is WordLeaf {

    return leaf.kind === 'phrase' || leaf.kind === 'term' && leaf.target.kind !== 'number';
}

/** Returns the fields whose lengths count; none for whole values. Payloads are left out, since not every caller may learn their length. */
export function lengthFields({ target }: Pick<WordLeaf, 'target'>): readonly string[] {

    switch (target.kind) {
        case 'any':
            return [ALL_FIELD];
        case 'text':
            return target.fields.filter((field) => !isPayloadField(field));
        default:
            return [];
    }
}
