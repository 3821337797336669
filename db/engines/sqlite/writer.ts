/**
 * Writer of one SQLite file: a worker thread with the only write connection.
 *
 * Group commit: while the worker commits one batch, which waits for the disk, units are queued for the next one. A batch is sent at
 * the end of the current turn of the event loop, with all units that came in it, as one message. At most one batch is in flight, so
 * that after a crash of the worker it is known which units may have been written.
 */

import { Worker } from 'node:worker_threads';
import { CompletionQueue } from '../../commit-callbacks.js';
import type { CommitResult, Unit } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import { WRITER_THREAD } from './writer-thread.js';
import type { FromWriter, ToWriter, WriterOptions } from './writer-worker.js';

/** Maximum number of units in a batch, and of the bytes that they transfer. */
const BATCH_UNITS = 64;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Options of a unit. */
export interface CommitOptions {
    /** False for bytes that become durable with a later durable unit. Default true. */
    readonly durable?: boolean;
    /** True to return free pages to the disk, after deletions. Default false. */
    readonly reclaim?: boolean;
    /** A buffer of the unit that is transferred to the worker without a copy, */
    readonly transfer?: ArrayBuffer;
    /** and passed to this function before the result. */
    readonly onReturn?: (buffer: ArrayBuffer) => void;
}

/** Starts a thread, or takes one that was started ahead; it gets its options by a message. */
export type StartThread = (script: string) => Worker;

/** How a writer gets its thread. */
export interface ThreadOptions {
    readonly startThread?: StartThread | undefined;
    readonly script?: string;
}

const newWorker: StartThread = (script) => new Worker(script);

type Written = Extract<FromWriter, { kind: 'written' }>;

interface Pending {
    readonly unit: Unit;
    readonly options: CommitOptions;
    resolve(result: CommitResult): void;
    reject(error: Error): void;
}

/** Writes units to one SQLite file. */
export class SqliteWriter {

    readonly #options: WriterOptions;
    readonly #log: Log;
    readonly #startThread: StartThread;
    readonly #script: string;
    #queue: Pending[] = [];
    /** Units of the batch that the worker has not reported yet. */
    #inFlight: Pending[] = [];
    readonly #answers = new CompletionQueue(() => (this.#isIdle ? this.#idle?.() : undefined));
    #worker: Worker | null = null;
    #closing: Promise<void> | null = null;
    #idle: (() => void) | null = null;
    #scheduled = false;
    /** Time at which the batch in flight was sent, as `performance.now()`. */
    #sentAt = 0;
    /** Called after each transaction with its time in seconds, from its message to the answer, and the number of its units. */
    onCommitted: (seconds: number, units: number) => void = () => {};

    /**
     * @param script for tests of a crashing worker
     */
    constructor(options: WriterOptions, log: Log, { startThread = newWorker, script = WRITER_THREAD }: ThreadOptions = {}) {

        this.#options = options;
        this.#log = log;
        this.#startThread = startThread;
        this.#script = script;
    }

    /** Writes a unit; resolves when it is on disk (when `durable`), rejects with a {@link DatabaseError}. */
    commit(unit: Unit, options: CommitOptions = {}): Promise<CommitResult> {

        if (this.#closing) {
            return Promise.reject(new DatabaseError('unavailable', 'the database is closed'));
        }

        return new Promise((resolve, reject) => {

            this.#queue.push({ unit, options, resolve, reject });
            this.#schedule();
        });
    }

    /** Starts the thread ahead of the first commit. */
    prepare(): void {

        if (!this.#closing && !this.#worker) {
            this.#startedWorker().unref();
        }
    }

    /** Number of units that wait for the batch in flight, and of those in it. */
    get usage(): { readonly waiting: number; readonly running: number } {

        return { waiting: this.#queue.length, running: this.#inFlight.length };
    }

    /** Writes what is queued, then ends the worker. */
    close(): Promise<void> {

        this.#closing ??= this.#close();
        return this.#closing;
    }

    async #close(): Promise<void> {

        if (!this.#isIdle) {
            await new Promise<void>((resolve) => {

                this.#idle = resolve;
            });
        }

        const worker = this.#worker;
        if (worker) {
            const ended = new Promise((resolve) => worker.once('exit', resolve));
            worker.ref();
            worker.postMessage({ kind: 'close' } satisfies ToWriter);
            await ended;
        }
    }

    #schedule(): void {

        if (!this.#scheduled && this.#inFlight.length === 0) {
            this.#scheduled = true;
            setImmediate(() => {

                this.#scheduled = false;
                this.#send();
            });
        }
    }

    #send(): void {

        const batch = this.#takeBatch();
        if (batch.length === 0) {
            return;
        }

        this.#inFlight = batch;
        this.#sentAt = performance.now();
        const transferred = batch.flatMap(({ options }) => options.transfer ?? []);
        const message: ToWriter = {
            kind: 'commit',
            units: batch.map(({ unit }) => unit),
            durable: batch.some(({ options }) => options.durable ?? true),
            reclaim: batch.some(({ options }) => options.reclaim ?? false),
            transferred
        };
        try {
            const worker = this.#startedWorker();
            worker.ref();
            worker.postMessage(message, transferred);
        }
        catch (error) {
            // The message could not be cloned, or the thread not be started: nothing was written.
            this.#settleAll((pending) => pending.reject(new DatabaseError('failed', 'the unit cannot be written', error)));
        }
    }

    /** Takes units from the head of the queue, up to the limits; at least one. */
    #takeBatch(): Pending[] {

        let bytes = 0;
        let count = 0;
        for (const { options } of this.#queue) {
            bytes += options.transfer?.byteLength ?? 0;
            if (count > 0 && (count === BATCH_UNITS || bytes > BATCH_BYTES)) {
                break;
            }

            count += 1;
        }

        return this.#queue.splice(0, count);
    }

    #startedWorker(): Worker {

        if (this.#worker) {
            return this.#worker;
        }

        const worker = this.#startThread(this.#script);
        worker.postMessage({ kind: 'open', options: this.#options } satisfies ToWriter);
        let reason: Error | undefined;
        let ready = false;
        worker.on('message', (message: FromWriter) => {

            if (message.kind === 'ready') {
                ready = true;
            }
            else {
                this.#answer(message);
            }
        });
        worker.on('error', (error) => {

            reason = error;
        });
        worker.on('exit', () => this.#lost(ready, reason));
        this.#worker = worker;
        return worker;
    }

    #answer({ outcomes, returned }: Written): void {

        this.#worker?.unref();
        this.onCommitted((performance.now() - this.#sentAt) / 1000, this.#inFlight.length);
        this.#inFlight.filter(({ options }) => options.transfer).forEach(({ options }, index) => {

            const buffer = returned[index];
            if (buffer) {
                options.onReturn?.(buffer);
            }
        });
        this.#settleAll((pending, index) => {

            const outcome = outcomes[index];
            if (!outcome) {
                pending.reject(new DatabaseError('unknown-outcome', 'the database writer gave no answer for a unit'));
            }
            else if ('error' in outcome) {
                pending.reject(new DatabaseError(outcome.fault, outcome.message, outcome.error));
            }
            else {
                pending.resolve(outcome);
            }
        });
    }

    /** The worker has exited. The outcome of its batch is unknown; queued units go to the next worker. */
    #lost(ready: boolean, reason: Error | undefined): void {

        this.#worker = null;
        if (this.#inFlight.length > 0) {
            this.#log.error({ event: 'database.writer-exited', err: reason, units: this.#inFlight.length }, 'database writer thread exited');
        }

        const error = ready ?
            new DatabaseError('unknown-outcome',
                'the database writer stopped while it wrote; whether this change was written is not known', reason) :
            new DatabaseError('unavailable', 'the database writer could not start', reason);
        this.#settleAll((pending) => pending.reject(error));
    }

    /** Completes the batch in flight and schedules the next one. */
    #settleAll(each: (pending: Pending, index: number) => void): void {

        const batch = this.#inFlight;
        this.#inFlight = [];
        if (this.#queue.length > 0) {
            this.#schedule();
        }

        this.#answers.add(batch, each);
    }

    get #isIdle(): boolean {

        return this.#queue.length === 0 && this.#inFlight.length === 0 && this.#answers.isEmpty;
    }
}
