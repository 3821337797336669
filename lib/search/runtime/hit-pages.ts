/**
 * The hits of a search as they come from the searching thread, block by block.
 */

import { onClose } from '../../util/streams/on-close.js';
import type { SearchHit } from '../query/search-request.js';
import type { SearchClient } from './search-client.js';

/** Hits of one message between the threads. */
export const BLOCK = 500;

/**
 * All hits of a search; those that nobody takes are forgotten. Rejects with 503 when the thread has ended meanwhile, or when they were
 * not read for too long.
 *
 * @param first hits that came with the answer
 * @param cursor of the further ones; null when there are none
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
