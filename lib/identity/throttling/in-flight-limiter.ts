/**
 * In-flight limiter: counts the requests that wait for a login, by source, so that a source with too many is rejected early.
 */

/** Counts requests by source. */
export class InFlightLimiter {

    readonly #limit: number;
    readonly #waiting = new Map<string, number>();
    #full = 0;

    /** @param limit maximum number of waiting requests per source */
    constructor(limit: number) {

        this.#limit = limit;
    }

    /** True if any source has reached the limit. */
    get isAnyFull(): boolean {

        return this.#full > 0;
    }

    /** True if a source has reached the limit. */
    isFull(source: string): boolean {

        return (this.#waiting.get(source) ?? 0) >= this.#limit;
    }

    /** Counts a request until it is answered. */
    async run<T>(source: string, wait: () => Promise<T>): Promise<T> {

        this.#add(source, 1);
        try {
            return await wait();
        }
        finally {
            this.#add(source, -1);
        }
    }

    #add(source: string, change: 1 | -1): void {

        const before = this.#waiting.get(source) ?? 0;
        const after = before + change;
        this.#full += Number(after >= this.#limit) - Number(before >= this.#limit);
        if (after === 0) {
            this.#waiting.delete(source);
        }
        else {
            this.#waiting.set(source, after);
        }
    }
}
