/**
 * Fair semaphore: a limited number of permits, granted round-robin by caller, so that a flood from one caller delays the others by
 * no more than the work that is already running.
 */

import { tooManyRequests, unavailable } from '../../errors/errors.js';

/** How much may run and wait. */
export interface SemaphoreLimits {
    /** That run at a time. */
    readonly places: number;
    /** That run at a time beyond the places, for callers of whom nothing runs: the few who take all places do not shut others out. */
    readonly spare: number;
    /** Of one caller that may wait. */
    readonly perCaller: number;
    /** That may wait altogether. */
    readonly total: number;
}

interface Waiting {
    readonly go: () => void;
}

const RETRY_AFTER = 2;

/** Hands out places. */
export class FairSemaphore {

    readonly #limits: SemaphoreLimits;
    /** Places that one caller may have; one is left for the others where there is more than one. */
    readonly #share: number;
    readonly #running = new Map<string, number>();
    /** The caller whose turn is next comes first. */
    readonly #waiting = new Map<string, Waiting[]>();
    #inUse = 0;
    #count = 0;

    constructor(limits: SemaphoreLimits) {

        this.#limits = limits;
        this.#share = Math.max(1, limits.places - 1);
    }

    /**
     * Resolves, when it is the caller's turn, to the function that gives the place back.
     *
     * @throws DoipError 429 when too much of the caller waits, 503 when too much waits or the wait was too long
     */
    async acquire(key: string, patience: number): Promise<() => void> {

        if (!this.#take(key)) {
            await this.#wait(key, patience);
        }

        let isInside = true;
        return () => {

            if (isInside) {
                isInside = false;
                this.#leave(key);
            }
        };
    }

    #take(key: string): boolean {

        const { places, spare } = this.#limits;
        const running = this.#running.get(key) ?? 0;
        if (this.#inUse >= (running === 0 ? places + spare : places) || running >= this.#share) {
            return false;
        }

        ++this.#inUse;
        this.#running.set(key, running + 1);
        return true;
    }

    #wait(key: string, patience: number): Promise<void> {

        const queue = this.#waiting.get(key) ?? [];
        if (queue.length >= this.#limits.perCaller) {
            throw tooManyRequests('too many scripts are waiting to be run for you, try again a little later', RETRY_AFTER);
        }

        if (this.#count >= this.#limits.total) {
            throw unavailable('too many scripts are waiting to be run, try again a little later', RETRY_AFTER);
        }

        return new Promise((resolve, reject) => {

            const waiting = {
                go: () => {

                    clearTimeout(timer);
                    resolve();
                }
            };
            const timer = setTimeout(() => {

                this.#forget(key, waiting);
                reject(unavailable('all workers for scripts are busy, try again a little later', RETRY_AFTER));
            }, patience);
            queue.push(waiting);
            this.#waiting.set(key, queue);
            ++this.#count;
        });
    }

    #leave(key: string): void {

        --this.#inUse;
        const running = (this.#running.get(key) ?? 1) - 1;
        if (running === 0) {
            this.#running.delete(key);
        }
        else {
            this.#running.set(key, running);
        }

        this.#next();
    }

    #next(): void {

        for (const [key, queue] of this.#waiting) {
            const first = queue[0];
            if (first && this.#take(key)) {
                this.#forget(key, first);
                first.go();
            }
        }
    }

    /** Whoever else waits under the same key goes behind the others. */
    #forget(key: string, waiting: Waiting): void {

        const queue = this.#waiting.get(key) ?? [];
        const index = queue.indexOf(waiting);
        if (index !== -1) {
            queue.splice(index, 1);
            --this.#count;
        }

        this.#waiting.delete(key);
        if (queue.length > 0) {
            this.#waiting.set(key, queue);
        }
    }
}
