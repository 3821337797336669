/**
 * Scores: BM25 for terms and phrases, a constant for everything else. All statistics are those of the documents that the caller may
 * see, summed over all segments: a score neither depends on the distribution over segments nor discloses anything about other
 * documents.
 */

import { LRUCache } from 'lru-cache';
import { clearBits, setBits } from '../docset/bit-set.js';
import { factorOf, normTable, idf } from './bm25.js';
import { countBoth, forEachDocument } from '../docset/doc-id-set.js';
import type { CountedSet, DocumentSet } from '../docset/doc-id-set.js';
import type { LeafQuery } from '../matching/leaf-evaluator.js';
import type { Query } from '../query/query.js';
import { isWordLeaf, lengthFields, sameForAll, scoredLeaves } from './scored-clauses.js';
import type { WordLeaf } from './scored-clauses.js';
import { SegmentScorer } from './segment-scorer.js';
import type { ScorerParts } from './segment-scorer.js';
import type { SegmentContext } from '../matching/segment-context.js';
import { averageLength } from '../matching/visible-docs.js';
import type { View } from '../matching/visible-docs.js';

/** Scores are cleared as a whole when at least one in this number of documents matches. */
const CLEARED_ONE_BY_ONE = 32;

/** Scores of the matching documents of a segment. */
export interface Scores {
    /** By document, or one for all. */
    readonly values: Float32Array | number;
    /** All matching documents without duplicates, maybe with others; null when there is no such list. */
    readonly documents: Uint32Array | null;
}

/** Collects the statistics of one query over all segments. */
export class CollectionStatistics {

    readonly #documentCounts = new Map<LeafQuery, number>();
    readonly #averages = new Map<string, number>();
    #documents = 0;

    /** Adds the visible documents of one segment. */
    addSegment({ visibleCount }: View): void {

        this.#documents += visibleCount;
    }

    /** Adds to the document frequency of a leaf. */
    addFound(leaf: WordLeaf, count: number): void {

        this.#documentCounts.set(leaf, (this.#documentCounts.get(leaf) ?? 0) + count);
    }

    /** Adds the documents of a leaf in one segment to its document frequency. */
    observe(leaf: LeafQuery, documents: DocumentSet, scope: SegmentContext): void {

        if (isWordLeaf(leaf)) {
            this.addFound(leaf, countBoth(documents, scope.visible));
        }
    }

    /** Computes average lengths; to be called after all segments were added. */
    prepare(query: Query, views: readonly View[]): void {

        for (const leaf of scoredLeaves(query)) {
            for (const field of isWordLeaf(leaf) ? lengthFields(leaf) : []) {
                if (!this.#averages.has(field)) {
                    this.#averages.set(field, averageLength(views.map((view) => view.lengthSum(field))));
                }
            }
        }
    }

    /** Returns the BM25 factor of a leaf; to be called after all segments were added. */
    factor(leaf: WordLeaf): number {

        return factorOf(this.#idf(leaf) * leaf.boost);
    }

    /** Computes the scores of the matching documents of a segment; other elements are undefined. Valid until the next call. */
    score(query: Query, { matches, count }: CountedSet, scope: SegmentContext): Scores {

        const same = sameForAll(query);
        if (same !== null) {
            return { values: same, documents: null };
        }

        const { buffers, segment: { documents } } = scope;
        const scores = buffers.scores(documents);
        if (count * CLEARED_ONE_BY_ONE < documents) {
            forEachDocument(matches, (document) => void (scores[document] = 0));
        }
        else {
            scores.fill(0, 0, documents);
        }

        if (matches.kind === 'many') {
            return this.#add(query, scope, { matches, bits: matches.bits, scores });
        }

        const bits = buffers.marks(documents);
        setBits(bits, matches.documents, count);
        const found = this.#add(query, scope, { matches, bits, scores });
        clearBits(bits, matches.documents);
        return found;
    }

    #add(query: Query, scope: SegmentContext, { matches, bits, scores }: Omit<ScorerParts, 'tableOf'>): Scores {

        const scorer = new SegmentScorer(scope, { matches, bits, scores, tableOf });
        const leaves = [...scoredLeaves(query)];
        const lists = leaves.map((leaf) => {

            return isWordLeaf(leaf) ? scorer.words(leaf, this.#idf(leaf) * leaf.boost, (name) => this.#averages.get(name) ?? 1) : scorer.constant(leaf);
        });
        // With a single leaf, all that matches has it.
        return { values: scores, documents: lists.length === 1 ? lists[0] ?? null : null };
    }

    #idf(leaf: WordLeaf): number {

        return idf(this.#documentCounts.get(leaf) ?? 0, this.#documents);
    }
}

/** Cache of norm tables by average length, which is stable as long as nothing changes. */
const tables = new LRUCache<number, Float64Array>({ max: 100, memoMethod: normTable });

function tableOf(average: number): Float64Array {

    return tables.memo(average);
}
