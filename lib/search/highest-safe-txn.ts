/**
 * Up to which transaction number searches know everything, for good: whoever has worked off all objects up to it need never look
 * for older ones again (interface specification: DOIP, "HighestSafeTxnIdForSearch").
 */

import { numberOf, type TxnIdGenerator } from '../objects/txn-id-generator.js';
import type { TxnWatermarkStore } from '../stores/txn-watermark-store.js';
import type { SearchIndex } from './runtime/search-index.js';

/**
 * Where other nodes write too, numbers are called settled only when they are so old, in milliseconds. Changes of other nodes that
 * are still on their way then are given new numbers; so this is longer than almost all of them take, for nobody to wait in vain.
 */
const SETTLING_MS = 5000;

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
     * The highest number of an object, or the one below the first that is still on its way. No object becomes visible later, on any
     * node, with a number up to it.
     *
     * @throws DoipError 503 while the index is being built
     */
    async highest(): Promise<number> {

        // Before anything is read: what was on its way then may be stored after it.
        const { completedUpTo: settled } = this.#clock;
        const highest = await this.#objects.highestTxnId();
        if (!this.#floor.isNeeded) {
            await this.#index.catchUp();
            return Math.min(highest, settled);
        }

        const safe = await this.#floor.raise(Math.min(highest, settled, numberOf(Date.now() - SETTLING_MS)));
        await this.#index.catchUp();
        return safe;
    }
}
