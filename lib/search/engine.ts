/**
 * Answers searches over a set of segments. It holds no state of its own but caches; which segments there are is told with each
 * search, and a search keeps seeing those even when others take their place meanwhile.
 */

import { readableDocuments, versionDocuments } from './access.js';
import type { Readable, SearchAccess } from './access.js';
import { andBits, andNotBits, countBits } from './bits.js';
import type { Bits } from './bits.js';
import { Deadline } from './deadline.js';
import { FacetCounter } from './facets.js';
import { HitStream } from './hits.js';
import type { RankedSegment } from './hits.js';
import { matchSegment } from './matcher.js';
import { allOf, MATCH_ALL } from './query.js';
import type { Query } from './query.js';
import { readQueryJson } from './query-json.js';
import { readQuery } from './rewrite.js';
import { Scoring } from './score.js';
import type { FacetResult, SearchRequest } from './search-request.js';
import type { Segment } from './segment.js';
import { SegmentScope } from './segment-scope.js';
import { SortKeys } from './sort-keys.js';

/** A segment, and which of its documents are gone. */
export interface LiveSegment {
    readonly segment: Segment;
    readonly dead: Bits;
}

/** The answer to a search; its hits are put in order as they are taken. */
export interface SearchResult {
    /** Number of matching documents. */
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly hits: HitStream;
}

/** Matches of one segment. */
interface Matched {
    readonly scope: SegmentScope;
    readonly matches: Bits;
}

export class SearchEngine {

    /** What a caller may read of a segment; segments do not change, so it holds for ever. */
    readonly #readable = new WeakMap<Segment, Map<string, Readable>>();
    readonly #versions = new WeakMap<Segment, Bits>();
    readonly #keys = new SortKeys();

    /**
     * @param milliseconds that the search may take
     * @throws DoipError 400 for a query that cannot be understood, 503 when it takes too long
     */
    search(request: SearchRequest, segments: readonly LiveSegment[], milliseconds: number): SearchResult {

        const deadline = new Deadline(milliseconds);
        const query = readRequest(request);
        const filter = request.filterQueries.length === 0 ? null : allOf(request.filterQueries.map(readQuery));
        const scoring = isScored(request) ? new Scoring() : null;
        const matched = segments.filter(({ segment }) => segment.documents > 0).map((live): Matched => {

            const scope = this.#scope(live, request, deadline);
            const matches = matchSegment(query, scope, scoring && ((leaf, documents) => scoring.observe(leaf, documents, scope)));
            andBits(matches, scope.visible);
            if (filter) {
                andBits(matches, matchSegment(filter, scope));
            }

            scoring?.addSegment(scope);
            return { scope, matches };
        });
        scoring?.prepare(query, matched.map(({ scope }) => scope));
        const facets = request.facets.map((field) => countFacet(new FacetCounter(field), matched, deadline));
        return {
            size: matched.reduce((sum, { matches }) => sum + countBits(matches), 0),
            facets,
            hits: this.#hits(request, matched, scoring && ((part) => scoring.score(query, part.matches, part.scope)))
        };
    }

    #hits(request: SearchRequest, matched: readonly Matched[], score: ((part: Matched) => Float32Array) | null): HitStream {

        const last = request.limit === null ? Infinity : request.start + request.limit;
        const parts = (last === 0 || request.limit === 0 ? [] : matched).map((part): RankedSegment => {

            const { segment, deadline } = part.scope;
            deadline.check();
            const scores = score ? score(part) : null;
            return this.#keys.rank(segment, part.matches, { sort: request.sort, scores, limit: last, keepScores: request.includeScore });
        });
        return new HitStream(parts, request.start, request.limit);
    }

    #scope({ segment, dead }: LiveSegment, { access, includeVersions }: SearchRequest, deadline: Deadline): SegmentScope {

        const readable = this.#readableOf(segment, access);
        const visible = readable.objects.slice();
        andNotBits(visible, dead);
        if (!includeVersions) {
            andNotBits(visible, this.#versionsOf(segment));
        }

        return new SegmentScope(segment, { visible, payloads: access.all ? null : readable.payloads, deadline });
    }

    #readableOf(segment: Segment, access: SearchAccess): Readable {

        const key = JSON.stringify(access);
        let known = this.#readable.get(segment);
        if (!known) {
            known = new Map();
            this.#readable.set(segment, known);
        }

        let readable = known.get(key);
        if (readable) {
            // The most recently used ones are at the end.
            known.delete(key);
        }
        else {
            readable = readableDocuments(segment, access);
        }

        known.set(key, readable);
        if (known.size > KEPT_CALLERS) {
            const [oldest] = known.keys();
            known.delete(oldest ?? key);
        }

        return readable;
    }

    #versionsOf(segment: Segment): Bits {

        let versions = this.#versions.get(segment);
        if (!versions) {
            versions = versionDocuments(segment);
            this.#versions.set(segment, versions);
        }

        return versions;
    }
}

/** Callers whose rights are remembered for a segment. */
const KEPT_CALLERS = 64;

function readRequest({ query, queryJson }: SearchRequest): Query {

    const both = [...query === null ? [] : [readQuery(query)], ...queryJson === undefined ? [] : [readQueryJson(queryJson)]];
    return both.length === 0 ? MATCH_ALL : allOf(both);
}

/** Scores are computed when they are shown or sorted by. */
function isScored({ sort, includeScore, limit }: SearchRequest): boolean {

    return limit !== 0 && (includeScore || sort.length === 0 || sort.some(({ field }) => field === 'score'));
}

function countFacet(counter: FacetCounter, matched: readonly Matched[], deadline: Deadline): FacetResult {

    for (const { scope, matches } of matched) {
        deadline.check();
        counter.addSegment(scope.segment, matches);
    }

    return counter.result();
}
