/** All results of a search, page by page in the order of their ids, so that changes meanwhile neither hide nor repeat one. */

import { parseJson } from '../../json/parse-json.js';
import { bodyOf } from '../page-request.js';
import { search, searchText } from '../request.js';
import type { ExactResult, SearchBody } from '../search-types.js';
import { quoted, type SearchState } from '../state.js';

/** Results of the first request for objects, and of any at most. */
const FIRST_PAGE = 100;
const MAX_PAGE = 1000;

/** Characters of a page of objects: what the page collects at once, and parses without a pause that anybody notices. */
const PAGE_LENGTH = 2_000_000;

const IDS_PER_PAGE = 5000;

/** Yields the objects with their numbers as they were sent, in pages that are as large as their objects allow. @throws RepositoryError */
export async function *allObjects(state: SearchState, signal: AbortSignal): AsyncGenerator<readonly ExactResult[]> {

    let pageSize = FIRST_PAGE;
    yield* pagesOf(state, (object: ExactResult) => object.id, async (body, extra) => {

        const text = await searchText({ ...body, pageSize: pageSize + extra }, signal);
        const { results } = parseJson(text) as unknown as { readonly results: readonly ExactResult[] };
        pageSize = Math.max(1, Math.min(MAX_PAGE, Math.floor(PAGE_LENGTH * Math.max(1, results.length) / text.length)));
        return results;
    });
}

/** Yields the ids. @throws RepositoryError */
export async function *allIds(state: SearchState, signal: AbortSignal): AsyncGenerator<readonly string[]> {

    yield* pagesOf(state, (id: string) => id, async (body, extra) => {

        const { results } = await search<string>({ ...body, ids: true, pageSize: IDS_PER_PAGE + extra }, signal);
        return results;
    });
}

/** Reads page by page. `read` gets the body of the request, and by how many results a page is longer, as it repeats those of the one before. */
async function *pagesOf<R>(
    state: SearchState, idOf: (result: R) => string, read: (body: SearchBody, extra: number) => Promise<readonly R[]>
): AsyncGenerator<readonly R[]> {

    const body = bodyOf(state);
    let last: string | null = null;
    // Ids that differ in case only are at the same place of the order, so each page begins with the last id of the one before.
    let seen: ReadonlySet<string> = new Set();
    for (;;) {
        const after: readonly string[] = last === null ? [] : [`id:[${quoted(last)} TO *]`];
        const results = await read({ ...body, filterQueries: [...body.filterQueries ?? [], ...after], sortFields: 'id', pageNum: 0 }, seen.size);
        const fresh = results.filter((result) => !seen.has(idOf(result)));
        if (fresh.length === 0) {
            return;
        }

        yield fresh;
        last = idOf(fresh.at(-1) as R);
        const place = last.toLowerCase();
        seen = new Set(results.map(idOf).filter((id) => id.toLowerCase() === place));
    }
}
