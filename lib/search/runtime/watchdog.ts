/**
 * Watchdog for a worker thread: fires when calls are pending and the thread has answered none of them for the limit. The age of a
 * single call is irrelevant, since it may be queued behind others.
 */

import { QueryTimeout } from '../query/query-deadline.js';

export class Watchdog {

    readonly #limit: number;
    readonly #clock: () => number;
    #answeredAt = -Infinity;

    /**
     * @param limit milliseconds
     * @param clock in milliseconds
     */
    constructor(limit: number, clock = () => performance.now()) {

        this.#limit = limit;
        this.#clock = clock;
    }

    /** To be called when the thread has answered any call. */
    answered(): void {

        this.#answeredAt = this.#clock();
    }

    /**
     * Waits for a call at most for the limit; throws {@link QueryTimeout} then. `onHang` is called when the thread counts as stuck,
     * `onExpired` with a result that comes after the timeout.
     */
    async run<T>(work: () => Promise<T>, { onHang, onExpired }: { readonly onHang: () => void; readonly onExpired: (value: T) => void }): Promise<T> {

        return await new Promise<T>((resolve, reject) => {

            let isExpired = false;
            const end = this.start(() => {

                reject(new QueryTimeout());
                onHang();
            });
            const timer = setTimeout(() => {

                isExpired = true;
                reject(new QueryTimeout());
            }, this.#limit).unref();
            work().then((value) => (isExpired ? onExpired(value) : resolve(value)), reject).finally(() => {

                clearTimeout(timer);
                end();
            });
        });
    }

    /** Registers a pending call, until the returned function is called. `onHang` is called at most once. */
    start(onHang: () => void): () => void {

        const started = this.#clock();
        const check = (): void => {

            const left = Math.max(started, this.#answeredAt) + this.#limit - this.#clock();
            if (left > 0) {
                timer = setTimeout(check, left).unref();
                return;
            }

            onHang();
        };

        let timer = setTimeout(check, this.#limit).unref();
        return () => {

            clearTimeout(timer);
            this.answered();
        };
    }
}
