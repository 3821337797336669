/**
 * Schedules background merges: while there are changes, and for some time after the last one, until there is nothing left to merge.
 */

import type { Load } from '../indexing/merge/merge-policy.js';

/** Milliseconds from a change to the next round, and minimum between rounds. */
const ROUND_MS = 25;

/** Maximum milliseconds between rounds; without changes they become rarer. */
const MAX_DELAY_MS = 1000;

/** Milliseconds for which a search counts as load. */
const SEARCHED_MS = 1000;

/** Merges some segments. Resolves with true when there will be more to merge even without changes. */
export type MergeRound = (load: Load) => Promise<boolean>;

export class MergeScheduler {

    readonly #merge: MergeRound;
    /** Number of searches that were not reported by {@link searched}. */
    readonly #otherSearches: () => number;
    #seenSearches = 0;
    #timer: NodeJS.Timeout | undefined;
    #isRunning = false;
    #isClosed = false;
    #changedAt = -Infinity;
    #searchedAt = -Infinity;

    constructor(merge: MergeRound, otherSearches: () => number = () => 0) {

        this.#merge = merge;
        this.#otherSearches = otherSearches;
    }

    /** To be called when changes were applied. */
    changed(): void {

        this.#changedAt = performance.now();
        this.#schedule(ROUND_MS);
    }

    /** To be called for every search. */
    searched(): void {

        this.#searchedAt = performance.now();
    }

    /** Looks at the load; other searches count from the look that finds them. */
    get load(): Load {

        const now = performance.now();
        const searches = this.#otherSearches();
        if (searches !== this.#seenSearches) {
            this.#seenSearches = searches;
            this.searched();
        }

        return { idleMs: now - this.#changedAt, isSearched: now - this.#searchedAt < SEARCHED_MS };
    }

    /** Starts no more rounds. */
    close(): void {

        this.#isClosed = true;
        clearTimeout(this.#timer);
    }

    #schedule(delay: number): void {

        if (!this.#isClosed && !this.#isRunning) {
            // Nothing is lost when the process ends before.
            this.#timer ??= setTimeout(() => void this.#round(), delay).unref();
        }
    }

    async #round(): Promise<void> {

        this.#timer = undefined;
        this.#isRunning = true;
        const { load } = this;
        const isMore = await this.#merge(load).catch(() => {

            // Logged already; retried after the next change.
            return false;
        });
        this.#isRunning = false;
        if (isMore || this.load.idleMs < load.idleMs) {
            this.#schedule(Math.min(Math.max(ROUND_MS, load.idleMs / 2), MAX_DELAY_MS));
        }
    }
}
