/**
 * Pages of hits, as the search thread delivers them.
 */

import { onClose } from '../../util/streams/on-close.js';
import type { SearchHit } from '../query/search-request.js';
import type { SearchClient } from './search-client.js';

/** Maximum number of hits in a message between the threads. */
export const BLOCK = 500;

/**
 * Iterates over all hits of a search; hits that are not read are discarded. Rejects with 503 when the thread ends, or when the hits
 * are not read for too long.
 *
 * @param first hits that came with the result
 * @param cursor for further ones; null when there are none
 */
export function readHits(
    searcher: SearchClient, first: readonly SearchHit[], cursor: number | null
): AsyncGenerator<readonly SearchHit[], void, undefined> {

    let isDone = cursor === null;
    const blocks = async function *(): AsyncGenerator<readonly SearchHit[], void, undefined> {

        if (first.length > 0) {
            yield first;
        }

        while (!isDone && cursor !== null) {
            const more = await searcher.more(cursor, BLOCK);
            isDone = more.isDone;
            if (more.hits.length > 0) {
                yield more.hits;
            }
        }
    };

    return onClose(blocks(), () => {

        if (!isDone && cursor !== null) {
            searcher.call({ kind: 'forget', cursor }).catch(() => {
                // The thread has ended, and the search with it.
            });
        }
    });
}
