/**
 * RPC server of a worker thread. Calls are served in FIFO order, or round-robin by caller; a long-running handler can yield to calls that
 * preempt it.
 */

import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { DoipError } from '../../errors/errors.js';
import type { CallOrder } from './call-order.js';

/** Message of a call. */
export interface CallMessage<C> {
    readonly id: number;
    readonly call: C;
}

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

/** Results of an offered call: defer this one, or this one and all later ones. */
export const DEFER = Symbol('later');
export const DEFER_ALL = Symbol('all later');

/** Calls that arrived while another one is running. */
export interface PendingCalls<C> {
    /**
     * Offers the pending calls in the order in which they would be served. A call is answered with the synchronous result or error of
     * `work`, unless that is {@link DEFER}; {@link DEFER_ALL} stops offering.
     */
    offer(work: (call: C) => unknown): void;
}

/**
 * Serves the calls of the thread's owner. Synchronous handlers run one after the other; asynchronous ones run concurrently, which the owner
 * must allow for.
 *
 * @param order of pending calls; FIFO by default
 */
export function serveCalls<C>(handle: (call: C, waiting: PendingCalls<C>) => unknown, order: CallOrder<C> | null = null): void {

    if (!parentPort) {
        throw new Error('this is started as a worker thread');
    }

    const calls = new WorkerServer(parentPort, handle, order);
    parentPort.on('message', (message: CallMessage<C>) => calls.came(message));
}

class WorkerServer<C> implements PendingCalls<C> {

    readonly #port: MessagePort;
    readonly #handle: (call: C, waiting: PendingCalls<C>) => unknown;
    readonly #order: CallOrder<C> | null;
    /** In order of arrival. */
    readonly #waiting: CallMessage<C>[] = [];

    constructor(port: MessagePort, handle: (call: C, waiting: PendingCalls<C>) => unknown, order: CallOrder<C> | null) {

        this.#port = port;
        this.#handle = handle;
        this.#order = order;
    }

    came(message: CallMessage<C>): void {

        this.#waiting.push(message);
        while (this.#waiting.length > 0) {
            const { id, call } = this.#next();
            this.#answer(id, call, (own) => this.#handle(own, this));
        }
    }

    offer(work: (call: C) => unknown): void {

        this.#receive();
        for (const message of this.#order?.sorted(this.#waiting) ?? [...this.#waiting]) {
            const outcome = this.#answer(message.id, message.call, work);
            if (outcome === DEFER_ALL) {
                return;
            }

            if (outcome !== DEFER) {
                this.#waiting.splice(this.#waiting.indexOf(message), 1);
                this.#order?.took(message.call);
            }
        }
    }

    /** Removes the next call to serve. */
    #next(): CallMessage<C> {

        if (!this.#order) {
            return this.#waiting.shift() as CallMessage<C>;
        }

        this.#receive();
        const place = this.#waiting.length === 1 ? 0 : this.#order.next(this.#waiting);
        const [message] = this.#waiting.splice(place, 1) as [CallMessage<C>];
        this.#order.took(message.call);
        return message;
    }

    /** Receives messages that have arrived meanwhile. */
    #receive(): void {

        for (let more = receiveMessageOnPort(this.#port); more; more = receiveMessageOnPort(this.#port)) {
            this.#waiting.push(more.message as CallMessage<C>);
        }
    }

    /** Runs and answers a call; returns the reason why there is no answer yet, or null. */
    #answer(id: number, call: C, work: (call: C) => unknown): typeof DEFER | typeof DEFER_ALL | null {

        try {
            const value = work(call);
            if (value === DEFER || value === DEFER_ALL) {
                return value;
            }

            if (value instanceof Promise) {
                value.then((late) => this.#send(id, late)).catch((error: unknown) => this.#refuse(id, error));
            }
            else {
                this.#send(id, value);
            }
        }
        catch (error) {
            this.#refuse(id, error);
        }

        return null;
    }

    #send(id: number, value: unknown): void {

        this.#port.postMessage({ id, ok: true, value } satisfies AnswerMessage);
    }

    #refuse(id: number, error: unknown): void {

        this.#port.postMessage({ id, ok: false, error: sent(error) } satisfies AnswerMessage);
    }
}

function sent(error: unknown): SentError {

    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return error instanceof DoipError ? { message, stack, status: error.status, http: error.http } : { message, stack, status: null, http: undefined };
}
