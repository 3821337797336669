/**
 * High watermark: the transaction number up to which searches find everything, for good. A client that has processed all objects up
 * to it never needs to look for older ones again (interface specification: DOIP, "HighestSafeTxnIdForSearch").
 */

import { numberOf, type TxnIdGenerator } from '../objects/txn-id-generator.js';
import type { TxnWatermarkStore } from '../stores/txn-watermark-store.js';
import type { SearchIndex } from './runtime/search-index.js';

/**
 * With several nodes, the minimum age of a number in milliseconds before it counts as settled. Uncommitted changes of other nodes
 * below the watermark get new numbers, so this exceeds the time of almost all commits.
 */
const MAX_COMMIT_MS = 5000;

export class HighestSafeTxn {

    readonly #index: SearchIndex;
    readonly #objects: { highestTxnId(): Promise<number> };
    readonly #clock: TxnIdGenerator;
    readonly #floor: TxnWatermarkStore;

    constructor(parts: { index: SearchIndex; objects: { highestTxnId(): Promise<number> }; clock: TxnIdGenerator; floor: TxnWatermarkStore }) {

        this.#index = parts.index;
        this.#objects = parts.objects;
        this.#clock = parts.clock;
        this.#floor = parts.floor;
    }

    /**
     * Returns the highest number of an object, or the one below the first that is not committed yet. No object becomes visible
     * later, on any node, with a number up to it.
     *
     * @throws DoipError 503 while the index is being built
     */
    async highest(): Promise<number> {

        // Read first: what is uncommitted at this time may be stored afterwards.
        const { completedUpTo: completed } = this.#clock;
        const highest = await this.#objects.highestTxnId();
        if (!this.#floor.isNeeded) {
            await this.#index.catchUp();
            return Math.min(highest, completed);
        }

        const safe = await this.#floor.raise(Math.min(highest, completed, numberOf(Date.now() - MAX_COMMIT_MS)));
        await this.#index.catchUp();
        return safe;
    }
}
