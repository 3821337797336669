/**
 * Retry loop of optimistic concurrency control: work that has lost a race is computed anew, until a deadline.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { conflict } from '../../errors/errors.js';

/** Most milliseconds between two attempts. A random part of it keeps nodes from meeting again and again. */
const MAX_PAUSE_MS = 20;

/** How long work is repeated, and what is said after that. */
export interface RetryOptions {
    /** By the clock of `performance.now()`: no attempt but the first begins after it. */
    readonly deadline: number;
    readonly maxAttempts?: number;
    readonly message: string;
}

/**
 * Repeats an attempt until it has a result.
 *
 * @param attempt resolves to null when it has lost a race
 * @throws DoipError 409 when that goes on
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>, options: RetryOptions): Promise<T> {

    const { deadline, maxAttempts = Infinity, message } = options;
    for (let attempts = 1; ; ++attempts) {
        const result = await attempt();
        if (result !== null) {
            return result;
        }

        await sleep(Math.random() * MAX_PAUSE_MS);
        if (attempts >= maxAttempts || performance.now() >= deadline) {
            throw conflict(message);
        }
    }
}
