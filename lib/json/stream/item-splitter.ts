/**
 * Splits a long JSON text into items while it arrives: the elements of an array, the elements of `results` in an object, or the
 * lines of newline-delimited JSON. Only one item is in memory at a time, as bytes, to be parsed by the caller. Syntax is checked
 * outside of the items only.
 */

import { LengthBudget } from '../../util/concurrency/event-loop-yielder.js';
import { ArraySplitter } from './array-splitter.js';
import type { ArrayLimits, JsonItem } from './array-splitter.js';
import { LineSplitter } from './line-splitter.js';

/** Options for splitting. */
export interface JsonItemsOptions extends ArrayLimits {
    /** `json`: an array, or an object with the array `results`. `ndjson`: one value per line; blank lines are ignored. */
    readonly format: 'json' | 'ndjson';
    /** Is charged with the bytes of items. Those of an item that was returned stay charged: who has it releases them. */
    readonly memory?: ItemMemory | undefined;
}

/** Memory for items. */
export interface ItemMemory {
    /** Charges bytes, as soon as there is room for them. @throws DoipError 429 or 503 when there is none */
    reserve(bytes: number): Promise<void> | undefined;
    release(bytes: number): void;
}

/**
 * Iterates over the items of a text.
 *
 * @throws DoipError 400 with `offset` (bytes) where the text does not have its format, after all items before that place
 */
export async function *jsonItems(body: AsyncIterable<Uint8Array>, { format, memory, ...limits }: JsonItemsOptions): AsyncGenerator<JsonItem> {

    const splitter = format === 'ndjson' ? new LineSplitter(limits.maxItemBytes) : new ArraySplitter(limits);
    const charge = new Charge(memory);
    const turns = new LengthBudget();
    try {
        for await (const chunk of body) {
            for (const item of splitter.split(chunk)) {
                await charge.handOver(item);
                yield item;
            }

            await charge.hold(splitter.held);
            await turns.spend(chunk.byteLength);
        }

        for (const item of splitter.end()) {
            await charge.handOver(item);
            yield item;
        }
    }
    finally {
        charge.release();
    }
}

/** What is charged for an item of which a part has arrived. */
class Charge {

    readonly #memory: ItemMemory | undefined;
    #bytes = 0;

    constructor(memory: ItemMemory | undefined) {

        this.#memory = memory;
    }

    /** Charges the number of bytes in memory instead of those before. */
    async hold(bytes: number): Promise<void> {

        const more = bytes - this.#bytes;
        if (more > 0) {
            await this.#memory?.reserve(more);
        }
        else if (more < 0) {
            this.#memory?.release(-more);
        }

        this.#bytes = bytes;
    }

    /** Charges the bytes of an item, which then are no longer those of the splitter. */
    async handOver({ bytes }: JsonItem): Promise<void> {

        await this.hold(bytes?.byteLength ?? 0);
        this.#bytes = 0;
    }

    release(): void {

        this.#memory?.release(this.#bytes);
        this.#bytes = 0;
    }
}
