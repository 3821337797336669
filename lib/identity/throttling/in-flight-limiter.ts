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
    isFull(place: string): boolean {

        return (this.#waiting.get(place) ?? 0) >= this.#limit;
    }

    /** Counts a request until it is answered. */
    async run<T>(place: string, wait: () => Promise<T>): Promise<T> {

        this.#add(place, 1);
        try {
            return await wait();
        }
        finally {
            this.#add(place, -1);
        }
    }

    #add(place: string, change: 1 | -1): void {

        const before = this.#waiting.get(place) ?? 0;
        const after = before + change;
        this.#full += Number(after >= this.#limit) - Number(before >= this.#limit);
        if (after === 0) {
            this.#waiting.delete(place);
        }
        else {
            this.#waiting.set(place, after);
        }
    }
}
