/**
 * What a search asks for and what it answers: plain data that crosses threads.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { SearchAccess } from './search-access.js';

export interface SortField {
    /** As a query would name it, or `score`. */
    readonly field: string;
    /** Greatest first; for `score` that is best first. */
    readonly reverse: boolean;
}

export interface FacetField {
    readonly field: string;
    readonly maxBuckets: number;
}

export interface SearchRequest {
    /** In the query language; null for none. Together with `queryJson` both must match. */
    readonly query: string | null;
    readonly queryJson?: JsonValue;
    /** Further conditions without influence on scores. */
    readonly filterQueries: readonly string[];
    /** Conditions of the service's own, without influence on scores. They do not count against the bounds for what a caller asks. */
    readonly conditions?: readonly string[];
    /** Empty: best first. */
    readonly sort: readonly SortField[];
    readonly facets: readonly FacetField[];
    /** First result wanted, 0-based. */
    readonly start: number;
    /** Most results wanted; null for all. */
    readonly limit: number | null;
    readonly includeScore: boolean;
    readonly includeVersions: boolean;
    readonly access: SearchAccess;
    /** By which callers are told apart: their searches take turns. Absent for those of the service itself. */
    readonly caller?: string;
}

/** One result. */
export interface SearchHit {
    readonly id: string;
    /** Null unless asked for. */
    readonly score: number | null;
}

export interface FacetBucket {
    readonly value: string;
    readonly count: number;
    /** A query for exactly this value. */
    readonly filterQuery: string;
}

export interface FacetResult {
    readonly field: string;
    /** Greatest counts first, then by value. */
    readonly buckets: readonly FacetBucket[];
}
