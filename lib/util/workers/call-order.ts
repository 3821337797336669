/**
 * Order in which a worker thread takes pending calls: round-robin by caller, so that many calls of one caller do not delay the others.
 * Calls that must be visible to a later call precede it.
 */

import { LRUCache } from 'lru-cache';

/** When a call is taken: before all others, after all earlier calls, or in its caller's turn. */
export type CallTurn = 'first' | 'in order' | { readonly of: string };

/** Maximum number of callers whose last turn is remembered. */
const MAX_ENTRIES = 1000;

interface Message<C> {
    readonly call: C;
}

export class CallOrder<C> {

    readonly #turnOf: (call: C) => CallTurn;
    /** Number of the last turn by caller, in the order of use. */
    readonly #served = new LRUCache<string, number>({ max: MAX_ENTRIES });
    #turns = 0;

    constructor(turnOf: (call: C) => CallTurn) {

        this.#turnOf = turnOf;
    }

    /** Must be called for each call that is taken. */
    took(call: C): void {

        const turn = this.#turnOf(call);
        if (typeof turn === 'string') {
            return;
        }

        this.#served.set(turn.of, ++this.#turns);
    }

    /** Index of the call to take next, of calls in order of arrival; 0 without any. */
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

    /** Sorts calls in order of arrival into the order in which they are taken when no others arrive. */
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

    /** Interleaves the calls of all callers; the caller whose last turn is longest ago comes first. */
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
