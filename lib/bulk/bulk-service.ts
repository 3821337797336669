/**
 * Requests that carry many objects: their input is read as it arrives, worked off in bounded memory, and answered with a list
 * of results that may be longer than memory. Forms: interface specification, "POST /batchUpload" and "BatchUpload".
 */

import type { Log } from '../../db/log.js';
import type { Segment } from '../doip/envelope.js';
import type { JsonObject, JsonValue } from '../doip/json.js';
import type { BatchOptions } from './batch.js';
import type { BulkItem, ItemRules } from './bulk-item.js';
import type { TempFolder } from './temp-folder.js';
import { badRequest, DoipError } from '../doip/error.js';
import { jsonItems } from '../doip/json-items.js';
import { isJsonObject } from '../doip/json.js';
import { drain } from '../doip/segments.js';
import { Batch } from './batch.js';
import { itemOf, readItem } from './bulk-item.js';
import { ResultList } from './result-list.js';

/** Bounds of what a request may bring. */
export interface BulkLimits {
    /** Bytes of one item, base64 and all. */
    readonly itemBytes: number;
    /** Levels of nesting in an item. */
    readonly jsonDepth: number;
}

/** How a request is worked off. */
export interface BulkRequest {
    /** Lines instead of an array; also told by the media type of the input. */
    readonly ndjson: boolean;
    readonly parallel: boolean;
    readonly failFast: boolean;
    readonly store: BatchOptions['store'];
    readonly log: Log;
}

/** What came of it. Whoever is given it reads the results to their end, or disposes of them. */
export interface BulkOutcome {
    /** False when any item was refused or the input broke off. */
    readonly success: boolean;
    readonly results: ResultList;
    /** Where the input broke. What was before that place has been worked off. */
    readonly fault: DoipError | null;
}

/** Items at the same time: enough for one common commit that is being written and one that gathers meanwhile. */
const WIDTH = 128;

/** Works off requests with many objects. */
export class BulkService {

    readonly #folder: TempFolder;
    readonly #limits: BulkLimits;
    readonly #codeOf: BatchOptions['codeOf'];

    constructor(parts: { folder: TempFolder; limits: BulkLimits; codeOf: BatchOptions['codeOf'] }) {

        this.#folder = parts.folder;
        this.#limits = parts.limits;
        this.#codeOf = parts.codeOf;
    }

    /**
     * Works off the items of an input: one JSON value, or bytes that hold one. Resolves after the whole input has been read and
     * every item that was taken is stored or refused.
     *
     * @throws DoipError 400 when there is no input at all
     */
    async run(input: AsyncIterable<Segment>, { ndjson, parallel, failFast, store, log }: BulkRequest): Promise<BulkOutcome> {

        const results = new ResultList(this.#folder);
        const batch = new Batch({
            store, results, failFast,
            width: parallel ? WIDTH : 1,
            codeOf: this.#codeOf,
            onFault: (error, position) => log.error({ err: error instanceof Error ? error.cause ?? error : error, position }, 'an item of a batch failed')
        });
        try {
            const fault = await this.#feed(batch, input, ndjson);
            await batch.end();
            return { success: batch.success && !fault, results, fault };
        }
        catch (error) {
            await batch.end().catch(() => {
                // The first error is the one that matters.
            });
            await results.dispose();
            throw error;
        }
    }

    /** Hands all items to the batch; the fault at which the input breaks, or null. */
    async #feed(batch: Batch, input: AsyncIterable<Segment>, ndjson: boolean): Promise<DoipError | null> {

        let isFirst = true;
        for await (const segment of input) {
            if (!isFirst) {
                return badRequest('Unexpected input segments: expected one list of objects');
            }

            isFirst = false;
            const fault = await this.#feedSegment(batch, segment, ndjson);
            if (fault) {
                return fault;
            }
        }

        if (isFirst) {
            throw badRequest('Missing input');
        }

        return null;
    }

    async #feedSegment(batch: Batch, segment: Segment, ndjson: boolean): Promise<DoipError | null> {

        const body = segment.kind === 'bytes' ? resumable(segment.body) : null;
        try {
            for await (const item of body ? this.#read(body, ndjson || isNdjson(segment)) : itemsOf(segment)) {
                await batch.take(item);
                if (batch.isOver) {
                    break;
                }
            }

            return null;
        }
        catch (error) {
            if (error instanceof DoipError) {
                return error;
            }

            throw error;
        }
        finally {
            // Clients read the answer after they have sent everything.
            if (body) {
                await drain(body).catch(() => {
                    // Whoever sent it is gone.
                });
            }
        }
    }

    async *#read(body: AsyncIterable<Uint8Array>, ndjson: boolean): AsyncGenerator<BulkItem> {

        const rules: ItemRules = {
            format: ndjson ? 'ndjson' : 'json', maxItemBytes: this.#limits.itemBytes, maxDepth: this.#limits.jsonDepth
        };
        for await (const item of jsonItems(body, rules)) {
            yield readItem(item, rules);
        }
    }
}

/** The items of a value that somebody has read already. */
function itemsOf(segment: Segment): BulkItem[] {

    const value: JsonValue = segment.kind === 'json' ? segment.value : null;
    const list = isJsonObject(value) ? value['results'] : value;
    if (!Array.isArray(list)) {
        throw badRequest('expected an array, or an object with results, an array');
    }

    return list.map((item, position) => itemOf({ position, bytes: 0 }, item));
}

function isNdjson(segment: Segment): boolean {

    return segment.kind === 'bytes' && /^application\/(x-)?(ndjson|jsonl(ines)?)\s*(;|$)/i.test(segment.mediaType ?? '');
}

/** The same bytes; whoever leaves a loop over them can go on where it left. */
function resumable(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {

    const iterator = body[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** What is told of an outcome beside the results. */
export function headOf({ success, fault }: BulkOutcome): JsonObject {

    return fault ? { success, message: fault.message, ...fault.details } : { success };
}
