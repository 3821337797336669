/**
 * RPC client of a worker thread: calls with results and errors. The server side is worker-server.ts.
 */

import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { DoipError, unavailable } from '../../errors/errors.js';
import type { CallMessage } from './call-queue.js';
import type { AnswerMessage, SentError } from './worker-server.js';

interface Waiting {
    readonly resolve: (value: never) => void;
    readonly reject: (error: Error) => void;
}

/** Handle of a worker thread. `A` maps each kind of call to its result. */
export class WorkerClient<C extends { readonly kind: string }, A extends Record<C['kind'], unknown>> {

    readonly #worker: Worker;
    readonly #waiting = new Map<number, Waiting>();
    #nextId = 1;
    #isOver = false;

    /**
     * @param file compiled script of the worker
     * @param lost called when the worker ends unexpectedly
     * @param options options of the thread
     */
    constructor(file: string, lost: (error: Error) => void, options: Pick<WorkerOptions, 'workerData' | 'transferList' | 'resourceLimits'> = {}) {

        this.#worker = new Worker(file, options);
        this.#worker.unref();
        this.#worker.on('message', (message: AnswerMessage) => this.#settle(message));
        let cause: Error | null = null;
        this.#worker.on('error', (error) => {

            cause = error;
        });
        this.#worker.on('exit', (code) => {

            const isExpected = this.#isOver;
            this.#isOver = true;
            this.#failAll();
            if (!isExpected) {
                lost(cause ?? new Error(`the worker ended with code ${code}`));
            }
        });
    }

    /** Calls the worker. Rejects with 503 when the worker ends before it has answered. */
    call<K extends C['kind']>(call: C & { readonly kind: K }): Promise<A[K]> {

        if (this.#isOver) {
            return Promise.reject(gone());
        }

        const id = this.#nextId++;
        return new Promise((resolve, reject) => {

            this.#waiting.set(id, { resolve, reject });
            if (this.#waiting.size === 1) {
                this.#worker.ref();
            }

            this.#worker.postMessage({ id, call } satisfies CallMessage<C>);
        });
    }

    /** Terminates the worker; pending calls are rejected. */
    async terminate(): Promise<void> {

        this.#isOver = true;
        // Keep the process alive until the worker has ended.
        this.#worker.ref();
        await this.#worker.terminate();
    }

    #settle(message: AnswerMessage): void {

        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (this.#waiting.size === 0 && !this.#isOver) {
            // An idle worker does not keep the process alive, one that is being terminated does.
            this.#worker.unref();
        }

        if (message.ok) {
            waiting?.resolve(message.value as never);
        }
        else {
            waiting?.reject(received(message.error));
        }
    }

    #failAll(): void {

        for (const { reject } of this.#waiting.values()) {
            reject(gone());
        }

        this.#waiting.clear();
    }
}

function received({ message, stack, status, http }: SentError): Error {

    if (status !== null) {
        return new DoipError(status, message, http === undefined ? {} : { http });
    }

    const error = new Error(message);
    if (stack !== undefined) {
        error.stack = stack;
    }

    return error;
}

const GONE = new WeakSet<Error>();

/** The error of calls to a worker that has ended, or is about to. */
export function gone(): Error {

    const error = unavailable('the search index is being restarted, try again', 1);
    GONE.add(error);
    return error;
}

/** True when a call was rejected because the worker has ended. */
export function isGone(error: unknown): boolean {

    return error instanceof Error && GONE.has(error);
}
