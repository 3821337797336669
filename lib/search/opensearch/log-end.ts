/** The end of the change log, as a position: what is committed is first in rows without a position, which any node puts into batches. */

import { positionBehind } from '../../stores/search/change-log-store.js';
import type { SearchLogStore } from '../../stores/search/change-log-store.js';

export interface OrderingParts {
    readonly changes: Pick<SearchLogStore, 'snapshot'>;
    /** Puts committed rows of the log into batches, unless another node is doing it. */
    readonly order: () => Promise<void>;
    /** Awaited while another node does it; rejects to give up. */
    readonly pause: () => Promise<void>;
}

/** Returns a position of the log behind all rows that are committed now, when all of them are in batches. */
export async function orderedPosition({ changes, order, pause }: OrderingParts): Promise<number> {

    const before = await changes.snapshot();
    let position = positionBehind(before, before);
    while (position === null) {
        await order();
        position = positionBehind(before, await changes.snapshot());
        if (position === null) {
            await pause();
        }
    }

    return position;
}
