/**
 * Keyed mutex within one process. It spares work that would lose a race in the database; correctness never depends on it, since
 * every unit carries its own preconditions.
 */

import { conflict } from '../../errors/errors.js';

/** Ends the holding of a lock. Calling it twice does no harm. */
export type Release = () => void;

interface Waiter {
    grant(): void;
}

/** First come, first served; one holder per key. */
export class KeyedLocks {

    private readonly queues = new Map<string, Waiter[]>();

    /**
     * Waits for the lock of a key.
     *
     * @param deadline milliseconds to wait at most; a conflict (409) after that.
     */
    async acquire(key: string, deadline: number): Promise<Release> {

        const queue = this.queues.get(key);
        if (!queue) {
            this.queues.set(key, []);
            return this.releaseOf(key);
        }

        await new Promise<void>((resolve, reject) => {

            const waiter: Waiter = {
                grant: () => {

                    clearTimeout(timer);
                    resolve();
                }
            };
            const timer = setTimeout(() => {

                queue.splice(queue.indexOf(waiter), 1);
                reject(conflict(`${key} is busy, try again later`));
            }, deadline);
            queue.push(waiter);
        });
        return this.releaseOf(key);
    }

    /** Runs work while holding the lock of a key. */
    async run<T>(key: string, deadline: number, work: () => Promise<T>): Promise<T> {

        const release = await this.acquire(key, deadline);
        try {
            return await work();
        }
        finally {
            release();
        }
    }

    private releaseOf(key: string): Release {

        let released = false;
        return () => {

            if (released) {
                return;
            }

            released = true;
            const next = this.queues.get(key)?.shift();
            if (next) {
                next.grant();
            }
            else {
                this.queues.delete(key);
            }
        };
    }
}
