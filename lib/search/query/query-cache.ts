/**
 * Query cache: parsed and rewritten queries by their text, for further pages of a result and for programs that repeat a query.
 */

import { LRUCache } from 'lru-cache';
import type { Query } from './query.js';
import { readQuery } from './rewriter.js';

const MAX_ENTRIES = 500;

/** Maximum length of cached texts, in UTF-16 units. */
const MAX_QUERY_LENGTH = 500;

/** LRU cache, limited in entries. */
export class QueryCache {

    readonly #queries = new LRUCache<string, Query>({ max: MAX_ENTRIES });

    /** Like {@link readQuery}. */
    read(text: string): Query {

        const cached = this.#queries.get(text);
        if (cached) {
            return cached;
        }

        const query = readQuery(text);
        if (text.length <= MAX_QUERY_LENGTH) {
            this.#queries.set(text, query);
        }

        return query;
    }
}
