/** When a failed request is sent again, and after what time; the same for REST and DOIP. */

import { delay } from './abort.js';
import type { Login } from './login.js';

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
    /** True for a request that changes nothing. */
    readonly isRead: boolean;
    /** True for a change of only that version of an object which the request names. */
    readonly isConditional: boolean;
    /** False for a body that can be read only once. */
    readonly isReplayable: boolean;
}

/** What is known about an attempt that has failed. */
export interface FailedAttempt {
    /** HTTP status, or the one that corresponds to the status of DOIP; 0 when there was no response, -1 when there was none that could be used. */
    readonly status: number;
    /** Seconds after which the service suggests another attempt. */
    readonly retryAfter: number | null;
    /** True when nothing was sent, since there was no connection. */
    readonly isUnsent?: boolean;
    /** True when the service says that it no longer accepts the token, and so has done nothing. The status 401 alone may be the answer of a method. */
    readonly isTokenRejected?: boolean;
    /** True when the service may have done a part of it, or all: it says so itself, or its response cannot be used. */
    readonly isPartial?: boolean;
}

/** What every error says about its request. */
export interface RequestFacts {
    /** How many times the request was sent. */
    attempts: number;
    /**
     * True when the service may have made the change all the same: no response arrived, none that says whether it did (408, 5xx), or only that of
     * an attempt after it. Read the object before you repeat the request.
     */
    mayHaveChanged: boolean;
}

/** How an attempt has ended. */
export type Attempt<T, E> = { readonly value: T } | { readonly error: E; readonly failure: FailedAttempt; readonly request: Repeatable };

/** Statuses of a service, or a proxy before it, that is unavailable for a while; 0 when there was no response. */
const TRANSIENT: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** The lowest status of errors on the way to the service, or in it, which do not say how far the request has come. */
const SERVER_ERROR = 500;

/** Not one of these: what would exceed a quota is not stored. */
const OVER_QUOTA = 507;

/** A server has waited too long for the request, or for the service. */
const TIMEOUT = 408;

/** With Retry-After rejected before anything was done; without it this may be the answer of a method, after it has written. */
const TOO_MANY = 429;

const UNAUTHENTICATED = 401;

const DEFAULTS: Required<RetryOptions> = { attempts: 4, delayMs: 250, maxDelayMs: 15_000 };

/** True for a request that changes nothing when it is sent twice. */
export function isSafe({ isRead, isConditional }: Repeatable): boolean {

    return isRead || isConditional;
}

/** True when the service may have made the change of a failed request. */
export function mayHaveChanged({ isRead }: Repeatable, { status, isUnsent = false, isPartial = false }: FailedAttempt): boolean {

    const isUnknown = status <= 0 || status === TIMEOUT || status >= SERVER_ERROR && status !== OVER_QUOTA;
    return !isRead && !isUnsent && (isUnknown || isPartial);
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
    delayAfter(request: Repeatable, { status, retryAfter, isUnsent = false, isPartial = false }: FailedAttempt, attempts: number): number | null {

        const { attempts: max, delayMs, maxDelayMs } = this.#options;
        const isTransient = status === TOO_MANY || TRANSIENT.has(status);
        const isHarmless = isSafe(request) || isUnsent || status === TOO_MANY && retryAfter !== null;
        const isRepeatable = request.isReplayable && !isPartial && isTransient && isHarmless;
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

/** What repetition needs besides the request. */
export interface Repetition {
    readonly policy: RetryPolicy;
    /** Null for requests without credentials, or with their own. */
    readonly login: Login | null;
    readonly signal: AbortSignal | undefined;
}

/**
 * Makes attempts until one succeeds or the next one would not be safe. With a token that the service no longer accepts, the request is sent
 * once more with another one. Returns the last attempt; its error has the facts about all.
 */
export async function repeat<T, E extends RequestFacts>(
    attempt: (token: string | null) => Promise<Attempt<T, E>>, { policy, login, signal }: Repetition
): Promise<Attempt<T, E>> {

    let [isRenewed, isUnknown] = [false, false];
    for (let attempts = 1; ; ++attempts) {
        const token = await login?.token(signal) ?? null;
        const outcome = await attempt(token);
        if ('value' in outcome) {
            return outcome;
        }

        const { error, failure, request } = outcome;
        isUnknown ||= mayHaveChanged(request, failure);
        Object.assign(error, { attempts, mayHaveChanged: isUnknown });
        const isRejected = failure.status === UNAUTHENTICATED && (login?.reject(token) ?? false);
        const isHarmless = failure.isTokenRejected === true || isSafe(request);
        const isExpired = isRejected && isHarmless && !isRenewed && request.isReplayable && failure.isPartial !== true;
        const pause = isExpired ? 0 : policy.delayAfter(request, failure, attempts);
        if (pause === null) {
            return outcome;
        }

        isRenewed ||= isExpired;
        await delay(pause, signal);
    }
}
