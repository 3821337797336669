/**
 * Answers to units that were written together. Much may be waiting to go on after each, so they go out a few in each turn of the
 * event loop, in their order.
 */

/** Answers of one turn. */
export const COMPLETIONS_PER_TURN = 16;

type Answer = () => void;

export class CompletionQueue {

    #waiting: Answer[] = [];
    #isScheduled = false;
    readonly #emptied: () => void;

    /** @param emptied told whenever the last one has gone out */
    constructor(emptied: () => void = () => {}) {

        this.#emptied = emptied;
    }

    get isEmpty(): boolean {

        return this.#waiting.length === 0;
    }

    /** Answers each of some units: the first ones at once, unless others wait already. */
    add<T>(units: readonly T[], answer: (unit: T, index: number) => void): void {

        units.forEach((unit, index) => this.#waiting.push(() => answer(unit, index)));
        if (!this.#isScheduled) {
            this.#next();
        }
    }

    #next(): void {

        this.#waiting.splice(0, COMPLETIONS_PER_TURN).forEach((answer) => answer());
        if (this.#waiting.length === 0) {
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
