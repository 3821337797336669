/**
 * Limiter of log lines: a token bucket for each key, which counts the lines that it leaves out.
 */

export interface LogLimits {
    /** Lines of one key at once; 0 leaves out all. */
    readonly burst: number;
    /** Lines of one key per second in the long run. */
    readonly perSecond?: number;
    /** Keys with a bucket of their own; the others share an empty one, whose key is empty. */
    readonly maxKeys?: number;
}

interface Bucket {
    tokens: number;
    filledOn: number;
    leftOut: number;
}

export class LogLimiter {

    readonly #limits: Required<LogLimits>;
    readonly #buckets = new Map<string, Bucket>();

    constructor(limits: LogLimits) {

        this.#limits = { perSecond: 0, maxKeys: Infinity, ...limits };
    }

    /** How many lines were left out before this one; null when it is left out as well. */
    pass(key = ''): number | null {

        const { burst, perSecond } = this.#limits;
        const bucket = this.#bucketOf(key);
        const now = performance.now();
        bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledOn) * perSecond / 1000);
        bucket.filledOn = now;
        if (bucket.tokens < 1) {
            ++bucket.leftOut;
            return null;
        }

        const { leftOut } = bucket;
        bucket.tokens -= 1;
        bucket.leftOut = 0;
        return leftOut;
    }

    /** How many lines were left out, for each key that has any; begins anew. */
    drain(): [key: string, leftOut: number][] {

        const counts = Array.from(this.#buckets, ([key, { leftOut }]): [string, number] => [key, leftOut]);
        this.#buckets.clear();
        return counts.filter(([, leftOut]) => leftOut > 0);
    }

    #bucketOf(key: string): Bucket {

        const known = this.#buckets.get(key);
        if (known) {
            return known;
        }

        const isShared = this.#buckets.size >= this.#limits.maxKeys;
        const bucket = isShared && this.#buckets.get('') || { tokens: isShared ? 0 : this.#limits.burst, filledOn: performance.now(), leftOut: 0 };
        this.#buckets.set(isShared ? '' : key, bucket);
        return bucket;
    }
}
