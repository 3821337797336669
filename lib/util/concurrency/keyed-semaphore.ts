/**
 * Keyed semaphore: a limited number of permits for each key, granted in FIFO order, with a timeout.
 */

import { tooManyRequests } from '../../errors/errors.js';

type Go = () => void;

/** How many pass, and how long the others wait. */
export interface SemaphoreOptions {
    /** So many pass at a time. */
    readonly places: number;
    /** Milliseconds that somebody waits at most. */
    readonly patience: number;
    /** What to tell those who have waited so long. */
    readonly refusal: string;
}

export class KeyedSemaphore {

    readonly #rules: SemaphoreOptions;
    readonly #inside = new Map<string, number>();
    readonly #waiting = new Map<string, Go[]>();

    constructor(rules: SemaphoreOptions) {

        this.#rules = rules;
    }

    /** Resolves to the function that gives the place back. Rejects with 429 when none becomes free in time. */
    async acquire(key: string, signal: AbortSignal): Promise<() => void> {

        signal.throwIfAborted();
        const inside = this.#inside.get(key) ?? 0;
        if (inside < this.#rules.places) {
            this.#inside.set(key, inside + 1);
        }
        else {
            await this.#turn(key, signal);
        }

        let isInside = true;
        return () => {

            if (isInside) {
                isInside = false;
                this.#leave(key);
            }
        };
    }

    async #turn(key: string, signal: AbortSignal): Promise<void> {

        const queue = this.#waiting.get(key) ?? [];
        this.#waiting.set(key, queue);
        await new Promise<void>((resolve, reject) => {

            const end = (): void => {

                clearTimeout(timer);
                signal.removeEventListener('abort', giveUp);
            };

            const go = (): void => {

                end();
                resolve();
            };

            const leave = (error: Error): void => {

                end();
                queue.splice(queue.indexOf(go), 1);
                reject(error);
            };

            const { patience, refusal } = this.#rules;
            const giveUp = (): void => leave(signal.reason as Error);
            const timer = setTimeout(() => leave(tooManyRequests(refusal, Math.ceil(patience / 1000))), patience);
            queue.push(go);
            signal.addEventListener('abort', giveUp, { once: true });
        });
    }

    /** The place goes to the next in the queue. */
    #leave(key: string): void {

        const queue = this.#waiting.get(key);
        const next = queue?.shift();
        if (queue?.length === 0) {
            this.#waiting.delete(key);
        }

        if (next) {
            next();
            return;
        }

        const left = (this.#inside.get(key) ?? 1) - 1;
        if (left === 0) {
            this.#inside.delete(key);
        }
        else {
            this.#inside.set(key, left);
        }
    }
}
