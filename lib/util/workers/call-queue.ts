/**
 * Queue of the calls that are pending in a worker thread: round-robin by caller, so that a caller with many calls does not delay others.
 * Ordered calls, such as index updates, come before the calls that must see them.
 */

import type { MessagePort } from 'node:worker_threads';
import { FairQueue } from '../concurrency/fair-queue.js';

/** When a call is served: before all others, after the calls that came before it, or when it is the turn of its caller. */
export type CallOrder = 'first' | 'in order' | { readonly of: string };

/** Message of a call; ids increase in the order of arrival. */
export interface CallMessage<C> {
    readonly id: number;
    readonly call: C;
    /** Where the answer goes, and the id there; absent for calls of the owner of the thread. */
    readonly answerTo?: { readonly port: MessagePort; readonly id: number };
}

export class CallQueue<C> {

    readonly #orderOf: (call: C) => CallOrder;
    readonly #first: CallMessage<C>[] = [];
    readonly #inOrder: CallMessage<C>[] = [];
    readonly #byCaller = new FairQueue<CallMessage<C>>(true);

    constructor(orderOf: (call: C) => CallOrder) {

        this.#orderOf = orderOf;
    }

    push(message: CallMessage<C>): void {

        const order = this.#orderOf(message.call);
        if (typeof order === 'string') {
            this.#listOf(order).push(message);
        }
        else {
            this.#byCaller.push(order.of, message);
        }
    }

    /** Number of pending calls of the caller of a call; 0 for one that is served in order. */
    pendingWith(call: C): number {

        const order = this.#orderOf(call);
        return typeof order === 'string' ? 0 : this.#byCaller.sizeOf(order.of);
    }

    /** Removes the next call to serve. */
    next(): CallMessage<C> | undefined {

        const caller = this.#byCaller.next();
        const nextOfCaller = caller === undefined ? undefined : this.#byCaller.peek(caller);
        if (caller === undefined || !nextOfCaller || this.#first.length > 0 || (this.#inOrder[0]?.id ?? Infinity) < nextOfCaller.id) {
            return this.#first.shift() ?? this.#inOrder.shift();
        }

        this.#byCaller.recordTurn(caller);
        return this.#byCaller.shift(caller);
    }

    /** Returns all calls in the order in which they are served if no others arrive. */
    sorted(): CallMessage<C>[] {

        const sorted = [...this.#first];
        let next = 0;
        const addBefore = (id: number): void => {

            for (let message = this.#inOrder[next]; message && message.id < id; message = this.#inOrder[++next]) {
                sorted.push(message);
            }
        };

        for (const message of this.#byCaller.inTurns()) {
            addBefore(message.id);
            sorted.push(message);
        }

        addBefore(Infinity);
        return sorted;
    }

    /** Removes a call from any position, which counts as a turn of its caller. */
    remove(message: CallMessage<C>): void {

        const order = this.#orderOf(message.call);
        if (typeof order === 'string') {
            const list = this.#listOf(order);
            list.splice(list.indexOf(message), 1);
        }
        else {
            this.#byCaller.recordTurn(order.of);
            this.#byCaller.remove(order.of, message);
        }
    }

    #listOf(order: 'first' | 'in order'): CallMessage<C>[] {

        return order === 'first' ? this.#first : this.#inOrder;
    }
}
