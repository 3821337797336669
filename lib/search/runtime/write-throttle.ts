/**
 * Back-pressure on writers (write throttle): they wait while too many changes have not been applied to the search index, or too
 * many applied ones have not been stored.
 */

import { unavailable } from '../../errors/errors.js';

/** Changes on their way to the searching thread. */
const MAX_UNAPPLIED = 2000;

/** Documents that are in the memory of the searching thread alone. */
const MAX_UNSTORED = 100_000;

/** Milliseconds that a writer waits. */
const TIMEOUT_MS = 30_000;

export class WriteThrottle {

    #unapplied = 0;
    #unstored = 0;
    #waiting = new Set<() => void>();

    add(changes: number): void {

        this.#unapplied += changes;
    }

    /** Changes were applied; so many documents are not stored now. */
    done(changes: number, unstored: number): void {

        this.#unapplied = Math.max(this.#unapplied - changes, 0);
        this.#unstored = unstored;
        if (!this.#isFull) {
            this.release();
        }
    }

    /** Begins anew, with nothing on its way. */
    reset(): void {

        this.#unapplied = 0;
        this.#unstored = 0;
        this.release();
    }

    /** Lets all who wait go on. */
    release(): void {

        const waiting = this.#waiting;
        this.#waiting = new Set();
        waiting.forEach((go) => go());
    }

    /** Resolves when there is room. 503 when that takes too long. */
    async wait(): Promise<void> {

        if (!this.#isFull) {
            return;
        }

        await new Promise<void>((resolve, reject) => {

            const go = (): void => {

                clearTimeout(timer);
                resolve();
            };

            const timer = setTimeout(() => {

                this.#waiting.delete(go);
                reject(unavailable('the search index cannot keep up with so many changes, try again', 5));
            }, TIMEOUT_MS);
            this.#waiting.add(go);
        });
    }

    get #isFull(): boolean {

        return this.#unapplied > MAX_UNAPPLIED || this.#unstored > MAX_UNSTORED;
    }
}
