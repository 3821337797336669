/**
 * Completion queue of units that were committed together. Callbacks run in order, a few in each turn of the event loop, because
 * much work may follow each of them.
 */

/** Maximum number of callbacks in one turn of the event loop. */
export const COMPLETIONS_PER_TURN = 16;

type Answer = () => void;

/** Queue of callbacks; see {@link COMPLETIONS_PER_TURN}. */
export class CompletionQueue {

    #pending: Answer[] = [];
    #isScheduled = false;
    readonly #emptied: () => void;

    /**
     * @param emptied called whenever the queue becomes empty
     */
    constructor(emptied: () => void = () => {}) {

        this.#emptied = emptied;
    }

    get isEmpty(): boolean {

        return this.#pending.length === 0;
    }

    /** Queues a callback for each unit; the first ones run at once, unless others are queued already. */
    add<T>(units: readonly T[], answer: (unit: T, index: number) => void): void {

        units.forEach((unit, index) => this.#pending.push(() => answer(unit, index)));
        if (!this.#isScheduled) {
            this.#next();
        }
    }

    #next(): void {

        this.#pending.splice(0, COMPLETIONS_PER_TURN).forEach((answer) => answer());
        if (this.#pending.length === 0) {
            this.#emptied();
            return;
        }

        this.#isScheduled = true;
        setImmediate(() => {

            this.#isScheduled = false;
            this.#next();
        });
    }
}
