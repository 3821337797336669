/**
 * Calls to a worker thread, with answers and errors. Calls are worked off in their order.
 */

import { parentPort, Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { DoipError, unavailable } from '../doip/error.js';

/** A call on its way; no id when nobody waits. */
interface CallMessage<C> {
    readonly id: number;
    readonly call: C;
}

type AnswerMessage =
    | { readonly id: number; readonly ok: true; readonly value: unknown }
    | { readonly id: number; readonly ok: false; readonly error: SentError };

/** An error as it crosses threads. */
interface SentError {
    readonly message: string;
    readonly stack: string | undefined;
    /** Of a DoipError. */
    readonly status: string | null;
    readonly http: number | undefined;
}

interface Waiting {
    readonly resolve: (value: never) => void;
    readonly reject: (error: Error) => void;
}

/** A worker thread as its owner sees it. `A` has the answer to every kind of call. */
export class WorkerPort<C extends { readonly kind: string }, A extends Record<C['kind'], unknown>> {

    readonly #worker: Worker;
    readonly #waiting = new Map<number, Waiting>();
    #nextId = 1;
    #isOver = false;

    /**
     * @param file compiled script of the worker
     * @param lost told when the worker ends though nobody has closed it
     * @param options what it is started with
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

    /** Rejects with 503 when the worker ends before it has answered. */
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

    /** Ends the worker at once; calls that are not answered are rejected. */
    async terminate(): Promise<void> {

        this.#isOver = true;
        // Somebody waits for the end: the process must live to see it.
        this.#worker.ref();
        await this.#worker.terminate();
    }

    #settle(message: AnswerMessage): void {

        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (this.#waiting.size === 0 && !this.#isOver) {
            // A worker that has nothing to do does not keep the process alive; one that is being ended does.
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

/**
 * Answers the calls of the thread's owner. Handlers that do not wait work them off one after the other; with others that is for
 * the owner to see to.
 */
export function serveCalls<C>(handle: (call: C) => unknown): void {

    const port = parentPort;
    if (!port) {
        throw new Error('this is started as a worker thread');
    }

    const answer = (id: number, value: unknown): void => port.postMessage({ id, ok: true, value } satisfies AnswerMessage);
    const refuse = (id: number, error: unknown): void => port.postMessage({ id, ok: false, error: sent(error) } satisfies AnswerMessage);
    port.on('message', ({ id, call }: CallMessage<C>) => {

        try {
            const value = handle(call);
            if (value instanceof Promise) {
                value.then((later) => answer(id, later)).catch((error: unknown) => refuse(id, error));
            }
            else {
                answer(id, value);
            }
        }
        catch (error) {
            refuse(id, error);
        }
    });
}

function sent(error: unknown): SentError {

    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return error instanceof DoipError ? { message, stack, status: error.status, http: error.http } : { message, stack, status: null, http: undefined };
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

/** The error of whoever asks a thread that has ended, or is about to. */
export function gone(): Error {

    const error = unavailable('the search index is being restarted, try again', 1);
    GONE.add(error);
    return error;
}

/** Was a call rejected because the worker has ended? */
export function isGone(error: unknown): boolean {

    return error instanceof Error && GONE.has(error);
}
