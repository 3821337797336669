/**
 * Keyed mutex within one process. It spares work that would lose a race in the database; correctness never depends on it, since
 * every unit carries its own preconditions.
 */

import { conflict } from '../../errors/errors.js';
import type { Release } from './semaphore.js';
import { Semaphore } from './semaphore.js';

export type { Release } from './semaphore.js';

/** One holder per key, in FIFO order. */
export class KeyedLocks {

    readonly #semaphore = new Semaphore({ permitsPerKey: 1, rejection: (_, key) => conflict(`${key} is busy, try again later`) });

    /**
     * Waits for the lock of a key.
     *
     * @param timeoutMs time to wait at most; a conflict (409) after that.
     */
    acquire(key: string, timeoutMs?: number): Promise<Release> {

        return this.#semaphore.acquire(key, { timeoutMs });
    }

    /** Does work while holding the lock of a key. */
    run<T>(key: string, work: () => Promise<T>, timeoutMs?: number): Promise<T> {

        return this.#semaphore.run(key, work, { timeoutMs });
    }
}
