/**
 * Items one after the other, with a look at the next one.
 */

import type { BulkItem } from '../batch/batch-item.js';

/** A sequence of items. */
export class PeekableItems {

    readonly #iterator: AsyncIterator<BulkItem>;
    #ahead: BulkItem | null | undefined;

    constructor(items: AsyncIterable<BulkItem>) {

        this.#iterator = items[Symbol.asyncIterator]();
    }

    /** The next item, which stays; null at the end. */
    async peek(): Promise<BulkItem | null> {

        if (this.#ahead === undefined) {
            const next = await this.#iterator.next();
            this.#ahead = next.done === true ? null : next.value;
        }

        return this.#ahead;
    }

    /** The next item; null at the end. */
    async next(): Promise<BulkItem | null> {

        const item = await this.peek();
        this.#ahead = item === null ? null : undefined;
        return item;
    }
}
