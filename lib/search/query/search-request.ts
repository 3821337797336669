/**
 * Search request and results: plain data, passed between threads.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { SearchAccess } from './search-access.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';

/** A field to sort by. */
export interface SortField {
    /** Field name as in queries, or `score`. */
    readonly field: string;
    /** Descending; for `score` that is best first. */
    readonly reverse: boolean;
}

/** A field whose values are counted. */
export interface FacetField {
    readonly field: string;
    readonly maxBuckets: number;
}

/** A search, as the index takes it. */
export interface SearchRequest {
    /** In the query language; null for none. With `queryJson` both must match. */
    readonly query: string | null;
    readonly queryJson?: JsonValue;
    /** Conditions that do not influence scores. */
    readonly filterQueries: readonly string[];
    /** Conditions added by the service: they neither influence scores nor count against the limits for callers. */
    readonly conditions?: readonly string[];
    /** Empty for best first. */
    readonly sort: readonly SortField[];
    readonly facets: readonly FacetField[];
    /** Offset of the first result, 0-based. */
    readonly start: number;
    /** Maximum number of results; null for all. */
    readonly limit: number | null;
    readonly includeScore: boolean;
    readonly includeVersions: boolean;
    readonly access: SearchAccess;
    /** Key of the caller for fair scheduling. Absent for searches of the service itself. */
    readonly caller?: string;
}

/** A result. */
export interface SearchHit {
    readonly id: string;
    /** Null unless requested. */
    readonly score: number | null;
}

/** A value with its count. */
export interface FacetBucket {
    readonly value: string;
    readonly count: number;
    /** A query for exactly this value. */
    readonly filterQuery: string;
}

/** Counted values of a field. */
export interface FacetResult {
    readonly field: string;
    /** Largest counts first, ties by value. */
    readonly buckets: readonly FacetBucket[];
}

const MAX_SORT_FIELDS = 20;

const MAX_LENGTH = 1024;

/** Includes the separator. */
const DIRECTION = /[\s:](asc|desc)$/i;

const MAX_DIRECTION_LENGTH = 5;

/**
 * Parses sort fields: names separated by commas, each optionally followed by `ASC` or `DESC`, or an array of such texts or of
 * `{name, reverse}`.
 *
 * @throws DoipError 400
 */
export function readSortFields(input: JsonValue | undefined): SortField[] {

    const list = typeof input === 'string' ? input.split(',', MAX_SORT_FIELDS + 1) : input ?? [];
    if (!Array.isArray(list) || list.length > MAX_SORT_FIELDS) {
        throw badRequest(`attribute sortFields must be a text or an array of at most ${MAX_SORT_FIELDS} fields`);
    }

    return list.flatMap((item): SortField[] => {

        if (typeof item === 'string') {
            return readNamed(bounded(item).trim());
        }

        if (!isJsonObject(item) || typeof item['name'] !== 'string' || item['name'] === '') {
            throw badRequest('each of the attribute sortFields must have a name');
        }

        return [{ field: bounded(item['name']), reverse: readDirection(item['reverse']) }];
    });
}

/** Parses a name with an optional direction. Names of properties may contain blanks, so only the end can be a direction. */
function readNamed(text: string): SortField[] {

    const direction = DIRECTION.exec(text.slice(-MAX_DIRECTION_LENGTH))?.[1] ?? '';
    const rest = text.slice(0, text.length - direction.length);
    const name = direction === '' ? text : rest.slice(0, nameEnd(rest));
    return name === '' ? [] : [{ field: name, reverse: direction.toUpperCase() === 'DESC' }];
}

/** Returns where the blanks and colons at the end of a text begin. A regular expression would take quadratic time. */
function nameEnd(text: string): number {

    let end = text.length;
    while (end > 0 && /[\s:]/.test(text[end - 1] ?? '')) {
        --end;
    }

    return end;
}

function bounded(name: string): string {

    if (name.length > MAX_LENGTH) {
        throw badRequest(`each of the attribute sortFields may have at most ${MAX_LENGTH} characters`);
    }

    return name;
}

/** Clients send booleans as text as well. */
function readDirection(reverse: JsonValue = false): boolean {

    if (reverse !== true && reverse !== false && reverse !== 'true' && reverse !== 'false') {
        throw badRequest('reverse of each of the attribute sortFields must be a boolean');
    }

    return reverse === true || reverse === 'true';
}
