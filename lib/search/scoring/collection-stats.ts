/**
 * Scores: BM25 over the words and phrases of a query, a constant for everything else. All figures that go into a score are those of
 * the documents that the caller may see, summed over all segments; so a score neither depends on how documents are spread over
 * segments nor tells of documents that the caller may not see.
 */

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

/** Scores are cleared all at once when at least one document in so many matches. */
const CLEARED_ONE_BY_ONE = 32;

/** Scores of the matching documents of a segment. */
export interface Scores {
    /** One by document, or the same for all. */
    readonly values: Float32Array | number;
    /** All matching documents, each once, and maybe others; null where there is no such list. */
    readonly documents: Uint32Array | null;
}

/** Gathers the figures of one query over all segments. */
export class CollectionStatistics {

    readonly #documentCounts = new Map<LeafQuery, number>();
    readonly #averages = new Map<string, number>();
    #documents = 0;

    /** Counts the documents of one segment. */
    addSegment({ visibleCount }: View): void {

        this.#documents += visibleCount;
    }

    /** Counts documents of a leaf that were found in another way. */
    addFound(leaf: WordLeaf, count: number): void {

        this.#documentCounts.set(leaf, (this.#documentCounts.get(leaf) ?? 0) + count);
    }

    /** Notes the documents of a leaf in one segment. */
    observe(leaf: LeafQuery, documents: DocumentSet, scope: SegmentContext): void {

        if (isWordLeaf(leaf)) {
            this.addFound(leaf, countBoth(documents, scope.visible));
        }
    }

    /** Computes average lengths; to be called when all segments have been counted. */
    prepare(query: Query, views: readonly View[]): void {

        for (const leaf of scoredLeaves(query)) {
            for (const field of isWordLeaf(leaf) ? lengthFields(leaf) : []) {
                if (!this.#averages.has(field)) {
                    this.#averages.set(field, averageLength(views.map((view) => view.lengthSum(field))));
                }
            }
        }
    }

    /** What a leaf adds to a score at most; to be asked when all segments have been counted. */
    factor(leaf: WordLeaf): number {

        return factorOf(this.#rarity(leaf) * leaf.boost);
    }

    /** The scores of the matching documents of a segment; of others there may be anything. Valid until the next call. */
    score(query: Query, { matches, count }: CountedSet, scope: SegmentContext): Scores {

        const same = sameForAll(query);
        if (same !== null) {
            return { values: same, documents: null };
        }

        const { room, segment: { documents } } = scope;
        const scores = room.scores(documents);
        if (count * CLEARED_ONE_BY_ONE < documents) {
            forEachDocument(matches, (document) => void (scores[document] = 0));
        }
        else {
            scores.fill(0, 0, documents);
        }

        if (matches.kind === 'many') {
            return this.#add(query, scope, { matches, bits: matches.bits, scores });
        }

        const bits = room.marks(documents);
        setBits(bits, matches.documents, count);
        const found = this.#add(query, scope, { matches, bits, scores });
        clearBits(bits, matches.documents);
        return found;
    }

    #add(query: Query, scope: SegmentContext, { matches, bits, scores }: Omit<ScorerParts, 'tableOf'>): Scores {

        const scorer = new SegmentScorer(scope, { matches, bits, scores, tableOf });
        const leaves = [...scoredLeaves(query)];
        const lists = leaves.map((leaf) => {

            return isWordLeaf(leaf) ? scorer.words(leaf, this.#rarity(leaf) * leaf.boost, (name) => this.#averages.get(name) ?? 1) : scorer.constant(leaf);
        });
        // What matches has a leaf that can add to its score.
        return { values: scores, documents: lists.length === 1 ? lists[0] ?? null : null };
    }

    #rarity(leaf: WordLeaf): number {

        return idf(this.#documentCounts.get(leaf) ?? 0, this.#documents);
    }
}

/** By average; the same ones come again as long as nothing changes. */
const tables = new Map<number, Float64Array>();
const MAX_TABLES = 100;

function tableOf(average: number): Float64Array {

    const known = tables.get(average);
    if (known) {
        return known;
    }

    if (tables.size === MAX_TABLES) {
        tables.clear();
    }

    const table = normTable(average);
    tables.set(average, table);
    return table;
}
