/**
 * RPC server of a worker thread. Calls are served in FIFO order, or round-robin by caller; a handler that runs for long can yield
 * to calls that preempt it.
 */

import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { DoipError } from '../../errors/errors.js';
import type { CallOrder } from './call-order.js';

/** A call on its way. */
export interface CallMessage<C> {
    readonly id: number;
    readonly call: C;
}

export type AnswerMessage =
    | { readonly id: number; readonly ok: true; readonly value: unknown }
    | { readonly id: number; readonly ok: false; readonly error: SentError };

/** An error as it crosses threads. */
export interface SentError {
    readonly message: string;
    readonly stack: string | undefined;
    /** Of a DoipError. */
    readonly status: string | null;
    readonly http: number | undefined;
}

/** What becomes of a call that is offered: it stays where it is, alone or with all that came after it. */
export const DEFER = Symbol('later');
export const DEFER_ALL = Symbol('all later');

/** Calls that have come while another is worked off. */
export interface PendingCalls<C> {
    /**
     * Offers the pending calls in the order in which they would be served. Each is answered by what `work` returns or throws, which
     * must not be a promise, unless that is {@link DEFER}; {@link DEFER_ALL} ends it.
     */
    offer(work: (call: C) => unknown): void;
}

/**
 * Answers the calls of the thread's owner. Handlers that return no promise work them off one after the other; with others that is
 * for the owner to see to.
 *
 * @param order of those that wait; by default that in which they have come
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
    /** As they have come. */
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

    /** Takes the call that is to be worked off now. */
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

    /** What else has come. */
    #receive(): void {

        for (let more = receiveMessageOnPort(this.#port); more; more = receiveMessageOnPort(this.#port)) {
            this.#waiting.push(more.message as CallMessage<C>);
        }
    }

    /** Returns why there is no answer yet, if there is none. */
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
