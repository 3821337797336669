/** Streams the items of an input while it arrives: one JSON value, or the text of an array, of an object with `results`, or of JSON lines. */

import type { Segment } from '../../doip/envelope.js';
import type { JsonValue } from '../../util/json-types.js';
import type { ItemMemory } from '../../json/stream/item-splitter.js';
import type { ItemEnded } from './batch-memory.js';
import type { BulkItem, ItemRules } from './batch-item.js';
import { badRequest, DoipError } from '../../errors/errors.js';
import { jsonItems } from '../../json/stream/item-splitter.js';
import { isJsonObject } from '../../util/json-types.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { inTurns } from '../../util/concurrency/steps.js';
import { drain } from '../../doip/segments.js';
import { BatchMemory } from './batch-memory.js';
import { itemOf, readItem } from './batch-item.js';

/** Limits of a request. */
export interface BulkLimits {
    /** Maximum size of an item in bytes, including base64. */
    readonly itemBytes: number;
    /** Maximum nesting depth of an item. */
    readonly jsonDepth: number;
    /** Maximum number of values in an item; unlimited by default. */
    readonly jsonValues?: number;
}

/** How an input is read. */
export interface ReadOptions {
    /** The input is JSON lines; its media type may also say so. */
    readonly ndjson: boolean;
    /** Waits for items whose memory will be released without further ones; by default there are none. */
    readonly itemEnded?: ItemEnded;
}

/** Maximum length of what an upload has beside its objects, such as the number of results of a search, and its facets. */
const MAX_OTHER_BYTES = 1024 * 1024;

/** Reads items from input. */
export class ItemSource {

    readonly #limits: BulkLimits;

    constructor(limits: BulkLimits) {

        this.#limits = limits;
    }

    /**
     * Passes the items of an input to `use`, which may return early. The rest of the input is read nevertheless, because clients read the
     * response only after they sent everything. The bytes of an item count as memory for bodies until it is released.
     *
     * @returns the error in the input; null when it is valid, or `use` returned early
     * @throws DoipError 400 for an empty input; any error of `use` except DoipErrors
     */
    async read(input: AsyncIterable<Segment>, options: ReadOptions, use: (items: AsyncIterable<BulkItem>) => Promise<void>): Promise<DoipError | null> {

        let isFirst = true;
        for await (const segment of input) {
            if (!isFirst) {
                return badRequest('Unexpected input segments: expected one list of objects');
            }

            isFirst = false;
            const error = await this.#readSegment(segment, options, use);
            if (error) {
                return error;
            }
        }

        if (isFirst) {
            throw badRequest('Missing input');
        }

        return null;
    }

    /** Reads items from bytes. What `memory` is charged for an item is released by whoever has it. */
    async *items(body: AsyncIterable<Uint8Array>, ndjson: boolean, memory?: ItemMemory): AsyncGenerator<BulkItem> {

        const rules: ItemRules = {
            format: ndjson ? 'ndjson' : 'json', maxItemBytes: this.#limits.itemBytes, maxDepth: this.#limits.jsonDepth,
            maxValues: this.#limits.jsonValues ?? Infinity
        };
        for await (const item of jsonItems(body, { ...rules, maxOtherBytes: MAX_OTHER_BYTES, memory })) {
            const release = releasing(item.bytes?.byteLength ?? 0, memory);
            await turnFor(item.length);
            let read: BulkItem | undefined;
            try {
                read = await inTurns(readItem(item, rules, release));
            }
            finally {
                if (!read?.value) {
                    // Its bytes are not needed any more.
                    release();
                }
            }

            await turnFor(item.length);
            yield read;
        }
    }

    async #readSegment(segment: Segment, options: ReadOptions, use: (items: AsyncIterable<BulkItem>) => Promise<void>): Promise<DoipError | null> {

        const body = segment.kind === 'bytes' ? resumable(segment.body) : null;
        try {
            await use(body ? this.items(body, options.ndjson || isNdjson(segment), memoryOf(segment, options)) : itemsOf(segment));
            return null;
        }
        catch (error) {
            if (error instanceof DoipError) {
                return error;
            }

            throw error;
        }
        finally {
            if (body) {
                await drain(body).catch(() => {
                    // The client has disconnected.
                });
            }
        }
    }
}

/** Items of a value that is already parsed. */
async function *itemsOf(segment: Segment): AsyncGenerator<BulkItem> {

    const value: JsonValue = segment.kind === 'json' ? segment.value : null;
    const list = isJsonObject(value) ? value['results'] : value;
    if (!Array.isArray(list)) {
        throw badRequest('expected an array, or an object with results, an array');
    }

    for (const [position, item] of list.entries()) {
        yield itemOf({ position, bytes: 0, release: () => undefined }, item);
    }
}

/** Undefined for a segment whose carrier has no budget. */
function memoryOf(segment: Segment, { itemEnded = () => Promise.resolve(false) }: ReadOptions): ItemMemory | undefined {

    const account = segment.kind === 'bytes' ? segment.limits?.memory : undefined;
    return account && new BatchMemory(account, itemEnded);
}

/** Returns a function that releases bytes once. */
function releasing(bytes: number, memory: ItemMemory | undefined): () => void {

    let left = bytes;
    return () => {

        memory?.release(left);
        left = 0;
    };
}

function isNdjson(segment: Segment): boolean {

    return segment.kind === 'bytes' && /^application\/(x-)?(ndjson|jsonl(ines)?)\s*(;|$)/i.test(segment.mediaType ?? '');
}

/** Wraps a stream so that leaving a loop over it does not close it; the next loop continues there. */
function resumable(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {

    const iterator = body[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}
