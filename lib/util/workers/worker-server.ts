/**
 * RPC server of a worker thread. Calls are served in FIFO order, or round-robin by caller; a long-running handler can yield to calls that
 * preempt it.
 */

import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { DoipError } from '../../errors/errors.js';
import type { CallMessage, CallOrder } from './call-queue.js';
import { CallQueue } from './call-queue.js';

export type AnswerMessage =
    | { readonly id: number; readonly ok: true; readonly value: unknown }
    | { readonly id: number; readonly ok: false; readonly error: SentError };

/** A serialized error. */
export interface SentError {
    readonly message: string;
    readonly stack: string | undefined;
    /** Of a DoipError. */
    readonly status: string | null;
    readonly http: number | undefined;
}

/** Result of an offered call that is not answered yet. */
export const DEFER = Symbol('later');

/** Calls that arrived while another one is running. */
export interface PendingCalls<C> {
    /**
     * Offers the pending calls in the order in which they would be served. A call is answered with the synchronous result or error of
     * `work`, unless that is {@link DEFER}.
     */
    offer(work: (call: C) => unknown): void;
}

/** Calls `begin` with the options that the owner sends first, which begins to serve. */
export function receiveOptions<O>(begin: (options: O) => void): void {

    parentPort?.once('message', begin);
}

/**
 * Serves the calls of the thread's owner. Synchronous handlers run one after the other; asynchronous ones run concurrently, which the owner
 * must allow for.
 *
 * @param orderOf order of pending calls; FIFO by default
 */
export function serveCalls<C>(handle: (call: C, pending: PendingCalls<C>) => unknown, orderOf: (call: C) => CallOrder = () => 'in order'): void {

    if (!parentPort) {
        throw new Error('this is started as a worker thread');
    }

    const calls = new WorkerServer(parentPort, handle, orderOf);
    parentPort.on('message', (message: CallMessage<C>) => calls.enqueue(message));
}

class WorkerServer<C> implements PendingCalls<C> {

    readonly #port: MessagePort;
    readonly #handle: (call: C, pending: PendingCalls<C>) => unknown;
    readonly #queue: CallQueue<C>;

    constructor(port: MessagePort, handle: (call: C, pending: PendingCalls<C>) => unknown, orderOf: (call: C) => CallOrder) {

        this.#port = port;
        this.#handle = handle;
        this.#queue = new CallQueue(orderOf);
    }

    enqueue(message: CallMessage<C>): void {

        this.#queue.push(message);
        for (let next = this.#next(); next; next = this.#next()) {
            this.#answer(next.id, next.call, (own) => this.#handle(own, this));
        }
    }

    offer(work: (call: C) => unknown): void {

        this.#receive();
        for (const message of this.#queue.sorted()) {
            if (this.#answer(message.id, message.call, work)) {
                this.#queue.remove(message);
            }
        }
    }

    /** Removes the next call to serve. */
    #next(): CallMessage<C> | undefined {

        this.#receive();
        return this.#queue.next();
    }

    /** Receives messages that have arrived meanwhile. */
    #receive(): void {

        for (let more = receiveMessageOnPort(this.#port); more; more = receiveMessageOnPort(this.#port)) {
            this.#queue.push(more.message as CallMessage<C>);
        }
    }

    /** Runs and answers a call; returns false if it is deferred. */
    #answer(id: number, call: C, work: (call: C) => unknown): boolean {

        try {
            const value = work(call);
            if (value === DEFER) {
                return false;
            }

            if (value instanceof Promise) {
                value.then((result) => this.#send(id, result)).catch((error: unknown) => this.#reject(id, error));
            }
            else {
                this.#send(id, value);
            }
        }
        catch (error) {
            this.#reject(id, error);
        }

        return true;
    }

    #send(id: number, value: unknown): void {

        this.#port.postMessage({ id, ok: true, value } satisfies AnswerMessage);
    }

    #reject(id: number, error: unknown): void {

        this.#port.postMessage({ id, ok: false, error: sent(error) } satisfies AnswerMessage);
    }
}

function sent(error: unknown): SentError {

    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return error instanceof DoipError ? { message, stack, status: error.status, http: error.http } : { message, stack, status: null, http: undefined };
}
