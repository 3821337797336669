/** All results of a search, page by page in the order of their ids, so that changes meanwhile neither hide nor repeat one. */

import { bodyOf, search } from './request.js';
import type { Result } from './search-types.js';
import { quoted, type SearchState } from './state.js';

/** Results of a request. */
const PAGE_SIZE = 500;

/** Yields pages of results. @throws RepositoryError */
export async function *allPages<R extends string | Result>(
    state: SearchState, options: { readonly ids?: boolean }, signal: AbortSignal, pageSize = PAGE_SIZE
): AsyncGenerator<readonly R[]> {

    const body = bodyOf(state);
    let last: string | null = null;
    // Ids that differ in case only are at the same place of the order, so each page begins with the last id of the one before.
    let seen: ReadonlySet<string> = new Set();
    for (;;) {
        const after: readonly string[] = last === null ? [] : [`id:[${quoted(last)} TO *]`];
        const { results } = await search<R>({
            ...body, filterQueries: [...body.filterQueries ?? [], ...after], sortFields: 'id', pageNum: 0, pageSize: pageSize + seen.size, ...options
        }, signal);
        const idOf = (result: R): string => (typeof result === 'string' ? result : result.id);
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
