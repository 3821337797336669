/**
 * The items of an input, one after the other while it arrives: of one JSON value, or of the text of an array, of an object with
 * `results`, or of lines.
 */

import type { Segment } from '../../doip/envelope.js';
import type { JsonValue } from '../../util/json-types.js';
import type { BulkItem, ItemRules } from './batch-item.js';
import { badRequest, DoipError } from '../../errors/errors.js';
import { jsonItems } from '../../json/stream/item-splitter.js';
import { isJsonObject } from '../../util/json-types.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { drain } from '../../doip/segments.js';
import { itemOf, readItem } from './batch-item.js';

/** Bounds of what a request may bring. */
export interface BulkLimits {
    /** Bytes of one item, base64 and all. */
    readonly itemBytes: number;
    /** Levels of nesting in an item. */
    readonly jsonDepth: number;
    /** Values in an item; default any number. */
    readonly jsonValues?: number;
}

/** Reads items. */
export class ItemSource {

    readonly #limits: BulkLimits;

    constructor(limits: BulkLimits) {

        this.#limits = limits;
    }

    /**
     * Hands the items of an input to `use`, which may leave early. The input is read to its end in any case, because clients read
     * an answer only after they have sent everything.
     *
     * @param ndjson lines; also told by the media type of the input
     * @returns the fault at which the input broke; null when it is whole, or was left early
     * @throws DoipError 400 when there is no input at all; whatever else `use` throws but DoipErrors
     */
    async read(input: AsyncIterable<Segment>, ndjson: boolean, use: (items: AsyncIterable<BulkItem>) => Promise<void>): Promise<DoipError | null> {

        let isFirst = true;
        for await (const segment of input) {
            if (!isFirst) {
                return badRequest('Unexpected input segments: expected one list of objects');
            }

            isFirst = false;
            const fault = await this.#readSegment(segment, ndjson, use);
            if (fault) {
                return fault;
            }
        }

        if (isFirst) {
            throw badRequest('Missing input');
        }

        return null;
    }

    /** The items of bytes that somebody has kept. */
    async *items(body: AsyncIterable<Uint8Array>, ndjson: boolean): AsyncGenerator<BulkItem> {

        const rules: ItemRules = {
            format: ndjson ? 'ndjson' : 'json', maxItemBytes: this.#limits.itemBytes, maxDepth: this.#limits.jsonDepth,
            maxValues: this.#limits.jsonValues ?? Infinity
        };
        for await (const item of jsonItems(body, rules)) {
            await turnFor(item.length);
            const read = readItem(item, rules);
            await turnFor(item.length);
            yield read;
        }
    }

    async #readSegment(segment: Segment, ndjson: boolean, use: (items: AsyncIterable<BulkItem>) => Promise<void>): Promise<DoipError | null> {

        const body = segment.kind === 'bytes' ? resumable(segment.body) : null;
        try {
            await use(body ? this.items(body, ndjson || isNdjson(segment)) : itemsOf(segment));
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
                    // Whoever sent it is gone.
                });
            }
        }
    }
}

/** The items of a value that somebody has read already. */
async function *itemsOf(segment: Segment): AsyncGenerator<BulkItem> {

    const value: JsonValue = segment.kind === 'json' ? segment.value : null;
    const list = isJsonObject(value) ? value['results'] : value;
    if (!Array.isArray(list)) {
        throw badRequest('expected an array, or an object with results, an array');
    }

    for (const [position, item] of list.entries()) {
        yield itemOf({ position, bytes: 0 }, item);
    }
}

function isNdjson(segment: Segment): boolean {

    return segment.kind === 'bytes' && /^application\/(x-)?(ndjson|jsonl(ines)?)\s*(;|$)/i.test(segment.mediaType ?? '');
}

/** The same bytes; whoever leaves a loop over them can go on where it left. */
function resumable(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {

    const iterator = body[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}
