/**
 * Evaluates a query in one segment, with sets of documents.
 */

import { DocIdSetBuilder } from './doc-id-set-builder.js';
import { both, countOf, NO_DOCUMENTS, without } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { LeafEvaluator } from './leaf-evaluator.js';
import type { LeafQuery } from './leaf-evaluator.js';
import type { BooleanQuery, Query } from '../query/query.js';
import type { SegmentContext } from './segment-context.js';

/** Receives the documents of each leaf as they are found. */
export type LeafObserver = (leaf: LeafQuery, documents: DocumentSet) => void;

/** Options of an evaluation. */
export interface MatchOptions {
    /** Universe of the evaluation: documents outside of it may be ignored. Default: the visible ones. */
    readonly all?: DocumentSet;
    /** Called for leaves that contribute to scores. */
    readonly observe?: LeafObserver | null;
}

/** Returns the matching documents of a segment; may include deleted and invisible ones. */
export function matchSegment(query: Query, scope: SegmentContext, { all = scope.visible, observe = null }: MatchOptions = {}): DocumentSet {

    return new QueryEvaluator(scope, all).match(query, observe);
}

class QueryEvaluator {

    readonly #leaves: LeafEvaluator;
    readonly #scope: SegmentContext;

    constructor(scope: SegmentContext, all: DocumentSet) {

        this.#scope = scope;
        this.#leaves = new LeafEvaluator(scope, all);
    }

    match(query: Query, observe: LeafObserver | null): DocumentSet {

        this.#scope.deadline.check();
        if (query.kind === 'boolean') {
            return this.#boolean(query, observe);
        }

        const documents = this.#leaves.match(query);
        observe?.(query, documents);
        return documents;
    }

    /** With scores, every clause is evaluated: its document frequency counts in all segments. */
    #boolean({ must, should, not }: BooleanQuery, observe: LeafObserver | null): DocumentSet {

        let found: DocumentSet | null = null;
        for (const query of must) {
            found = found === null ? this.match(query, observe) : both(found, this.match(query, observe));
            if (!observe && isNone(found)) {
                return found;
            }
        }

        if (found === null || observe) {
            const either = this.#anyOf(should, observe);
            found ??= either;
        }

        for (const query of isNone(found) ? [] : not) {
            found = without(found, this.match(query, null));
        }

        return found;
    }

    #anyOf(queries: readonly Query[], observe: LeafObserver | null): DocumentSet {

        if (queries.length === 0) {
            return NO_DOCUMENTS;
        }

        const found = new DocIdSetBuilder(this.#scope.segment);
        for (const query of queries) {
            found.addSet(this.match(query, observe));
        }

        return found.build();
    }
}

function isNone(set: DocumentSet): boolean {

    return set.kind === 'few' && countOf(set) === 0;
}
