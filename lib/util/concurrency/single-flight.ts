/** Single flight: equal calls share the result or error of the call in progress. */

interface Flight<T> {
    readonly epoch: number;
    readonly result: Promise<T>;
}

/** Calls in progress, by key. */
export class SingleFlight<T> {

    readonly #flights = new Map<string, Flight<T>>();

    /** True while a call is in progress. */
    isRunning(key = ''): boolean {

        return this.#flights.has(key);
    }

    /**
     * Does the work, or shares the result of the call in progress.
     *
     * @param epoch calls that began at an earlier epoch are not shared
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

    /** Like `run`, but shares only calls that begin after this one: callers wait for the call in progress and share the next. */
    runFresh(work: () => Promise<T>, key = ''): Promise<T> {

        const begin = (): Promise<T> => this.run(work, key);
        return this.#flights.get(key)?.result.then(begin, begin) ?? begin();
    }

    /** Resolves when the call in progress has ended, with or without an error. */
    async whenIdle(key = ''): Promise<void> {

        await Promise.allSettled([this.#flights.get(key)?.result]);
    }
}
