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

/** First time slice in milliseconds, and how often it is doubled on retries. */
const FIRST_SLICE_MS = 25;
const DOUBLINGS = 4;

/** Approximate maximum length of a round of preemption, in milliseconds. */
const ROUND = 400;

/** Maximum budget for slices that time out, in milliseconds. */
const MAX_WASTED_MS = 400;

/** Share of the preempted query's own time that is added to the budget: at first, and after it has taken LONG milliseconds. */
const FIRST_SHARE = 1 / 8;
const SHARE = 1 / 2;
const LONG = 1000;

/** Executes preempting calls. */
export interface PreemptingExecutor {
    /** Searches for at most a number of milliseconds; throws {@link QueryTimeout} when they are over. */
    search(call: SearchCall, milliseconds: number): unknown;
    work(call: SearcherCall): unknown;
    /** Returns the milliseconds that a search has left; throws {@link QueryTimeout} when there are none. */
    timeFor(call: SearchCall): number;
}

/** Preemption in one search thread. */
export class Preemption {

    readonly #executor: PreemptingExecutor;
    readonly #now: () => number;
    /** Number of slices that a search has used. */
    readonly #sliceCounts = new WeakMap<SearchCall, number>();
    /** Current budget for slices that time out, in milliseconds. */
    #wastedBudgetMs = MAX_WASTED_MS;

    /**
     * @param now clock in milliseconds
     */
    constructor(executor: PreemptingExecutor, now: () => number = () => performance.now()) {

        this.#executor = executor;
        this.#now = now;
    }

    /** Returns a function that a starting search has to call at intervals; each call is a round of preemption. */
    createYield(pending: PendingCalls<SearcherCall>): () => void {

        let since = this.#now();
        let total = 0;
        return () => {

            const elapsed = this.#now() - since;
            total += elapsed;
            this.#wastedBudgetMs = Math.min(this.#wastedBudgetMs + elapsed * (total < LONG ? FIRST_SHARE : SHARE), MAX_WASTED_MS);
            this.#runPending(pending);
            since = this.#now();
        };
    }

    #runPending(pending: PendingCalls<SearcherCall>): void {

        const end = this.#now() + ROUND;
        pending.offer((call) => {

            if (this.#now() > end) {
                return DEFER_ALL;
            }

            if (call.kind === 'search') {
                return this.#attempt(call);
            }

            return removesStored(call) ? DEFER : this.#executor.work(call);
        });
    }

    #attempt(call: SearchCall): unknown {

        const slices = this.#sliceCounts.get(call) ?? 0;
        const elapsed = FIRST_SLICE_MS * 2 ** slices;
        const left = this.#executor.timeFor(call);
        // New searches need no full budget, since most are short.
        if (slices > DOUBLINGS || this.#wastedBudgetMs < (slices === 0 ? 1 : elapsed)) {
            return DEFER;
        }

        const started = this.#now();
        try {
            return this.#executor.search(call, Math.min(elapsed, left));
        }
        catch (error) {
            if (!(error instanceof QueryTimeout) || elapsed >= left) {
                throw error;
            }

            this.#wastedBudgetMs -= this.#now() - started;
            this.#sliceCounts.set(call, slices + 1);
            return DEFER;
        }
    }
}

/** Returns whether a call removes stored segments. The running search may use them, so it is deferred; calls after it need not wait. */
function removesStored(call: SearcherCall): boolean {

    return call.kind === 'replace' && call.sources.some(({ name }) => name >= 0);
}
