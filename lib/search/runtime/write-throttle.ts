/**
 * Back-pressure on writers (write throttle): they wait while too many changes have not been applied to the search index, or too
 * many applied ones have not been stored.
 */

import { unavailable } from '../../errors/errors.js';

/** Maximum number of changes that were not applied yet. */
const MAX_UNAPPLIED = 2000;

/** Maximum number of documents that are only in the memory of the search thread. */
const MAX_UNSTORED = 100_000;

/** Timeout of a waiting writer, in milliseconds. */
const TIMEOUT_MS = 30_000;

export class WriteThrottle {

    #unapplied = 0;
    #unstored = 0;
    #waiters = new Set<() => void>();

    add(changes: number): void {

        this.#unapplied += changes;
    }

    /** Accounts for applied changes; `unstored` is the number of documents that are not stored now. */
    done(changes: number, unstored: number): void {

        this.#unapplied = Math.max(this.#unapplied - changes, 0);
        this.#unstored = unstored;
        if (!this.#isFull) {
            this.release();
        }
    }

    /** Resets the counters and releases all writers. */
    reset(): void {

        this.#unapplied = 0;
        this.#unstored = 0;
        this.release();
    }

    /** Releases all waiting writers. */
    release(): void {

        const waiters = this.#waiters;
        this.#waiters = new Set();
        waiters.forEach((resume) => resume());
    }

    /** Resolves when there is capacity; rejects with 503 on timeout. */
    async wait(): Promise<void> {

        if (!this.#isFull) {
            return;
        }

        await new Promise<void>((resolve, reject) => {

            const resume = (): void => {

                clearTimeout(timer);
                resolve();
            };

            const timer = setTimeout(() => {

                this.#waiters.delete(resume);
                reject(unavailable('the search index cannot keep up with so many changes, try again', 5));
            }, TIMEOUT_MS);
            this.#waiters.add(resume);
        });
    }

    get #isFull(): boolean {

        return this.#unapplied > MAX_UNAPPLIED || this.#unstored > MAX_UNSTORED;
    }
}
