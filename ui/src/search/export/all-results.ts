/** All results of a search, page by page in the order of their ids, so that changes meanwhile neither hide nor repeat one. */

import { tagOf } from '../../api/entity-tag.js';
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

/** An object, and the tag of its version if the service tells it. */
export interface ObjectVersion {
    readonly id: string;
    readonly tag: string | null;
}

/** Yields the objects with their numbers as they were sent, in pages that are as large as their objects allow. @throws RepositoryError */
export async function *allObjects(state: SearchState, signal: AbortSignal): AsyncGenerator<readonly ExactResult[]> {

    let pageSize = FIRST_PAGE;
    yield* pagesOf(state, { idOf: (object: ExactResult) => object.id, nextSize: () => pageSize }, async (body) => {

        const text = await searchText(body, signal);
        const { results, size } = parseJson(text) as unknown as { readonly results: readonly ExactResult[]; readonly size: number };
        pageSize = Math.max(1, Math.min(MAX_PAGE, Math.floor(PAGE_LENGTH * Math.max(1, results.length) / text.length)));
        return { results, size };
    });
}

/** Yields the ids. @throws RepositoryError */
export async function *allIds(state: SearchState, signal: AbortSignal): AsyncGenerator<readonly string[]> {

    yield* pagesOf(state, { idOf: (id: string) => id, nextSize: () => IDS_PER_PAGE }, async (body) => search<string>({ ...body, ids: true }, signal));
}

/** Yields the ids with the versions that the objects have. @throws RepositoryError */
export async function *allVersions(state: SearchState, signal: AbortSignal): AsyncGenerator<readonly ObjectVersion[]> {

    yield* pagesOf(state, { idOf: ({ id }: ObjectVersion) => id, nextSize: () => MAX_PAGE }, async (body) => {

        const { results, size } = await search({ ...body, filter: ['/id', '/metadata/txnId'] }, signal);
        return { results: results.map(({ id, metadata }) => ({ id, tag: tagOf(metadata?.txnId) })), size };
    });
}

interface PageOptions<R> {
    readonly idOf: (result: R) => string;
    /** Results of the next page. */
    readonly nextSize: () => number;
}

/** Reads page by page. A page without results is not the last one where more are counted: type code hides results, which are counted all the same. */
async function *pagesOf<R>(
    state: SearchState, { idOf, nextSize }: PageOptions<R>, read: (body: SearchBody) => Promise<{ readonly results: readonly R[]; readonly size: number }>
): AsyncGenerator<readonly R[]> {

    const body = bodyOf(state);
    let last: string | null = null;
    // Ids that differ in case only are at the same place of the order, so each page begins with the last id of the one before, and is longer by these.
    let seen: ReadonlySet<string> = new Set();
    for (;;) {
        const after: readonly string[] = last === null ? [] : [`id:[${quoted(last)} TO *]`];
        const pageSize = nextSize() + seen.size;
        let [fresh, all]: [readonly R[], readonly R[]] = [[], []];
        for (let [pageNum, rest] = [0, 1]; fresh.length === 0; ++pageNum) {
            if (rest <= 0) {
                return;
            }

            const { results, size } = await read({ ...body, filterQueries: [...body.filterQueries ?? [], ...after], sortFields: 'id', pageNum, pageSize });
            [fresh, all] = [results.filter((result) => !seen.has(idOf(result))), results];
            rest = size - (pageNum + 1) * pageSize;
        }

        yield fresh;
        last = idOf(fresh.at(-1) as R);
        const place = last.toLowerCase();
        seen = new Set(all.map(idOf).filter((id) => id.toLowerCase() === place));
    }
}
