/**
 * Parses the queries of a search request: text, example and filters, with limits for all of them together, so that many small
 * queries cost no more than a large one.
 */

import { badRequest } from '../../errors/errors.js';
import type { QueryCache } from './query-cache.js';
import { MAX_QUERY_LENGTH } from './parser.js';
import { allOf, MATCH_ALL } from './query.js';
import type { Query } from './query.js';
import { readQueryJson } from './query-by-example.js';
import { MAX_CLAUSES } from './rewriter.js';
import type { SearchRequest } from './search-request.js';

/** A condition that does not influence scores. */
export interface Filter {
    readonly text: string;
    readonly query: Query;
}

/** Parsed queries of a request. */
export interface RequestInput {
    readonly query: Query;
    readonly filters: readonly Filter[];
}

/** Parses the queries of a request. Throws DoipError 400 for syntax errors, and when they are too long or have too many clauses together. */
export function readRequest({ query, queryJson, filterQueries, conditions = [] }: SearchRequest, queries: QueryCache): RequestInput {

    const length = filterQueries.reduce((sum, text) => sum + text.length, query?.length ?? 0);
    if (filterQueries.length > 0 && length > MAX_QUERY_LENGTH) {
        throw badRequest(`Query parse failure: the query and its filter queries are longer than ${MAX_QUERY_LENGTH} characters together`);
    }

    const parts = [...query === null ? [] : [queries.read(query)], ...queryJson === undefined ? [] : [readQueryJson(queryJson)]];
    const parsed = {
        query: parts.length === 0 ? MATCH_ALL : allOf(parts),
        filters: filterQueries.map((text) => ({ text, query: queries.read(text) }))
    };

    // Every clause has at least one character, so short queries need no count.
    if ((length > MAX_CLAUSES || queryJson !== undefined) && clausesIn([parsed.query, ...parsed.filters.map((filter) => filter.query)]) > MAX_CLAUSES) {
        throw badRequest(`Query parse failure: more than ${MAX_CLAUSES} clauses in all queries together`);
    }

    return { ...parsed, filters: [...parsed.filters, ...conditions.map((text) => ({ text, query: queries.read(text) }))] };
}

/** Counts clauses; each word of a phrase is one. */
function clausesIn(queries: readonly Query[]): number {

    return queries.reduce((sum, query) => sum + clausesOf(query), 0);
}

function clausesOf(query: Query): number {

    switch (query.kind) {
        case 'boolean':
            return clausesIn(query.must) + clausesIn(query.should) + clausesIn(query.not);
        case 'phrase':
            return query.words.length;
        default:
            return 1;
    }
}
