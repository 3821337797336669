/**
 * Searches a set of segments. It has no state but caches: the segments are given with each search, which uses them to its end even
 * if they are replaced meanwhile.
 */

import { fullBits } from '../docset/bit-set.js';
import { Deadline } from '../query/query-deadline.js';
import { both, bytesOfSet, counted, cachedSet, denseSet } from '../docset/doc-id-set.js';
import type { CountedSet, DocumentSet } from '../docset/doc-id-set.js';
import { BucketBudget, FacetCounter } from '../collectors/facet-collector.js';
import { HitMerger } from '../collectors/hit-merger.js';
import { QueryCache } from '../query/query-cache.js';
import type { LeafQuery } from '../matching/leaf-evaluator.js';
import { matchSegment } from '../matching/query-evaluator.js';
import { LruCache } from '../../util/cache/lru-cache.js';
import type { TermQuery } from '../query/query.js';
import { readRequest } from '../query/request-parser.js';
import type { RequestInput, Filter } from '../query/request-parser.js';
import { CollectionStatistics } from '../scoring/collection-stats.js';
import type { FacetResult, SearchRequest } from '../query/search-request.js';
import type { SegmentContext } from '../matching/segment-context.js';
import { rankSegment } from '../collectors/sort-keys.js';
import { visibleDocs } from '../matching/visible-docs.js';
import type { CallerScope } from '../matching/visible-docs.js';
import type { TermContexts, TermTarget } from './term-contexts.js';
import { singleTermOf, SingleTermSearch } from './single-term-search.js';
import type { SparseResult } from './single-term-search.js';
import { ScratchBuffers } from '../docset/scratch-buffers.js';
import type { LiveSegment } from './live-segment.js';
import { TermContextCache } from './term-contexts.js';
import { PhraseMatchCache } from '../matching/segment-context.js';

/** Result of a search; hits are sorted as they are taken. */
export interface SearchResult {
    /** Number of matching documents. */
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly hits: HitMerger;
}

/** Matches of one segment. */
interface Matched extends CountedSet {
    readonly scope: SegmentContext;
}

/** Parsed request. */
interface RequestOf extends RequestInput {
    readonly request: SearchRequest;
    /** The single term of the query, with its documents in segments in which it is rare; null for other queries. */
    readonly sparse: { readonly word: TermQuery; readonly found: SparseResult } | null;
}

export class IndexSearcher {

    #buffers = new ScratchBuffers();
    readonly #queries = new QueryCache();
    readonly #termContexts: TermContextCache;
    readonly #singleTerm = new SingleTermSearch();

    /**
     * @param memory cache of the segments that are searched
     */
    constructor(memory = new LruCache()) {

        this.#termContexts = new TermContextCache(memory);
    }

    /** Bytes of the scratch buffers. */
    get bytes(): number {

        return this.#buffers.bytes;
    }

    /**
     * Searches the segments.
     *
     * @param milliseconds timeout
     * @param pause called at intervals during the search, for preemption; must not search with this instance
     * @throws DoipError 400 for an invalid query, 503 on timeout
     */
    search(request: SearchRequest, segments: readonly LiveSegment[], milliseconds: number, pause: (() => void) | null = null): SearchResult {

        try {
            return this.#search(request, segments, new Deadline(milliseconds, pause));
        }
        catch (error) {
            // An aborted search leaves scratch buffers that are not cleared.
            this.#buffers = new ScratchBuffers();
            throw error;
        }
    }

    /** Returns the resolved contexts for queries of a single term. */
    termContexts(target: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

        return this.#termContexts.get(target, segments.filter(isInhabited), caller);
    }

    /** Drops cached contexts. To be called when segments change, because it would keep the previous ones in memory. */
    forget(): void {

        this.#termContexts.forget();
    }

    #search(request: SearchRequest, all: readonly LiveSegment[], deadline: Deadline): SearchResult {

        const { query, filters } = readRequest(request, this.#queries);
        const segments = all.filter(isInhabited);
        const caller = { access: request.access, key: JSON.stringify(request.access), includeVersions: request.includeVersions };
        const word = singleTermOf(request, query);
        const termContexts = word && this.#termContexts.get(word, segments, caller);
        const sparse = word && termContexts && { word, found: this.#singleTerm.find(word, termContexts) };
        deadline.check();
        if (sparse && sparse.found.left.length === 0) {
            return { ...this.#singleTerm.answer(sparse.word, sparse.found, { termContexts, request }), facets: [] };
        }

        return this.#searchAll({ request, query, filters, sparse }, segments, { caller, deadline });
    }

    #searchAll(
        { request, query, filters, sparse }: RequestOf, segments: readonly LiveSegment[],
        { caller, deadline }: { readonly caller: CallerScope; readonly deadline: Deadline }
    ): SearchResult {

        const scoring = isScored(request) ? new CollectionStatistics() : null;
        const views = segments.map((live) => visibleDocs(live, caller));
        views.forEach((view) => scoring?.addSegment(view));
        if (sparse) {
            scoring?.addFound(sparse.word, sparse.found.size);
        }

        const matched = (sparse?.found.left ?? [...segments.keys()]).map((number): Matched => {

            const live = segments[number] as LiveSegment;
            const scope = this.#scope(live, caller, deadline);
            const observe = scoring && ((leaf: LeafQuery, documents: DocumentSet) => scoring.observe(leaf, documents, scope));
            const found = both(matchSegment(query, scope, { observe }), scope.visible);
            const matches = filters.reduce((set, filter) => both(set, filterSet(filter, scope, caller)), found);
            return { scope, ...counted(matches, live.segment.documents) };
        });
        scoring?.prepare(query, views);
        const budget = new BucketBudget();
        const facets = request.facets.map((field) => countFacet(new FacetCounter(field, deadline), matched, { deadline, budget }));
        return {
            size: sizeOf(matched, sparse),
            facets,
            hits: this.#rankAll({ request, query, sparse }, matched, scoring)
        };
    }

    #rankAll({ request, query, sparse }: Omit<RequestOf, 'filters'>, matched: readonly Matched[], scoring: CollectionStatistics | null): HitMerger {

        const { start, limit, includeScore } = request;
        const last = limit === null ? Infinity : start + limit;
        const isRanked = limit !== 0 && start < sizeOf(matched, sparse);
        const parts = (isRanked ? matched : []).filter(({ count }) => count > 0).map((part) => {

            const { segment, deadline } = part.scope;
            deadline.check();
            const scores = scoring && scoring.score(query, part, part.scope);
            return rankSegment(segment, part, { sort: request.sort, scores, limit: last, keepScores: includeScore });
        });
        const sparseHits = sparse && scoring && isRanked ?
            this.#singleTerm.rank(sparse.found, { leaf: sparse.word, factor: scoring.factor(sparse.word), last, includeScore }) : [];
        return new HitMerger([...parts, ...sparseHits], start, limit);
    }

    #scope(live: LiveSegment, caller: CallerScope, deadline: Deadline): SegmentContext {

        const view = visibleDocs(live, caller);
        return {
            segment: live.segment, view, visible: view.visible, payloads: view.payloads, deadline,
            phrases: new PhraseMatchCache(live.segment.documents), buffers: this.#buffers
        };
    }
}

function isInhabited({ segment }: LiveSegment): boolean {

    return segment.documents > 0;
}

/** Returns the documents of a filter; cached, because filters recur. */
function filterSet({ text, query }: Filter, scope: SegmentContext, caller: CallerScope): DocumentSet {

    // With payloads, the result depends on the caller.
    return scope.segment.cache.get(`filter ${scope.payloads === null ? '' : caller.key} ${text}`, () => {

        const { documents } = scope.segment;
        const all = cachedSet(denseSet(fullBits(documents)), documents);
        const value = cachedSet(matchSegment(query, scope, { all }), documents);
        return { value, bytes: bytesOfSet(value) };
    });
}

function sizeOf(matched: readonly Matched[], sparse: RequestOf['sparse']): number {

    return matched.reduce((sum, { count }) => sum + count, sparse?.found.size ?? 0);
}

/** Scores are computed only if they are returned or sorted by. */
function isScored({ sort, includeScore, limit }: SearchRequest): boolean {

    return limit !== 0 && (includeScore || sort.length === 0 || sort.some(({ field }) => field === 'score'));
}

function countFacet(
    counter: FacetCounter, matched: readonly Matched[], { deadline, budget }: { readonly deadline: Deadline; readonly budget: BucketBudget }
): FacetResult {

    if (budget.buckets <= 0) {
        // The budget is used up: nothing would be returned.
        return counter.result(budget);
    }

    for (const { scope, matches } of matched) {
        deadline.check();
        counter.addSegment(scope.segment, matches);
    }

    deadline.check();
    return counter.result(budget);
}
