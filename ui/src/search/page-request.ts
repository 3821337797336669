/** The request for a page of results, which is sent before most modules are there: this one needs few others. */

import { stored, store } from '../state/storage.js';
import { GUESSED_POINTERS } from './fields.js';
import type { SearchBody } from './search-types.js';
import { ALL, filterQueriesOf, type SearchState } from './state.js';

const BASE_POINTERS = [
    '/id', '/type', '/payloads', '/metadata/modifiedOn', '/metadata/modifiedBy', '/metadata/createdOn', '/metadata/createdBy', '/metadata/isVersion',
    '/metadata/txnId'
];

/** The query and the filters of a state. */
export function bodyOf({ query, filters }: Pick<SearchState, 'query' | 'filters'>, except: string | null = null): SearchBody {

    const filterQueries = filterQueriesOf(filters, except);
    return { query: query === '' ? ALL : query, ...filterQueries.length === 0 ? {} : { filterQueries } };
}

/** Asks for what types were known to show when results of them came last, so that it need not wait for the types. */
export function pageBody(state: SearchState): SearchBody & { readonly filter: readonly string[] } {

    const filter = [...new Set([...BASE_POINTERS, ...GUESSED_POINTERS, ...Object.values(knownPreviews()).flat()])];
    return { ...bodyOf(state), ...state.sort === '' ? {} : { sortFields: state.sort }, pageNum: state.page - 1, pageSize: state.size, filter };
}

const STORED = 'doip-gateway-previews';
const MAX_KNOWN = 20;

/** Pointers of what is shown, by type, from the last visit. */
function knownPreviews(): Readonly<Record<string, readonly string[]>> {

    try {
        const known: unknown = JSON.parse(stored(STORED) ?? '{}');
        const entries = Object.entries(known as Record<string, unknown>).slice(0, MAX_KNOWN);
        return Object.fromEntries(entries.map(([type, list]) => [
            type, Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string' && /^\/content\/./.test(each)) : []
        ]));
    }
    catch {
        return {};
    }
}

/** Keeps what is shown of types for the next visit. */
export function rememberPreviews(previews: Readonly<Record<string, readonly string[]>>): void {

    const rest = Object.entries(knownPreviews()).filter(([type]) => !Object.hasOwn(previews, type));
    store(STORED, JSON.stringify(Object.fromEntries([...Object.entries(previews), ...rest].slice(0, MAX_KNOWN))));
}
