/**
 * Query cache: parsed and rewritten queries by their text, for further pages of a result and for programs that repeat a query.
 */

import type { Query } from './query.js';
import { readQuery } from './rewriter.js';

const MAX_ENTRIES = 500;

/** Longer texts are read anew each time. */
const MAX_QUERY_LENGTH = 500;

export class QueryCache {

    readonly #queries = new Map<string, Query>();

    /** The same as {@link readQuery}. */
    read(text: string): Query {

        const known = this.#queries.get(text);
        if (known) {
            return known;
        }

        const query = readQuery(text);
        if (text.length <= MAX_QUERY_LENGTH) {
            this.#queries.set(text, query);
        }

        if (this.#queries.size > MAX_ENTRIES) {
            const [oldest = text] = this.#queries.keys();
            this.#queries.delete(oldest);
        }

        return query;
    }
}
