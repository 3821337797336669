/** Whether the service is away for a while only, and when it is asked again. */

import { RepositoryError } from '../../../lib/client/web/errors.js';

/** No response, too many requests, and statuses of a service that starts or of a proxy before it. */
const AWAY: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/** What a service says, with status 500, until its database is open. */
const DOWN = 'The system is down.';

/** Delay before the second attempt, which doubles before each further one, and its upper bound, in milliseconds. */
const [FIRST_MS, MAX_MS] = [1000, 30_000];

/** Upper bound of what the service may ask for by Retry-After, in milliseconds. */
const MAX_REQUESTED_MS = 3_600_000;

/** True for a failure that ends without anybody correcting the request. */
export function isUnavailable(error: unknown): error is RepositoryError {

    return error instanceof RepositoryError && (AWAY.has(error.status) || error.status === 500 && error.message === DOWN);
}

/** Milliseconds until the next attempt: not before the time that the service asks for, and not the same for all browsers. `failures` counts from 1. */
export function delayAfter({ retryAfter }: RepositoryError, failures: number, random: () => number = Math.random): number {

    const backOff = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
    return Math.min(MAX_REQUESTED_MS, (retryAfter ?? 0) * 1000 || backOff / 2) + random() * backOff / 2;
}

/** Resolves after `ms` milliseconds, once somebody sees the page; never after the signal is aborted. Without a network, as soon as there is one. */
export function untilDue({ status }: RepositoryError, ms: number, signal?: AbortSignal): Promise<void> {

    return new Promise((resolve) => {

        let isDue = false;
        const check = (): void => {

            if (isDue && !document.hidden) {
                stop();
                resolve();
            }
        };

        const due = (): void => {

            isDue = true;
            check();
        };

        const timer = setTimeout(due, ms);
        const stop = (): void => {

            clearTimeout(timer);
            document.removeEventListener('visibilitychange', check);
            removeEventListener('online', due);
            signal?.removeEventListener('abort', stop);
        };

        document.addEventListener('visibilitychange', check);
        signal?.addEventListener('abort', stop);
        if (status === 0) {
            addEventListener('online', due);
        }
    });
}
