/**
 * Tells when a thread is stuck: somebody waits, and for a long time it has answered nobody. How long who waits has waited does not
 * matter: there may be much before it.
 */

import { tookTooLong } from './deadline.js';

export class StuckWatch {

    readonly #limit: number;
    readonly #clock: () => number;
    #answeredAt = -Infinity;

    /**
     * @param limit milliseconds
     * @param clock milliseconds
     */
    constructor(limit: number, clock = () => performance.now()) {

        this.#limit = limit;
        this.#clock = clock;
    }

    /** The thread has answered somebody. */
    answered(): void {

        this.#answeredAt = this.#clock();
    }

    /** Waits for the thread; 503 when it was stuck, of which `stuck` is told. */
    async during<T>(work: () => Promise<T>, stuck: () => void): Promise<T> {

        let isStuck = false;
        const end = this.begin(() => {

            isStuck = true;
            stuck();
        });
        try {
            return await work();
        }
        catch (error) {
            throw isStuck ? tookTooLong() : error;
        }
        finally {
            end();
        }
    }

    /** Somebody waits, until the function that comes back is called. `stuck` is called once at most. */
    begin(stuck: () => void): () => void {

        const began = this.#clock();
        const check = (): void => {

            const left = Math.max(began, this.#answeredAt) + this.#limit - this.#clock();
            if (left > 0) {
                timer = setTimeout(check, left).unref();
                return;
            }

            stuck();
        };

        let timer = setTimeout(check, this.#limit).unref();
        return () => {

            clearTimeout(timer);
            this.answered();
        };
    }
}
