/**
 * Which documents of one segment match a query, by sets of documents.
 */

import { DocIdSetBuilder } from './doc-id-set-builder.js';
import { both, countOf, NO_DOCUMENTS, without } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { LeafEvaluator } from './leaf-evaluator.js';
import type { LeafQuery } from './leaf-evaluator.js';
import type { BooleanQuery, Query } from '../query/query.js';
import type { SegmentContext } from './segment-context.js';

/** Told of the documents of each leaf, as they are found. */
export type LeafObserver = (leaf: LeafQuery, documents: DocumentSet) => void;

export interface MatchOptions {
    /** The documents that any others do not matter besides; those that are visible when it is not said. */
    readonly all?: DocumentSet;
    /** Hears of leaves that can add to a score. */
    readonly observe?: LeafObserver | null;
}

/** The documents of a segment that match; gone and hidden ones may be among them. */
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

    /** When scores are wanted every clause is looked at, since rare clauses are scored by how rare they are everywhere. */
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

        return found.take();
    }
}

function isNone(set: DocumentSet): boolean {

    return set.kind === 'few' && countOf(set) === 0;
}
