/**
 * The order in which a worker thread takes the calls that wait for it. Callers take turns (round-robin): who asks for much at once
 * waits for that, and others pass. What a call of a caller has to see comes before it.
 */

import { LRUCache } from 'lru-cache';

/** When a call is taken: before all others, after what came before it, or when it is the turn of a caller. */
export type CallTurn = 'first' | 'in order' | { readonly of: string };

/** Callers of whom it is known when they had their last turn. */
const MAX_ENTRIES = 1000;

interface Message<C> {
    readonly call: C;
}

export class CallOrder<C> {

    readonly #turnOf: (call: C) => CallTurn;
    /** Number of the last turn of a caller; the caller served last is at the end. */
    readonly #served = new LRUCache<string, number>({ max: MAX_ENTRIES });
    #turns = 0;

    constructor(turnOf: (call: C) => CallTurn) {

        this.#turnOf = turnOf;
    }

    /** To be called with each call that is taken. */
    took(call: C): void {

        const turn = this.#turnOf(call);
        if (typeof turn === 'string') {
            return;
        }

        this.#served.set(turn.of, ++this.#turns);
    }

    /** Where the call is that is to be taken, of some that have come in this order; 0 when there are none. */
    next(messages: readonly Message<C>[]): number {

        let inOrder: number | null = null;
        let chosen: number | null = null;
        let earliest = Infinity;
        for (const [place, { call }] of messages.entries()) {
            const turn = this.#turnOf(call);
            if (turn === 'first') {
                return place;
            }

            if (turn === 'in order') {
                inOrder ??= place;
            }
            else if (this.#lastTurn(turn.of) < earliest) {
                chosen = place;
                earliest = this.#lastTurn(turn.of);
            }
        }

        return Math.min(inOrder ?? Infinity, chosen ?? Infinity, messages.length);
    }

    /** Calls that have come in this order, in the order in which they are to be taken when no others come. */
    sorted<M extends Message<C>>(messages: readonly M[]): M[] {

        const sorted: M[] = [];
        const inOrder: number[] = [];
        const byCaller = new Map<string, number[]>();
        for (const [place, message] of messages.entries()) {
            const turn = this.#turnOf(message.call);
            if (turn === 'first') {
                sorted.push(message);
            }
            else if (turn === 'in order') {
                inOrder.push(place);
            }
            else {
                addTo(byCaller, turn.of, place);
            }
        }

        let next = 0;
        const takeBefore = (end: number): void => {

            for (; (inOrder[next] ?? Infinity) < end; ++next) {
                sorted.push(messages[inOrder[next] as number] as M);
            }
        };

        for (const place of this.#inTurns(byCaller)) {
            takeBefore(place);
            sorted.push(messages[place] as M);
        }

        takeBefore(messages.length);
        return sorted;
    }

    /** One of each caller, then the next of each; the caller whose last turn was longest ago comes first. */
    #inTurns(byCaller: ReadonlyMap<string, readonly number[]>): number[] {

        const places: number[] = [];
        let left = [...byCaller].sort(([one], [other]) => this.#lastTurn(one) - this.#lastTurn(other)).map(([, own]) => own);
        for (let nth = 0; left.length > 0; ++nth) {
            left = left.filter((own) => nth < own.length);
            places.push(...left.map((own) => own[nth] as number));
        }

        return places;
    }

    #lastTurn(caller: string): number {

        return this.#served.peek(caller) ?? 0;
    }
}

function addTo(lists: Map<string, number[]>, key: string, value: number): void {

    const list = lists.get(key);
    if (list) {
        list.push(value);
    }
    else {
        lists.set(key, [value]);
    }
}
