/**
 * Pages of hits, as the search thread delivers them.
 */

import type { Found } from './protocol.js';
import type { SearchHit } from '../query/search-request.js';
import type { SearchClient } from './search-client.js';

/** Maximum number of hits in a message between the threads. */
export const BLOCK = 500;

/**
 * Iterates over all hits of a search; hits that are not read are discarded. Rejects with 503 when the thread ends, or when the hits
 * are not read for too long.
 */
export class HitPages implements AsyncGenerator<readonly SearchHit[], void, undefined> {

    readonly #searcher: SearchClient;
    #hits: readonly SearchHit[];
    #cursor: number | null;
    /** The last read; concurrent ones follow each other, since all continue the same cursor. */
    #reading: Promise<unknown> = Promise.resolve();

    /**
     * @param hits those that came with the result
     * @param cursor for further ones; null when there are none
     */
    constructor(searcher: SearchClient, { hits, cursor }: Pick<Found, 'hits' | 'cursor'>) {

        this.#searcher = searcher;
        this.#hits = hits;
        this.#cursor = cursor;
    }

    next(): Promise<IteratorResult<readonly SearchHit[], void>> {

        const reading = this.#reading.then(() => this.#read());
        this.#reading = reading.catch(() => {
            // Reported to the caller of that read; the pages have ended.
        });
        return reading;
    }

    async #read(): Promise<IteratorResult<readonly SearchHit[], void>> {

        let hits = this.#hits;
        this.#hits = [];
        while (hits.length === 0 && this.#cursor !== null) {
            hits = await this.#more(this.#cursor);
        }

        return hits.length > 0 ? { done: false, value: hits } : END;
    }

    async return(): Promise<IteratorReturnResult<void>> {

        const cursor = this.#cursor;
        this.#cursor = null;
        this.#hits = [];
        if (cursor !== null) {
            this.#searcher.call({ kind: 'forget', cursor }).catch(() => {
                // The thread has ended, and the search with it.
            });
        }

        return END;
    }

    async throw(error: unknown): Promise<never> {

        await this.return();
        throw error;
    }

    [Symbol.asyncIterator](): this {

        return this;
    }

    async #more(cursor: number): Promise<readonly SearchHit[]> {

        try {
            const { hits, isDone } = await this.#searcher.more(cursor, BLOCK);
            if (isDone) {
                this.#cursor = null;
            }

            return hits;
        }
        catch (error) {
            return this.throw(error);
        }
    }
}

const END: IteratorReturnResult<void> = { done: true, value: undefined };
