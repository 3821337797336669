/**
 * Runs the items of a batch, sequentially or concurrently, in bounded memory, and records a result for each. Concurrent items share group
 * commits of the database. The caller supplies the work for each item.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../../util/json-types.js';
import type { SpillableList } from './spill-list.js';
import { DoipError, internal } from '../../errors/errors.js';
import { turnForValue } from '../../util/concurrency/event-loop-yielder.js';

/** One item and the work for it. */
export interface BatchTask {
    readonly position: number;
    /** Memory that the item takes while it is processed. */
    readonly bytes: number;
    /** Tasks with the same id run in order; those without one run concurrently. */
    readonly id?: string | undefined;
    /**
     * Stores the item; resolves to the response, or to undefined for no result. Throws when the item is rejected.
     *
     * @param earlier resolves when all items before it are done: the item may refer to them
     */
    readonly work: (earlier: () => Promise<void>) => Promise<JsonValue | undefined>;
}

/** Options of a batch. */
export interface BatchOptions {
    /** The HTTP status of an error. */
    readonly codeOf: (error: DoipError) => number;
    /** Maps an error of the storage to the error to report; null for any other error. */
    readonly explain: (error: unknown) => DoipError | null;
    readonly results: SpillableList;
    /** Maximum number of concurrent items; 1 is sequential. */
    readonly width: number;
    /** Stops after the first rejected item. */
    readonly failFast: boolean;
    /** Called for unexpected errors. */
    readonly onFault: (error: unknown, position: number) => void;
}

/** Maximum total size in bytes of concurrent items; a larger item runs alone. */
const BYTES_PER_BATCH = 16 * 1024 * 1024;

const NO_RESULTS = 'the results could not be kept: look which items were stored';

/** Milliseconds of work after which the event loop is yielded to. */
const TURN_MS = 4;

/** One batch. */
export class Batch {

    readonly #options: BatchOptions;
    /** The last task of each id while it runs; the next one waits for it. */
    readonly #byId = new Map<string, Promise<void>>();
    #running = 0;
    #bytes = 0;
    #wake: (() => void) | null = null;
    /** Resolves when all items taken so far are done. */
    #done: Promise<void> = Promise.resolve();
    #fault: Error | null = null;
    #turn = performance.now();
    /** False after an item was rejected. */
    success = true;

    constructor(options: BatchOptions) {

        this.#options = options;
    }

    /** True when no more items are accepted. */
    get isOver(): boolean {

        return this.#fault !== null || this.#options.failFast && !this.success;
    }

    /** Starts an item as soon as the limits allow it. */
    async take(task: BatchTask): Promise<void> {

        while (this.#running > 0 && (this.#running >= this.#options.width || this.#bytes + task.bytes > BYTES_PER_BATCH)) {
            await new Promise<void>((resolve) => {

                this.#wake = resolve;
            });
        }

        if (this.isOver) {
            return;
        }

        if (performance.now() - this.#turn > TURN_MS) {
            await nextTurn();
            this.#turn = performance.now();
        }

        this.#start(task);
    }

    /** Resolves when all tasks taken so far are done; more may be taken afterwards. */
    async drain(): Promise<void> {

        await this.#done;
    }

    /**
     * Resolves when all items are stored or rejected, with their results recorded.
     *
     * @throws DoipError 500 when results could not be recorded; items were stored nevertheless
     */
    async end(): Promise<void> {

        await this.#done;
        if (this.#fault !== null) {
            throw internal(new Error('the results of a batch could not be kept', { cause: this.#fault }), NO_RESULTS);
        }
    }

    #start(task: BatchTask): void {

        this.#running += 1;
        this.#bytes += task.bytes;
        const before = this.#done;
        const work = this.#work(task, () => before).catch((error: unknown) => {

            // The result could not be recorded, which fails the whole batch.
            this.#fault ??= error as Error;
        }).finally(() => {

            this.#running -= 1;
            this.#bytes -= task.bytes;
            const wake = this.#wake;
            this.#wake = null;
            wake?.();
        });
        this.#done = Promise.all([before, work]).then(() => {});
    }

    async #work(task: BatchTask, earlier: () => Promise<void>): Promise<void> {

        const { results, codeOf } = this.#options;
        const { position } = task;
        try {
            const response = await this.#inOrder(task, earlier);
            if (response !== undefined) {
                await turnForValue(response);
                await results.add({ position, responseCode: 200, response });
            }
        }
        catch (thrown) {
            const error = this.#refusal(thrown, position);
            const { details } = thrown instanceof DoipError ? thrown : error;
            this.success = false;
            await results.add({ position, responseCode: codeOf(error), response: { message: error.message, ...details } });
        }
    }

    /** Chains the task behind the previous one with the same id. */
    async #inOrder({ id, work }: BatchTask, earlier: () => Promise<void>): Promise<JsonValue | undefined> {

        if (id === undefined) {
            return work(earlier);
        }

        const before = this.#byId.get(id) ?? Promise.resolve();
        const working = before.then(() => work(earlier));
        const over = working.then(() => {}, () => {});
        this.#byId.set(id, over);
        try {
            return await working;
        }
        finally {
            if (this.#byId.get(id) === over) {
                this.#byId.delete(id);
            }
        }
    }

    #refusal(thrown: unknown, position: number): DoipError {

        if (thrown instanceof DoipError && thrown.cause === undefined) {
            return thrown;
        }

        this.#options.onFault(thrown, position);
        return this.#options.explain(thrown) ?? (thrown instanceof DoipError ? thrown : internal(thrown));
    }
}
