/** Requests of a search: a page of results with only what is shown, and counts of values. */

import type { SearchResults } from '../../../lib/client/web/index.js';
import { repository, screenClient, sendJson, textIn } from '../api/client.js';
import { tagOf } from '../api/entity-tag.js';
import type { JsonMap } from '../json/exact-number.js';
import { parseJson } from '../json/parse-json.js';
import { bodyOf, pageBody } from './page-request.js';
import type { Result, SearchBody } from './search-types.js';
import type { SearchState } from './state.js';

/** A value and the number of objects with it. */
export interface Bucket {
    readonly value: string;
    readonly count: number;
    readonly filterQuery: string;
}

export interface FacetCounts {
    readonly field: string;
    readonly buckets: readonly Bucket[];
}

/** A page of results. */
export interface Page {
    /** The state that it answers. */
    readonly state: SearchState;
    readonly size: number;
    readonly results: readonly Result[];
    /** What was asked for of each result. */
    readonly pointers: readonly string[];
    /** Milliseconds. */
    readonly time: number;
}

const MAX_TYPES = 50;

/** Sends a search. @throws RepositoryError */
export async function search<R = Result>(body: SearchBody, signal?: AbortSignal, client = repository): Promise<SearchResults<R>> {

    return sendJson<SearchResults<R>>('POST', '/search', body, { isRead: true, signal, client });
}

/** Sends a search; returns the response as it was sent, with the digits of its numbers. @throws RepositoryError */
export async function searchText(body: SearchBody, signal: AbortSignal, client = repository): Promise<string> {

    const text = JSON.stringify(body);
    const response = await client.request({
        method: 'POST', path: '/search', isRead: true, signal, body: { mediaType: 'application/json', open: () => text, isReplayable: true }
    });
    return textIn(response);
}

/** Sends a search; returns the results with the digits of their numbers. @throws RepositoryError */
async function searchExactly(body: SearchBody, signal: AbortSignal, client = repository): Promise<SearchResults<Result>> {

    return parseJson(await searchText(body, signal, client)) as unknown as SearchResults<Result>;
}

/** Results whose versions are known. */
const MAX_VERSIONS = 20_000;

/** The versions in which results were shown last, by their ids. */
const shownVersions = new Map<string, string>();

function noteVersions(results: readonly Result[]): void {

    for (const { id, metadata } of results) {
        const tag = tagOf(metadata?.txnId);
        shownVersions.delete(id);
        if (tag !== null) {
            shownVersions.set(id, tag);
        }
    }

    [...shownVersions.keys()].slice(0, Math.max(0, shownVersions.size - MAX_VERSIONS)).forEach((id) => shownVersions.delete(id));
}

/** The versions in which objects were shown last, by their ids. */
export function versionsShown(ids: readonly string[]): Map<string, string> {

    return new Map(ids.flatMap((id) => {

        const tag = shownVersions.get(id);
        return tag === undefined ? [] : [[id, tag] as const];
    }));
}

/** Reads a page of results, and nothing that could delay it: counts are read afterwards. */
export async function readPage(state: SearchState, signal: AbortSignal): Promise<Page> {

    const body = pageBody(state);
    const started = performance.now();
    const { size, results } = await searchExactly(body, signal, screenClient);
    noteVersions(results);
    return { state, size, results, pointers: body.filter, time: performance.now() - started };
}

/** Counts the results of each type. */
export async function readTypes(state: Pick<SearchState, 'query' | 'filters'>, signal: AbortSignal): Promise<readonly Bucket[]> {

    const [types] = await readFacets(state, ['type'], [], MAX_TYPES, signal);
    return types?.buckets ?? [];
}

/** Reads the rest of what is shown of the results of a page. */
export async function readMissing({ state, results }: Page, pointers: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, JsonMap>> {

    if (pointers.length === 0) {
        return new Map();
    }

    const found = await searchExactly({
        ...bodyOf(state), ...state.sort === '' ? {} : { sortFields: state.sort }, pageNum: state.page - 1, pageSize: state.size, filter: ['/id', ...pointers]
    }, signal);
    const wanted = new Set(results.map(({ id }) => id));
    return new Map(found.results.filter(({ id }) => wanted.has(id)).map(({ id, content }) => [id, content as JsonMap]));
}

/** Counts the values of fields. Values of a field that is filtered are counted as if it were not, so that another one can be chosen. */
export async function readFacets(
    state: Pick<SearchState, 'query' | 'filters'>, fields: readonly string[], filtered: readonly string[], maxBuckets: number, signal: AbortSignal
): Promise<readonly FacetCounts[]> {

    const read = async (names: readonly string[], except: string | null): Promise<readonly FacetCounts[]> => {

        const facets = names.map((field) => ({ field, maxBuckets }));
        return names.length === 0 ? [] : (await search({ ...bodyOf(state, except), pageSize: 0, facets }, signal)).facets as unknown as readonly FacetCounts[];
    };

    const open = fields.filter((field) => !filtered.includes(field));
    const parts = await Promise.all([read(open, null), ...filtered.map((field) => read([field], field))]);
    const byField = new Map(parts.flat().map((each) => [each.field, each]));
    return fields.map((field) => byField.get(field) ?? { field, buckets: [] });
}
