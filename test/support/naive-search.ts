/**
 * The same answers as the search engine's, found by looking at every object: slow, simple, and without anything in common with the
 * engine but the reading of queries, the list of fields and the segmentation of text.
 */

import { compareText } from '../../lib/search/analysis/analyzer.js';
import { resolveColumn } from '../../lib/search/analysis/field-names.js';
import type { IndexDocument } from '../../lib/search/mapping/index-document.js';
import { allOf, MATCH_ALL } from '../../lib/search/query/query.js';
import { readQueryJson } from '../../lib/search/query/query-by-example.js';
import { readQuery } from '../../lib/search/query/rewriter.js';
import type { SearchRequest, SortField } from '../../lib/search/query/search-request.js';
import { mayFind, mayReadPayloads } from './naive-access.js';
import { matches } from './naive-matches.js';
import { takeApart, valuesOf, type Parts, type Value } from './naive-parts.js';

export interface NaiveResult {
    readonly size: number;
    /** In order; empty when the order is by score. */
    readonly ids: readonly string[];
    readonly matching: ReadonlySet<string>;
    readonly facets: readonly { readonly field: string; readonly buckets: readonly { readonly value: string; readonly count: number }[] }[];
}

/** Looks at every document. */
export function naiveSearch(documents: Iterable<IndexDocument>, request: SearchRequest): NaiveResult {

    const query = allOf([
        request.query === null ? MATCH_ALL : readQuery(request.query),
        request.queryJson === undefined ? MATCH_ALL : readQueryJson(request.queryJson),
        ...request.filterQueries.map(readQuery)
    ]);
    const found: Parts[] = [];
    for (const document of documents) {
        const { access } = request;
        const isWanted = request.includeVersions || document.metadata.isVersion !== true;
        if (isWanted && mayFind(document, access)) {
            const parts = takeApart(document, mayReadPayloads(document, access));
            if (matches(query, parts)) {
                found.push(parts);
            }
        }
    }

    const byScore = request.sort.length === 0 || request.sort.some(({ field }) => field === 'score');
    const end = request.limit === null ? undefined : request.start + request.limit;
    const sorted = byScore ? [] : found.toSorted((a, b) => compareParts(a, b, request.sort)).slice(request.start, end);
    return {
        size: found.length,
        matching: new Set(found.map(({ document }) => document.id)),
        ids: sorted.map(({ document }) => document.id),
        facets: request.facets.map(({ field, maxBuckets }) => ({ field, buckets: countValues(found, field).slice(0, maxBuckets) }))
    };
}

function compareParts(a: Parts, b: Parts, sort: readonly SortField[]): number {

    for (const { field, reverse } of sort) {
        const [left, right] = [a, b].map((parts) => valuesOf(parts, resolveColumn(field))[0]);
        const difference = compareOptional(left, right);
        if (difference !== 0) {
            return reverse ? -difference : difference;
        }
    }

    return a.document.metadata.txnId - b.document.metadata.txnId || compareText(a.document.id, b.document.id);
}

function compareOptional(a: Value | undefined, b: Value | undefined): number {

    if (a === undefined || b === undefined) {
        return Number(a !== undefined) - Number(b !== undefined);
    }

    if (typeof a === 'number' || typeof b === 'number') {
        return typeof a === typeof b ? Number(a) - Number(b) : typeof a === 'number' ? -1 : 1;
    }

    return compareText(a, b);
}

function countValues(found: readonly Parts[], field: string): { value: string; count: number }[] {

    const counts = new Map<string, number>();
    for (const parts of found) {
        for (const value of new Set(valuesOf(parts, resolveColumn(field)).map(String))) {
            counts.set(value, (counts.get(value) ?? 0) + 1);
        }
    }

    return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || compareText(a.value, b.value));
}
