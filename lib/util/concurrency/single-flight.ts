/**
 * Single flight: equal calls that come while one of them is under way share its result, or its error.
 */

interface Flight<T> {
    readonly epoch: number;
    readonly result: Promise<T>;
}

/** Calls that are under way, by key. */
export class SingleFlight<T> {

    readonly #flights = new Map<string, Flight<T>>();

    /** True while a call is under way. */
    isRunning(key = ''): boolean {

        return this.#flights.has(key);
    }

    /**
     * Does the work, or shares the result of the call that is under way.
     *
     * @param epoch a call that began at an earlier one is not shared
     */
    run(work: () => Promise<T>, key = '', epoch = 0): Promise<T> {

        const flight = this.#flights.get(key);
        if (flight && flight.epoch >= epoch) {
            return flight.result;
        }

        const result = work().finally(() => {

            if (this.#flights.get(key)?.result === result) {
                this.#flights.delete(key);
            }
        });
        this.#flights.set(key, { epoch, result });
        return result;
    }

    /** The same, sharing only a call that began after this one: one is under way at a time, and all others wait for the next. */
    runFresh(work: () => Promise<T>, key = ''): Promise<T> {

        const begin = (): Promise<T> => this.run(work, key);
        return this.#flights.get(key)?.result.then(begin, begin) ?? begin();
    }

    /** Resolves when the call that is under way has ended, with whatever result. */
    async whenIdle(key = ''): Promise<void> {

        await Promise.allSettled([this.#flights.get(key)?.result]);
    }
}
