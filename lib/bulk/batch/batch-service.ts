/**
 * Requests that carry many objects: their input is read as it arrives, worked off in bounded memory, and answered with a list
 * of results that may be longer than memory. Forms: interface specification, "POST /batchUpload" and "BatchUpload".
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

/** How items are worked off. */
export interface BulkOptions {
    /** Many at a time; otherwise one after the other. */
    readonly parallel: boolean;
    readonly failFast: boolean;
    readonly log: Log;
}

/** What came of a request. Whoever is given it reads the results to their end, or disposes of them. */
export interface BulkOutcome {
    /** False when any item was refused or the input broke off. */
    readonly success: boolean;
    readonly results: SpillableList;
    /** Where the input broke. What was before that place has been worked off. */
    readonly fault: DoipError | null;
}

/** Stores one item of a batch. */
export type StoreItem = (item: JsonObject, earlier: () => Promise<void>) => Promise<JsonValue>;

/** Items at the same time: enough for one common commit that is being written and one that gathers meanwhile. */
const WIDTH = 128;

/** Works off requests with many objects. */
export class BulkService {

    readonly source: ItemSource;
    /** For files that live no longer than a request or a job. */
    readonly folder: TempFolder;
    readonly #codeOf: BatchOptions['codeOf'];
    /** The answer that stands for a fault of the storage; null for any other error. */
    readonly explain: BatchOptions['explain'];

    constructor(parts: { folder: TempFolder; limits: BulkLimits; codeOf: BatchOptions['codeOf']; explain: BatchOptions['explain'] }) {

        this.source = new ItemSource(parts.limits);
        this.folder = parts.folder;
        this.#codeOf = parts.codeOf;
        this.explain = parts.explain;
    }

    /**
     * Works off the items of an input: one JSON value, or bytes that hold one. Resolves after the whole input has been read and
     * every item that was taken is stored or refused.
     *
     * @param isFoundation true for an item that what comes after it may depend on in any way: that waits until it is stored
     * @param store stores one item; resolves to what is answered, throws when it is refused; see {@link BatchTask.work}
     * @throws DoipError 400 when there is no input at all
     */
    storeAll(
        input: AsyncIterable<Segment>, options: BulkOptions & { readonly ndjson: boolean; isFoundation(item: JsonObject): boolean }, store: StoreItem
    ): Promise<BulkOutcome> {

        return this.run(options, (batch) => this.source.read(input, options.ndjson, async (items) => {

            for await (const item of items) {
                await batch.take(taskOf(item, store));
                if (item.value && options.isFoundation(item.value)) {
                    await batch.settled();
                }

                if (batch.isOver) {
                    return;
                }
            }
        }));
    }

    /** Runs work that gives tasks to a batch and resolves to the fault at which its input broke, or null. */
    async run(options: BulkOptions, work: (batch: Batch) => Promise<DoipError | null>): Promise<BulkOutcome> {

        const { parallel, failFast, log } = options;
        const results = new SpillableList(this.folder);
        const faults = new ErrorLogLimiter(log);
        const batch = new Batch({
            results, failFast,
            width: parallel ? WIDTH : 1,
            codeOf: this.#codeOf,
            explain: this.explain,
            onFault: (error, position) => faults.add(error, position)
        });
        try {
            const fault = await work(batch);
            await batch.end();
            return { success: batch.success && !fault, results, fault };
        }
        catch (error) {
            await batch.settled();
            await results.dispose();
            throw error;
        }
        finally {
            faults.end();
        }
    }
}

function taskOf({ position, bytes, fault, value }: BulkItem, store: StoreItem): BatchTask {

    if (fault) {
        return { position, bytes, work: () => Promise.reject(fault) };
    }

    return { position, bytes, id: idOf(value), work: (earlier) => store(value, earlier) };
}

/** What is told of an outcome beside the results. */
export function headOf({ success, fault }: BulkOutcome): JsonObject {

    return fault ? { success, message: fault.message, ...fault.details } : { success };
}
