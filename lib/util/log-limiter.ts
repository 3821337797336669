/**
 * Rate limiter for log lines: a token bucket for each key, which counts the lines that are dropped.
 */

export interface LogLimits {
    /** Lines of one key at once; 0 drops all. */
    readonly burst: number;
    /** Lines of one key per second in the long run. */
    readonly perSecond?: number;
    /** Maximum number of buckets; further keys share an empty one, under the empty key. */
    readonly maxKeys?: number;
}

interface Bucket {
    tokens: number;
    filledOn: number;
    dropped: number;
}

export class LogLimiter {

    readonly #limits: Required<LogLimits>;
    readonly #buckets = new Map<string, Bucket>();

    constructor(limits: LogLimits) {

        this.#limits = { perSecond: 0, maxKeys: Infinity, ...limits };
    }

    /** Returns the number of lines dropped before this one; null if this one is dropped too. */
    pass(key = ''): number | null {

        const { burst, perSecond } = this.#limits;
        const bucket = this.#bucketOf(key);
        const now = performance.now();
        bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledOn) * perSecond / 1000);
        bucket.filledOn = now;
        if (bucket.tokens < 1) {
            ++bucket.dropped;
            return null;
        }

        const { dropped } = bucket;
        bucket.tokens -= 1;
        bucket.dropped = 0;
        return dropped;
    }

    /** Returns and resets the number of dropped lines by key. */
    drain(): [key: string, dropped: number][] {

        const counts = Array.from(this.#buckets, ([key, { dropped }]): [string, number] => [key, dropped]);
        this.#buckets.clear();
        return counts.filter(([, dropped]) => dropped > 0);
    }

    #bucketOf(key: string): Bucket {

        const existing = this.#buckets.get(key);
        if (existing) {
            return existing;
        }

        const isShared = this.#buckets.size >= this.#limits.maxKeys;
        const bucket = isShared && this.#buckets.get('') || { tokens: isShared ? 0 : this.#limits.burst, filledOn: performance.now(), dropped: 0 };
        this.#buckets.set(isShared ? '' : key, bucket);
        return bucket;
    }
}
