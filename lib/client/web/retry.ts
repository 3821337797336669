/** When a failed request is sent again, and after what time. */

import type { RepositoryError } from './errors.js';

/** How often failed requests are sent again. */
export interface RetryOptions {
    /** Maximum number of attempts, the first included; default 4. 1: none is repeated. */
    readonly attempts?: number;
    /** Upper bound of the delay before the second attempt, which doubles before each further one, in milliseconds; default 250. */
    readonly delayMs?: number;
    /** Upper bound of every delay, in milliseconds; default 15,000. A service that asks for more by Retry-After is not asked again. */
    readonly maxDelayMs?: number;
}

/** What decides whether a request may be sent again. */
export interface Repeatable {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** True for a POST that changes nothing. */
    readonly isRead?: boolean;
    /** False for a body that can be read only once. */
    readonly isReplayable: boolean;
}

/** Statuses of a service, or a proxy before it, that is unavailable for a while; 0 when there was no response. */
const TRANSIENT: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** Rejected before anything was done. */
const TOO_MANY = 429;

const DEFAULTS: Required<RetryOptions> = { attempts: 4, delayMs: 250, maxDelayMs: 15_000 };

/** True for a request that changes nothing when it is sent twice: it reads, or changes only the version of an object that it names. */
export function isSafe({ method, headers = {}, isRead = false }: Repeatable): boolean {

    return isRead || method === 'GET' || method === 'HEAD' || (method === 'PUT' || method === 'DELETE') && headers['If-Match'] !== undefined;
}

/** True when the service may have made the change of a failed request. */
export function mayHaveChanged({ method, isRead = false }: Repeatable, { status }: RepositoryError): boolean {

    return !isRead && method !== 'GET' && method !== 'HEAD' && TRANSIENT.has(status);
}

/** Computes delays: exponential back-off with jitter, so that clients that failed together do not come back together. */
export class RetryPolicy {

    readonly #options: Required<RetryOptions>;
    readonly #random: () => number;

    /** @param random returns a number from 0 to 1 */
    constructor(options: RetryOptions = {}, random: () => number = Math.random) {

        this.#options = { ...DEFAULTS, ...options };
        this.#random = random;
        const { attempts, delayMs, maxDelayMs } = this.#options;
        if (!Number.isInteger(attempts) || attempts < 1 || !(delayMs >= 0) || !(maxDelayMs >= 0)) {
            throw new TypeError('retries must have attempts from 1, and delays in milliseconds from 0');
        }
    }

    /** Milliseconds to wait before the next attempt; null when there shall be none. `attempts` counts those that were made. */
    delayAfter(request: Repeatable, { status, retryAfter }: RepositoryError, attempts: number): number | null {

        const { attempts: max, delayMs, maxDelayMs } = this.#options;
        const isRepeatable = request.isReplayable && (status === TOO_MANY || TRANSIENT.has(status) && isSafe(request));
        if (!isRepeatable || attempts >= max) {
            return null;
        }

        const backOff = Math.min(maxDelayMs, delayMs * 2 ** (attempts - 1));
        const jittered = backOff * (0.5 + this.#random() / 2);
        if (retryAfter === null) {
            return jittered;
        }

        const requested = retryAfter * 1000;
        return requested > maxDelayMs ? null : requested + jittered;
    }
}
