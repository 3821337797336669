/** Retry loop of optimistic concurrency control: an attempt that lost a race is repeated until a deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from '../../errors/errors.js';

/** Maximum pause in milliseconds between two attempts; it is random, to keep nodes from colliding repeatedly. */
const MAX_PAUSE_MS = 20;

/** When to stop, and the error to throw then. */
export interface RetryOptions {
    /** On the clock of `performance.now()`: no attempt that ends after it is repeated. */
    readonly deadline: number;
    readonly maxAttempts?: number;
    readonly message: string;
}

/**
 * Repeats an attempt until it has a result.
 *
 * @param attempt resolves to null when it lost a race
 * @throws DoipError 409 when no attempt succeeded
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>, options: RetryOptions): Promise<T> {

    const { deadline, maxAttempts = Infinity, message } = options;
    for (let attempts = 1; ; ++attempts) {
        const result = await attempt();
        if (result !== null) {
            return result;
        }

        if (attempts >= maxAttempts || performance.now() >= deadline) {
            throw conflict(message);
        }

        await sleep(Math.random() * MAX_PAUSE_MS);
    }
}
