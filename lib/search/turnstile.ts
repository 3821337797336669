/**
 * Lets a few pass at a time, for each key; the others wait in the order in which they came.
 */

type Go = () => void;

export class Turnstile {

    readonly #places: number;
    readonly #inside = new Map<string, number>();
    readonly #waiting = new Map<string, Go[]>();

    /** @param places so many pass at a time */
    constructor(places: number) {

        this.#places = places;
    }

    /** Resolves to the function that gives the place back. */
    async enter(key: string, signal: AbortSignal): Promise<() => void> {

        signal.throwIfAborted();
        const inside = this.#inside.get(key) ?? 0;
        if (inside < this.#places) {
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

            const go = (): void => {

                signal.removeEventListener('abort', giveUp);
                resolve();
            };

            const giveUp = (): void => {

                queue.splice(queue.indexOf(go), 1);
                reject(signal.reason as Error);
            };

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
