/**
 * In-flight limiter: counts the requests that wait for a login, by source, so that a source with too many is rejected early.
 */

/** Counts requests by place. */
export class InFlightLimiter {

    readonly #limit: number;
    readonly #waiting = new Map<string, number>();
    #full = 0;

    /** @param limit requests from one place that may wait */
    constructor(limit: number) {

        this.#limit = limit;
    }

    /** True when there is any place from which too many wait. */
    get isAnyFull(): boolean {

        return this.#full > 0;
    }

    /** True when as many as may wait from a place. */
    isFull(place: string): boolean {

        return (this.#waiting.get(place) ?? 0) >= this.#limit;
    }

    /** Counts one request until it is answered. */
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
