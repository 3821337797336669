/**
 * Works off the items of a batch: one after the other or many at a time, in bounded memory, with a result for each. Items
 * that are worked off at the same time end up in common commits of the database. What is done with an item is decided by the
 * caller.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../../util/json-types.js';
import type { SpillableList } from './spill-list.js';
import { DoipError, internal } from '../../errors/errors.js';
import { turnForValue } from '../../util/concurrency/event-loop-yielder.js';

/** One item and what is to be done with it. */
export interface BatchTask {
    readonly position: number;
    /** What it takes in memory while it is worked off. */
    readonly bytes: number;
    /** Tasks with the same id follow one another; those without come as they come. */
    readonly id?: string | undefined;
    /**
     * Stores the item; resolves to the response, or to undefined when nothing is to be noted of it. Throws when it is refused.
     *
     * @param earlier resolves when all items before it are done: what it refers to may be among them
     */
    readonly work: (earlier: () => Promise<void>) => Promise<JsonValue | undefined>;
}

/** How a batch is worked off. */
export interface BatchOptions {
    /** The HTTP code that stands for an error. */
    readonly codeOf: (error: DoipError) => number;
    /** The answer that stands for a fault of the storage; null for any other error. */
    readonly explain: (error: unknown) => DoipError | null;
    readonly results: SpillableList;
    /** Items at the same time; 1 for one after the other. */
    readonly width: number;
    /** Takes no further items after one was refused. */
    readonly failFast: boolean;
    /** Is told of faults that nobody expected. */
    readonly onFault: (error: unknown, position: number) => void;
}

/** Bytes of items that are worked off at the same time; a longer one is worked off alone. */
const BYTES_PER_BATCH = 16 * 1024 * 1024;

const NO_RESULTS = 'the results could not be kept: look which items were stored';

/** Milliseconds after which others get a turn. */
const TURN_MS = 4;

/** One batch. */
export class Batch {

    readonly #options: BatchOptions;
    /** The last item of an id, while it is worked off: the next one waits for it. */
    readonly #byId = new Map<string, Promise<void>>();
    #running = 0;
    #bytes = 0;
    #wake: (() => void) | null = null;
    /** Resolves when all items taken so far are done. */
    #done: Promise<void> = Promise.resolve();
    #fault: Error | null = null;
    #turn = performance.now();
    /** False as soon as an item was refused. */
    success = true;

    constructor(options: BatchOptions) {

        this.#options = options;
    }

    /** True when no further items are wanted. */
    get isOver(): boolean {

        return this.#fault !== null || this.#options.failFast && !this.success;
    }

    /** Takes an item as soon as there is room for it. */
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

    /** Resolves when everything that was taken is done; more may be taken afterwards. */
    async settled(): Promise<void> {

        await this.#done;
    }

    /**
     * Resolves when everything that was taken is stored or refused, and noted in the results.
     *
     * @throws DoipError 500 when the results could not be kept; items were stored all the same
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

            // The result could not be noted: without it the batch is of no use any more.
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

    /** Tasks of the same id follow one another. */
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
