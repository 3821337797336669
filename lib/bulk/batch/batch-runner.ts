/**
 * Runs the items of a batch, sequentially or concurrently, in bounded memory, and records a result for each. Concurrent items share group
 * commits of the database. The caller supplies the work for each item.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../../util/json-types.js';
import type { SpillableList } from './spill-list.js';
import { DoipError, internal } from '../../errors/errors.js';
import { approximateLength, turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { KeyedLocks, type Release } from '../../util/concurrency/keyed-mutex.js';
import { CodeGate } from '../code-gate.js';

/** One item and the work for it. */
export interface BatchTask {
    readonly position: number;
    /** Memory that the item takes while it is processed. */
    readonly bytes: number;
    /** Called when the item is done, or is not accepted. */
    readonly release?: () => void;
    /** Tasks with the same id run in order; those without one run concurrently. */
    readonly id?: string | undefined;
    /** True if type code may run for it: only a few of these are worked on at a time. */
    readonly runsCode?: boolean;
    /**
     * Stores the item; resolves to the response, or to undefined for no result. Throws when the item is rejected.
     *
     * @param beforeWrite resolves when all items before it are done: the item may refer to them
     */
    readonly work: (beforeWrite: () => Promise<void>) => Promise<JsonValue | undefined>;
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
    /** Called before each item is taken: resolves when the service can take more. */
    readonly pace: () => Promise<void>;
    /** Called for unexpected errors. */
    readonly onError: (error: unknown, position: number) => void;
}

/** Maximum total size in bytes of concurrent items; a larger item runs alone. */
const BYTES_PER_BATCH = 16 * 1024 * 1024;

const NO_RESULTS = 'the results could not be kept: look which items were stored';

/** Milliseconds of work after which the event loop is yielded to. */
const YIELD_MS = 4;

/** One batch. */
export class Batch {

    readonly #options: BatchOptions;
    readonly #locks = new KeyedLocks();
    readonly #code = new CodeGate();
    #running = 0;
    #bytes = 0;
    readonly #waiting: (() => void)[] = [];
    /** Resolves when all items taken so far are done. */
    #done: Promise<void> = Promise.resolve();
    #error: Error | null = null;
    #yieldedOn = performance.now();
    /** False after an item was rejected. */
    success = true;

    constructor(options: BatchOptions) {

        this.#options = options;
    }

    /** True when no more items are accepted. */
    get isStopped(): boolean {

        return this.#error !== null || this.#options.failFast && !this.success;
    }

    /** Starts an item as soon as the limits allow it. */
    async add(task: BatchTask): Promise<void> {

        await this.#options.pace();
        while (this.#running > 0 && (this.#running >= this.#options.width || this.#bytes + task.bytes > BYTES_PER_BATCH)) {
            await this.itemEnded();
        }

        if (this.isStopped) {
            task.release?.();
            return;
        }

        if (performance.now() - this.#yieldedOn > YIELD_MS) {
            await nextTurn();
            this.#yieldedOn = performance.now();
        }

        this.#start(task);
    }

    /** Resolves when an item in work has ended; to false at once if there is none. */
    async itemEnded(): Promise<boolean> {

        if (this.#running === 0) {
            return false;
        }

        await new Promise<void>((resolve) => {

            this.#waiting.push(resolve);
        });
        return true;
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
        if (this.#error !== null) {
            throw internal(new Error('the results of a batch could not be kept', { cause: this.#error }), NO_RESULTS);
        }
    }

    #start(task: BatchTask): void {

        this.#running += 1;
        this.#bytes += task.bytes;
        const before = this.#done;
        const work = this.#work(task, () => before).catch((error: unknown) => {

            // The result could not be recorded, which fails the whole batch.
            this.#error ??= error as Error;
        }).finally(() => {

            this.#running -= 1;
            this.#bytes -= task.bytes;
            task.release?.();
            this.#waiting.splice(0).forEach((wake) => wake());
        });
        this.#done = Promise.all([before, work]).then(() => {});
    }

    async #work({ position, id, runsCode = false, work: workOn }: BatchTask, beforeWrite: () => Promise<void>): Promise<void> {

        const { results, codeOf } = this.#options;
        // Lock and turn are both asked for at once, and so in the order of the items: none of them waits for a later one.
        const turn = runsCode ? this.#code.enter() : null;
        const work = turn ? () => inTurn(turn, () => workOn(beforeWrite)) : () => workOn(beforeWrite);
        try {
            const response = await (id === undefined ? work() : this.#locks.run(id, work));
            if (response !== undefined) {
                await turnFor(approximateLength(response));
                await results.add({ position, responseCode: 200, response });
            }
        }
        catch (thrown) {
            const error = this.#rejection(thrown, position);
            const { details } = thrown instanceof DoipError ? thrown : error;
            this.success = false;
            await results.add({ position, responseCode: codeOf(error), response: { message: error.message, ...details } });
        }
    }

    #rejection(thrown: unknown, position: number): DoipError {

        if (thrown instanceof DoipError && thrown.cause === undefined) {
            return thrown;
        }

        this.#options.onError(thrown, position);
        return this.#options.explain(thrown) ?? (thrown instanceof DoipError ? thrown : internal(thrown));
    }
}

async function inTurn<T>(turn: Promise<Release>, work: () => Promise<T>): Promise<T> {

    const end = await turn;
    try {
        return await work();
    }
    finally {
        end();
    }
}
