/**
 * Lets long work take turns with whatever else the process does, and with its like: of all who wait one goes on in each turn of
 * the event loop.
 */

type Go = () => void;

export class LoopTurns {

    readonly #waiting: Go[] = [];
    #isScheduled = false;

    /** Resolves in a later turn of the event loop; in the order in which they came, no two in the same one. */
    async next(): Promise<void> {

        await new Promise<void>((resolve) => {

            this.#waiting.push(resolve);
            this.#schedule();
        });
    }

    #schedule(): void {

        if (this.#isScheduled || this.#waiting.length === 0) {
            return;
        }

        this.#isScheduled = true;
        setImmediate(() => {

            this.#isScheduled = false;
            this.#waiting.shift()?.();
            this.#schedule();
        });
    }
}
