/** Translates a search request to requests of OpenSearch, and its answers back. */

import { DESIGN_ID } from '../../doip/ids.js';
import { compareText } from '../analysis/analyzer.js';
import { resolveColumn } from '../analysis/field-names.js';
import { BucketBudget, filterQuery, MAX_BUCKETS } from '../collectors/facet-collector.js';
import type { RequestInput } from '../query/request-parser.js';
import type { Query } from '../query/query.js';
import type { FacetBucket, FacetField, FacetResult, SearchHit, SearchRequest, SortField } from '../query/search-request.js';
import { translateAccess, VERSIONS } from './access-translator.js';
import { codeOf, facetField, textOfKey } from './encoding.js';
import { TOP_COLUMNS } from './engine-document.js';
import { readsPayloads, translateQuery } from './query-translator.js';
import type { EngineQuery } from './query-translator.js';

/** The part of an answer that is read. */
export interface EngineAnswer {
    readonly timed_out: boolean;
    readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly EngineHit[] };
    readonly aggregations?: Readonly<Record<string, EngineTerms>>;
}

/** A hit. */
export interface EngineHit {
    readonly _score: number | null;
    readonly fields: { readonly id: readonly [string] };
    readonly sort?: readonly unknown[];
}

/** Counted values. */
export interface EngineTerms {
    readonly doc_count_error_upper_bound: number;
    readonly buckets: readonly { readonly key: string; readonly doc_count: number }[];
}

/** Buckets in one request: the engine has a limit of 65,535. */
const BUCKETS_PER_REQUEST = 60_000;

/** Additional buckets that each shard counts, so that sums over shards are exact for all but fields with very many values. */
const SHARD_FACTOR = 10;
const SHARD_SLACK = 1000;

/** Returns the body of a search without its page. */
export function translateRequest(request: SearchRequest, input: RequestInput, timeoutMs: number): object {

    const hasScores = request.includeScore || request.sort.length === 0 || request.sort.some(({ field }) => field === 'score');
    return {
        query: queryOf(request, input, hasScores), sort: sortOf(request.sort), track_scores: hasScores, track_total_hits: true,
        _source: false, docvalue_fields: ['id'], timeout: `${timeoutMs}ms`
    };
}

/** The design object, which indexes of former releases have. */
const DESIGN: EngineQuery = { term: { id: DESIGN_ID } };

/**
 * Two queries where the caller may search the payloads of some objects only: that for these, and for all others the same without payloads.
 * So a payload has no influence even where it would exclude an object.
 */
function queryOf({ access, includeVersions }: SearchRequest, { query, filters }: RequestInput, hasScores: boolean): EngineQuery {

    const { objects, payloads } = translateAccess(access);
    const all = [query, ...filters.map((filter) => filter.query)];
    const body = (withPayloads: boolean): { must: EngineQuery[]; filter: EngineQuery[] } => {

        const [main = { match_all: {} }, ...rest] = all.map((each: Query) => translateQuery(each, withPayloads));
        return hasScores ? { must: [main], filter: rest } : { must: [], filter: [main, ...rest] };
    };

    const visible = [...objects ? [objects] : []];
    const excluded = includeVersions ? [DESIGN] : [DESIGN, VERSIONS];
    if (payloads === null || !all.some(readsPayloads)) {
        const { must, filter } = body(payloads === null);
        return { bool: { must, filter: [...filter, ...visible], must_not: excluded } };
    }

    const [full, limited] = [body(true), body(false)];
    return {
        bool: {
            should: [
                { bool: { must: full.must, filter: [...full.filter, payloads] } },
                { bool: { must: limited.must, filter: limited.filter, must_not: [payloads] } }
            ],
            minimum_should_match: 1, filter: visible, must_not: excluded
        }
    };
}

function sortOf(fields: readonly SortField[]): object[] {

    const all = [
        ...fields.length === 0 ? [{ field: 'score', reverse: true }] : fields,
        { field: 'metadata/txnId', reverse: false }, { field: 'id', reverse: false }
    ];
    return all.map(({ field, reverse }) => {

        const order = reverse ? 'desc' : 'asc';
        if (field === 'score') {
            return { _score: { order } };
        }

        // An object without a value is before all others, and after them in reverse.
        const missing = reverse ? '_last' : '_first';
        const column = resolveColumn(field);
        const own = TOP_COLUMNS.get(column);
        return own === undefined ?
            { 'sort.k': { order, missing, nested: { path: 'sort', filter: { term: { 'sort.c': codeOf('column', column) } } } } } : { [own]: { order, missing } };
    });
}

/** Returns the aggregations for facets, by their index, in as many requests as the limits of the engine need. */
export function translateFacets(facets: readonly FacetField[]): Record<string, object>[] {

    const requests: Record<string, object>[] = [];
    let buckets = Infinity;
    facets.forEach(({ field, maxBuckets }, index) => {

        const size = Math.min(maxBuckets, MAX_BUCKETS);
        if (size < 1) {
            return;
        }

        buckets += size;
        if (buckets > BUCKETS_PER_REQUEST) {
            requests.push({});
            buckets = size;
        }

        const code = codeOf('column', resolveColumn(field));
        (requests.at(-1) ?? {})[String(index)] = {
            terms: {
                field: facetField(code), include: `${code}.+`, size, shard_size: size * SHARD_FACTOR + SHARD_SLACK,
                order: [{ _count: 'desc' }, { _key: 'asc' }]
            }
        };
    });
    return requests;
}

/** Returns the facets of an answer, with as many buckets as all facets of a response may have. */
export function readFacets(facets: readonly FacetField[], found: Readonly<Record<string, EngineTerms>>): FacetResult[] {

    const budget = new BucketBudget();
    return facets.map(({ field, maxBuckets }, index) => {

        const counted = (found[String(index)]?.buckets ?? []).map(({ key, doc_count: count }) => ({ value: textOfKey(key), count }));
        const buckets: FacetBucket[] = [];
        counted.sort((a, b) => b.count - a.count || compareText(a.value, b.value));
        for (const { value, count } of counted.slice(0, Math.min(maxBuckets, budget.buckets))) {
            const bucket = { value, count, filterQuery: filterQuery(field, value) };
            if (!budget.take(bucket)) {
                break;
            }

            buckets.push(bucket);
        }

        return { field, buckets };
    });
}

/** Returns the hits of an answer. */
export function readHits({ hits: { hits } }: EngineAnswer, { includeScore }: SearchRequest): SearchHit[] {

    return hits.map(({ fields, _score: score }) => ({ id: fields.id[0], score: includeScore ? score ?? 0 : null }));
}
