/**
 * Cooperative preemption: while a long query runs, pending changes and short queries run in between. A preempting query gets a time
 * slice, doubled on each retry up to 400 ms; after that it waits for the queries before it. A slice that times out is wasted work,
 * which is capped at a share of the time of the preempted query.
 */

import { QueryTimeout } from '../query/query-deadline.js';
import type { SearcherCall } from './protocol.js';
import { DEFER_ALL, DEFER } from '../../util/workers/worker-server.js';
import type { PendingCalls } from '../../util/workers/worker-server.js';

type SearchCall = SearcherCall & { readonly kind: 'search' };

/** Milliseconds of the first try, and how often they are doubled. */
const FIRST_SLICE_MS = 25;
const DOUBLINGS = 4;

/** Milliseconds of all tries of a round, about. */
const ROUND = 400;

/** Most milliseconds that tries in vain may take at once. */
const MAX_WASTED_MS = 400;

/** Their share of what the overtaken search takes by itself: at first, and when it turned out to take so many milliseconds. */
const FIRST_SHARE = 1 / 8;
const SHARE = 1 / 2;
const LONG = 1000;

/** How calls are worked off. */
export interface PreemptingExecutor {
    /** Searches for so many milliseconds at most. Throws {@link QueryTimeout} when they are over. */
    search(call: SearchCall, milliseconds: number): unknown;
    work(call: SearcherCall): unknown;
    /** Milliseconds that a search may still take; throws when there are none. */
    timeFor(call: SearchCall): number;
}

export class Preemption {

    readonly #overtaker: PreemptingExecutor;
    readonly #now: () => number;
    /** How often a search was tried. */
    readonly #tries = new WeakMap<SearchCall, number>();
    /** Milliseconds that tries in vain may take now. */
    #inVain = MAX_WASTED_MS;

    /** @param now the time in milliseconds */
    constructor(overtaker: PreemptingExecutor, now: () => number = () => performance.now()) {

        this.#overtaker = overtaker;
        this.#now = now;
    }

    /** What a search that begins now has to call now and then: a round in which others overtake it. */
    rounds(waiting: PendingCalls<SearcherCall>): () => void {

        let since = this.#now();
        let worked = 0;
        return () => {

            const own = this.#now() - since;
            worked += own;
            this.#inVain = Math.min(this.#inVain + own * (worked < LONG ? FIRST_SHARE : SHARE), MAX_WASTED_MS);
            this.#admit(waiting);
            since = this.#now();
        };
    }

    #admit(waiting: PendingCalls<SearcherCall>): void {

        const end = this.#now() + ROUND;
        waiting.offer((call) => {

            if (this.#now() > end) {
                return DEFER_ALL;
            }

            if (call.kind === 'search') {
                return this.#try(call);
            }

            return removesStored(call) ? DEFER : this.#overtaker.work(call);
        });
    }

    #try(call: SearchCall): unknown {

        const tries = this.#tries.get(call) ?? 0;
        const own = FIRST_SLICE_MS * 2 ** tries;
        const left = this.#overtaker.timeFor(call);
        // New ones come first: most of them take little.
        if (tries > DOUBLINGS || this.#inVain < (tries === 0 ? 1 : own)) {
            return DEFER;
        }

        const began = this.#now();
        try {
            return this.#overtaker.search(call, Math.min(own, left));
        }
        catch (error) {
            if (!(error instanceof QueryTimeout) || own >= left) {
                throw error;
            }

            this.#inVain -= this.#now() - began;
            this.#tries.set(call, tries + 1);
            return DEFER;
        }
    }
}

/** Does it remove stored segments? Those may be searched right now, and are deleted when it is done. What comes after it need not wait for it. */
function removesStored(call: SearcherCall): boolean {

    return call.kind === 'replace' && call.sources.some(({ name }) => name >= 0);
}
