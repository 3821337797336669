/**
 * What a search asks for and what it answers: plain data that crosses threads.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { SearchAccess } from './search-access.js';
import { badRequest } from '../../errors/errors.js';
import { isJsonObject } from '../../util/json-types.js';

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

const MAX_SORT_FIELDS = 20;

const MAX_LENGTH = 1024;

/** With what must stand before it. */
const DIRECTION = /[\s:](asc|desc)$/i;

const MAX_DIRECTION_LENGTH = 5;

/**
 * Names with commas between them and `ASC` or `DESC` behind each, or an array of such texts or of `{name, reverse}`.
 *
 * @throws DoipError 400
 */
export function readSortFields(given: JsonValue | undefined): SortField[] {

    const list = typeof given === 'string' ? given.split(',', MAX_SORT_FIELDS + 1) : given ?? [];
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

/** A name and perhaps a direction. Names of properties may have blanks in them: only what stands last can be a direction. */
function readNamed(text: string): SortField[] {

    const direction = DIRECTION.exec(text.slice(-MAX_DIRECTION_LENGTH))?.[1] ?? '';
    const rest = text.slice(0, text.length - direction.length);
    const name = direction === '' ? text : rest.slice(0, nameEnd(rest));
    return name === '' ? [] : [{ field: name, reverse: direction.toUpperCase() === 'DESC' }];
}

/** Where blanks and colons at the end of a text begin. An expression would look for them again from each of them. */
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

/** Clients write booleans as text too. */
function readDirection(reverse: JsonValue = false): boolean {

    if (reverse !== true && reverse !== false && reverse !== 'true' && reverse !== 'false') {
        throw badRequest('reverse of each of the attribute sortFields must be a boolean');
    }

    return reverse === true || reverse === 'true';
}
