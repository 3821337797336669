/**
 * Rate limiter: the generic cell rate algorithm (GCRA), a token bucket that stores one number for each key. A quota is available at once,
 * and is restored evenly over its window. The clock is monotonic, and memory is bounded: beyond the maximum number of keys the least
 * recently used ones are forgotten, which gives them their whole quota again.
 */

import { LRUCache } from 'lru-cache';

/** Options of a rate limiter. */
export interface RateLimiterOptions {
    /** Units of which each key may use as many in a window; at least 1. */
    readonly quota: number;
    /** The window, in seconds. */
    readonly seconds: number;
    /** Maximum number of keys; default 65,536. */
    readonly maxKeys?: number;
    /** A monotonic clock in milliseconds; for tests. */
    readonly now?: () => number;
}

const MAX_KEYS = 65_536;

/** Limits the rate of any number of keys. */
export class RateLimiter {

    readonly quota: number;
    readonly seconds: number;
    readonly #msPerUnit: number;
    readonly #now: () => number;
    /** When the quota of a key is complete again, in milliseconds of the clock. */
    readonly #completeAt: LRUCache<string, number>;

    constructor({ quota, seconds, maxKeys = MAX_KEYS, now = () => performance.now() }: RateLimiterOptions) {

        this.quota = quota;
        this.seconds = seconds;
        this.#msPerUnit = seconds * 1000 / quota;
        this.#now = now;
        this.#completeAt = new LRUCache({ max: maxKeys });
    }

    /** Takes units of the quota of a key. False, and nothing is taken, if fewer are left. */
    take(key: string, units: number): boolean {

        if (this.#msUntil(key, units) > 0) {
            return false;
        }

        this.#completeAt.set(key, this.#now() + this.#missingMs(key) + units * this.#msPerUnit);
        return true;
    }

    /** Number of units that are left, rounded down. */
    remaining(key: string): number {

        return Math.floor(this.quota - this.#missingMs(key) / this.#msPerUnit + ROUNDING);
    }

    /** Seconds until the quota of a key is complete, rounded up. */
    secondsToComplete(key: string): number {

        return Math.max(0, Math.ceil(this.#missingMs(key) / 1000 - ROUNDING));
    }

    /** Seconds until the units are available, if none are taken meanwhile; at least 1, as a wait. Meaningful for at most the quota. */
    secondsUntil(key: string, units: number): number {

        return Math.max(1, Math.ceil(this.#msUntil(key, units) / 1000));
    }

    #msUntil(key: string, units: number): number {

        return this.#missingMs(key) + units * this.#msPerUnit - this.seconds * 1000 - ROUNDING;
    }

    #missingMs(key: string): number {

        return Math.max(0, (this.#completeAt.get(key) ?? 0) - this.#now());
    }
}

/** Tolerance for the rounding of sums of fractions. */
const ROUNDING = 1e-6;
