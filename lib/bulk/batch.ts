/**
 * Works off the items of a batch: one after the other or many at a time, in bounded memory, with a result for each. Items
 * that are worked off at the same time end up in common commits of the database. What is done with an item is decided by the
 * caller.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../doip/json.js';
import type { BulkItem } from './bulk-item.js';
import type { ResultList } from './result-list.js';
import { DoipError, internal } from '../doip/error.js';
import { Status } from '../doip/status.js';
import { idOf } from './bulk-item.js';

/** How a batch is worked off. */
export interface BatchOptions {
    /** Stores one item; resolves to what is answered when it is stored, throws when it is refused. */
    readonly store: (item: JsonObject) => Promise<JsonValue>;
    /** The HTTP code that stands for an error. */
    readonly codeOf: (error: DoipError) => number;
    readonly results: ResultList;
    /** Items at the same time; 1 for one after the other. */
    readonly width: number;
    /** Takes no further items after one was refused. */
    readonly failFast: boolean;
    /** Is told of faults that nobody expected. */
    readonly onFault: (error: unknown, position: number) => void;
}

/** Bytes of items that are worked off at the same time; a longer one is worked off alone. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;

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
    async take(item: BulkItem): Promise<void> {

        while (this.#running > 0 && (this.#running >= this.#options.width || this.#bytes + item.bytes > BYTES_AT_ONCE)) {
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

        this.#start(item);
    }

    /** Resolves when everything that was taken is stored or refused, and noted in the results. */
    async end(): Promise<void> {

        await this.#done;
        if (this.#fault !== null) {
            throw this.#fault;
        }
    }

    #start(item: BulkItem): void {

        this.#running += 1;
        this.#bytes += item.bytes;
        // Alone, an item has nothing to wait for.
        const earlier = this.#running > 1 ? this.#done : null;
        const before = this.#done;
        const work = this.#work(item, earlier).catch((error: unknown) => {

            // The result could not be noted: without it the batch is of no use any more.
            this.#fault ??= error as Error;
        }).finally(() => {

            this.#running -= 1;
            this.#bytes -= item.bytes;
            const wake = this.#wake;
            this.#wake = null;
            wake?.();
        });
        this.#done = Promise.all([before, work]).then(() => {});
    }

    async #work(item: BulkItem, earlier: Promise<void> | null): Promise<void> {

        const { results } = this.#options;
        const { position } = item;
        try {
            const response = await this.#inOrder(item, earlier);
            await results.add({ position, responseCode: 200, response });
        }
        catch (thrown) {
            const error = this.#refusal(thrown, position);
            this.success = false;
            await results.add({ position, responseCode: this.#options.codeOf(error), response: { message: error.message, ...error.details } });
        }
    }

    /** Items of the same id follow one another; items without any come as they come. */
    async #inOrder(item: BulkItem, earlier: Promise<void> | null): Promise<JsonValue> {

        if (item.fault) {
            throw item.fault;
        }

        const id = idOf(item.value);
        const before = id === undefined ? undefined : this.#byId.get(id);
        const work = (before ?? Promise.resolve()).then(() => this.#store(item.value, earlier));
        if (id !== undefined) {
            const over = work.then(() => {}, () => {});
            this.#byId.set(id, over);
            void over.then(() => this.#byId.get(id) === over && this.#byId.delete(id));
        }

        return work;
    }

    /** What is refused may only have been too early: it may refer to an earlier item, or be of a type that one defines. */
    async #store(value: JsonObject, earlier: Promise<void> | null): Promise<JsonValue> {

        const { store } = this.#options;
        try {
            return await store(value);
        }
        catch (error) {
            if (earlier === null || !(error instanceof DoipError) || error.status !== Status.badRequest) {
                throw error;
            }

            await earlier;
            return await store(value);
        }
    }

    #refusal(thrown: unknown, position: number): DoipError {

        if (thrown instanceof DoipError && thrown.cause === undefined) {
            return thrown;
        }

        this.#options.onFault(thrown, position);
        return thrown instanceof DoipError ? thrown : internal(thrown);
    }
}
