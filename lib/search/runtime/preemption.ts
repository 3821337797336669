/**
 * Cooperative preemption with a multilevel feedback queue: a long query yields at intervals, pending changes are applied, and searches
 * of one level run for one time slice. A search that does not end in its slice is started again on the next level, with twice the
 * slice; after the last one it waits for the queries before it. Retries have precedence over new searches, but at most a quarter of
 * the time.
 */

import { QueryTimeout } from '../query/query-deadline.js';
import type { SearcherCall } from './protocol.js';
import { DEFER } from '../../util/workers/worker-server.js';
import type { PendingCalls } from '../../util/workers/worker-server.js';

type SearchCall = SearcherCall & { readonly kind: 'search' };

/** Time slice of the first level in milliseconds, and the number of levels: the longest slice is 400 ms. */
const FIRST_SLICE_MS = 25;
const LEVELS = 5;

/** Time between retries, as a multiple of the length of the last one. */
const RETRY_PAUSE = 3;

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
    /** Number of slices in which a search has not ended. */
    readonly #levels = new WeakMap<SearchCall, number>();
    /** Time of the next retry. */
    #retryAt = -Infinity;

    /**
     * @param now clock in milliseconds
     */
    constructor(executor: PreemptingExecutor, now: () => number = () => performance.now()) {

        this.#executor = executor;
        this.#now = now;
    }

    /** Runs all pending calls but searches, then searches for one time slice. To be called by a running search at intervals. */
    runPending(pending: PendingCalls<SearcherCall>): void {

        const levels = new Set<number>();
        pending.offer((call) => {

            if (call.kind !== 'search') {
                return removesStored(call) ? DEFER : this.#executor.work(call);
            }

            // Throws for a search that has waited too long, whatever its level.
            this.#executor.timeFor(call);
            levels.add(this.#levelOf(call));
            return DEFER;
        });
        const started = this.#now();
        const retry = Math.min(...[...levels].filter((level) => level > 0));
        if (retry < LEVELS && started >= this.#retryAt) {
            this.#search(pending, retry);
            this.#retryAt = this.#now() + (this.#now() - started) * RETRY_PAUSE;
        }
        else if (levels.has(0)) {
            this.#search(pending, 0);
        }
    }

    #search(pending: PendingCalls<SearcherCall>, level: number): void {

        const slice = FIRST_SLICE_MS * 2 ** level;
        const end = this.#now() + slice;
        pending.offer((call) => (call.kind === 'search' && this.#levelOf(call) === level && this.#now() < end ? this.#attempt(call, slice) : DEFER));
    }

    #attempt(call: SearchCall, slice: number): unknown {

        const left = this.#executor.timeFor(call);
        try {
            return this.#executor.search(call, Math.min(slice, left));
        }
        catch (error) {
            if (!(error instanceof QueryTimeout) || slice >= left) {
                throw error;
            }

            this.#levels.set(call, this.#levelOf(call) + 1);
            return DEFER;
        }
    }

    #levelOf(call: SearchCall): number {

        return this.#levels.get(call) ?? 0;
    }
}

/** Returns whether a call removes stored segments. The running search may use them, so it is deferred; calls after it need not wait. */
function removesStored(call: SearcherCall): boolean {

    return call.kind === 'replace' && call.sources.some(({ name }) => name >= 0);
}
