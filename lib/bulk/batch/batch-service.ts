/**
 * Requests with many objects: streams their input, processes it in bounded memory, and returns a list of results that may exceed memory.
 * See interface specification, "POST /batchUpload" and "BatchUpload".
 */

import type { Log } from '../../../db/log.js';
import type { Segment } from '../../doip/envelope.js';
import type { DoipError } from '../../errors/errors.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { BatchOptions, BatchTask } from './batch-runner.js';
import type { BulkItem } from './batch-item.js';
import type { BulkLimits } from './item-reader.js';
import type { TempFolder } from '../temp-folder.js';
import { Batch } from './batch-runner.js';
import { idOf } from './batch-item.js';
import { ErrorLogLimiter } from './error-log-limiter.js';
import { ItemSource } from './item-reader.js';
import { SpillableList } from './spill-list.js';

/** Options of a request. */
export interface BulkOptions {
    /** Concurrently; otherwise sequentially. */
    readonly parallel: boolean;
    readonly failFast: boolean;
    readonly log: Log;
}

/** Outcome of a request. The consumer must read the results to the end or dispose of them. */
export interface BulkOutcome {
    /** False when an item was rejected or the input was invalid. */
    readonly success: boolean;
    readonly results: SpillableList;
    /** Error in the input. The items before it have been processed. */
    readonly error: DoipError | null;
}

/** Stores one item of a batch. */
export type StoreItem = (item: JsonObject, beforeWrite: () => Promise<void>) => Promise<JsonValue>;

/** Facts about the items of an input. */
export interface ItemQuestions {
    /** True for lines of JSON. */
    readonly ndjson: boolean;
    /** True for an item that later ones may depend on: they wait until it is stored. */
    isFoundation(item: JsonObject): boolean;
    /** True for an item for which type code may run. */
    runsCode(item: JsonObject): Promise<boolean>;
}

/** Number of concurrent items: enough to fill one group commit while another one is being written. */
const WIDTH = 128;

/** Number of items of all requests between two waits for the search index. */
const PACED_ITEMS = 100;

/** Processes requests with many objects. */
export class BulkService {

    readonly source: ItemSource;
    /** Folder for temporary files of requests and jobs. */
    readonly folder: TempFolder;
    readonly #codeOf: BatchOptions['codeOf'];
    /** Maps an error of the storage to the error to report; null for any other error. */
    readonly explain: BatchOptions['explain'];
    readonly #keepUp: () => Promise<void>;
    /** Items since the last wait for the search index, and the wait in progress. */
    #taken = 0;
    #waiting: Promise<void> | null = null;

    /** @param parts.keepUp resolves when the search index can take more changes, or after some seconds */
    constructor(parts: {
        folder: TempFolder; limits: BulkLimits; codeOf: BatchOptions['codeOf']; explain: BatchOptions['explain']; keepUp?: (() => Promise<void>) | undefined;
    }) {

        this.source = new ItemSource(parts.limits);
        this.folder = parts.folder;
        this.#codeOf = parts.codeOf;
        this.explain = parts.explain;
        this.#keepUp = parts.keepUp ?? (() => Promise.resolve());
    }

    /** To be called before changes of some objects: waits now and then, so that the search index keeps up. */
    async pace(items = 1): Promise<void> {

        this.#taken += items;
        if (this.#taken >= PACED_ITEMS) {
            this.#taken = 0;
            this.#waiting ??= this.#keepUp().finally(() => {

                this.#waiting = null;
            });
        }

        if (this.#waiting) {
            await this.#waiting;
        }
    }

    /**
     * Processes the items of an input: one JSON value, or bytes that hold one. Resolves after the whole input was read and all accepted
     * items are stored or rejected.
     *
     * @param store stores one item; resolves to the response, throws to reject the item; see {@link BatchTask.work}
     * @throws DoipError 400 for an empty input
     */
    storeAll(input: AsyncIterable<Segment>, options: BulkOptions & ItemQuestions, store: StoreItem): Promise<BulkOutcome> {

        return this.run(options, (batch) => this.source.read(input, { ndjson: options.ndjson, itemEnded: () => batch.itemEnded() }, async (items) => {

            for await (const item of items) {
                const runsCode = options.parallel && item.value !== undefined && await options.runsCode(item.value);
                await batch.add(taskOf(item, store, runsCode));
                if (item.value && options.isFoundation(item.value)) {
                    await batch.drain();
                }

                if (batch.isStopped) {
                    return;
                }
            }
        }));
    }

    /** Runs work that adds tasks to a batch and resolves to the error in its input, or null. */
    async run(options: BulkOptions, work: (batch: Batch) => Promise<DoipError | null>): Promise<BulkOutcome> {

        const { parallel, failFast, log } = options;
        const results = new SpillableList(this.folder);
        const errors = new ErrorLogLimiter(log);
        const batch = new Batch({
            results, failFast,
            width: parallel ? WIDTH : 1,
            codeOf: this.#codeOf,
            explain: this.explain,
            pace: () => this.pace(),
            onError: (error, position) => errors.add(error, position)
        });
        try {
            const error = await work(batch);
            await batch.end();
            return { success: batch.success && !error, results, error };
        }
        catch (error) {
            await batch.drain();
            await results.dispose();
            throw error;
        }
        finally {
            errors.end();
        }
    }
}

function taskOf({ position, bytes, release, error, value }: BulkItem, store: StoreItem, runsCode: boolean): BatchTask {

    if (error) {
        return { position, bytes, release, work: () => Promise.reject(error) };
    }

    return { position, bytes, release, id: idOf(value), runsCode, work: (beforeWrite) => store(value, beforeWrite) };
}

/** Members of the record besides the results. */
export function summaryOf({ success, error }: BulkOutcome): JsonObject {

    return error ? { success, message: error.message, ...error.details } : { success };
}
