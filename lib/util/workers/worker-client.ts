/**
 * RPC client of a worker thread: calls with results and errors. The server side is worker-server.ts.
 */

import { Worker } from 'node:worker_threads';
import type { TransferListItem, WorkerOptions } from 'node:worker_threads';
import { DoipError, unavailable } from '../../errors/errors.js';
import type { CallMessage } from './call-queue.js';
import { takeWorker } from './spare-workers.js';
import type { AnswerMessage, SentError } from './worker-server.js';

interface PendingCall {
    readonly resolve: (value: never) => void;
    readonly reject: (error: Error) => void;
}

/** Options of a thread. */
export interface ThreadOptions extends Pick<WorkerOptions, 'workerData' | 'transferList' | 'resourceLimits'> {
    /** Sent as the first message, which the script takes by `receiveOptions`, to a thread that may have been started ahead; excludes other options. */
    readonly first?: unknown;
}

/** Handle of a worker thread. `A` maps each kind of call to its result. */
export class WorkerClient<C extends { readonly kind: string }, A extends Record<C['kind'], unknown>> {

    readonly #worker: Worker;
    readonly #pending = new Map<number, PendingCall>();
    #nextId = 1;
    #isEnded = false;

    /**
     * @param file compiled script of the worker
     * @param onExit called when the worker ends unexpectedly
     * @param options options of the thread
     */
    constructor(file: string, onExit: (error: Error) => void, { first, ...options }: ThreadOptions = {}) {

        this.#worker = first === undefined ? new Worker(file, options) : takeWorker(file);
        if (first !== undefined) {
            this.#worker.postMessage(first, options.transferList);
        }

        this.#worker.unref();
        this.#worker.on('message', (message: AnswerMessage) => this.#finish(message));
        let cause: Error | null = null;
        this.#worker.on('error', (error) => {

            cause = error;
        });
        this.#worker.on('exit', (code) => {

            const isExpected = this.#isEnded;
            this.#isEnded = true;
            this.#failAll();
            if (!isExpected) {
                onExit(cause ?? new Error(`the worker ended with code ${code}`));
            }
        });
    }

    /** Calls the worker. Rejects with 503 when the worker ends before it has answered. */
    call<K extends C['kind']>(call: C & { readonly kind: K }, transferList: readonly TransferListItem[] = []): Promise<A[K]> {

        if (this.#isEnded) {
            return Promise.reject(workerExited());
        }

        const id = this.#nextId++;
        return new Promise((resolve, reject) => {

            this.#pending.set(id, { resolve, reject });
            if (this.#pending.size === 1) {
                this.#worker.ref();
            }

            this.#worker.postMessage({ id, call } satisfies CallMessage<C>, transferList);
        });
    }

    /** Number of calls without an answer. */
    get pending(): number {

        return this.#pending.size;
    }

    /** Terminates the worker; pending calls are rejected. */
    async terminate(): Promise<void> {

        this.#isEnded = true;
        // Keep the process alive until the worker has ended.
        this.#worker.ref();
        await this.#worker.terminate();
    }

    #finish(message: AnswerMessage): void {

        const pending = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        if (this.#pending.size === 0 && !this.#isEnded) {
            // An idle worker does not keep the process alive, one that is being terminated does.
            this.#worker.unref();
        }

        if (message.ok) {
            pending?.resolve(message.value as never);
        }
        else {
            pending?.reject(received(message.error));
        }
    }

    #failAll(): void {

        for (const { reject } of this.#pending.values()) {
            reject(workerExited());
        }

        this.#pending.clear();
    }
}

/** Returns an error as the thread has thrown it. */
export function received({ message, stack, status, http, attributes = {} }: SentError): Error {

    if (status !== null) {
        return new DoipError(status, message, http === undefined ? { attributes } : { http, attributes });
    }

    const error = new Error(message);
    if (stack !== undefined) {
        error.stack = stack;
    }

    return error;
}

const EXITED = new WeakSet<Error>();

/** The error of calls to a worker that has ended, or is about to. */
export function workerExited(): Error {

    const error = unavailable('the search index is being restarted, try again', 1);
    EXITED.add(error);
    return error;
}

/** True when a call was rejected because the worker has ended. */
export function isWorkerExited(error: unknown): boolean {

    return error instanceof Error && EXITED.has(error);
}
