/**
 * Transaction numbers, and which of them are still on their way: taken by a change that is neither stored nor given up.
 */

const PER_MILLISECOND = 1000;

/**
 * Transaction numbers: epoch milliseconds times 1000 plus a counter, always increasing on this node and always above the
 * number that the object had before. Below 2^53 until the year 2255.
 */
export class TxnIdGenerator {

    /** All numbers that are yet to be given are above it. */
    #last: number;
    /** Of every change that is under way, what its numbers are above. They begin in ascending order, so the first is the lowest. */
    readonly #begun = new Set<{ readonly after: number }>();

    /** @param last the highest number in use */
    constructor(last = 0) {

        this.#last = last;
    }

    /**
     * Runs one attempt to change an object. When it has ended, in whatever way, all numbers that it took are settled: stored, or
     * never to be stored.
     */
    async reserve<T>(attempt: () => Promise<T>): Promise<T> {

        const begun = { after: this.#passed() };
        this.#begun.add(begun);
        try {
            return await attempt();
        }
        finally {
            this.#begun.delete(begun);
        }
    }

    /** The next number, above `floor`. To be taken within an attempt. */
    next(floor = 0): number {

        if (this.#begun.size === 0) {
            throw new Error('a transaction number was taken outside of an attempt');
        }

        this.#last = Math.max(numberOf(Date.now()), this.#last + 1, floor + 1);
        return this.#last;
    }

    /** No number from now on is `number` or below it. */
    raise(number: number): void {

        this.#last = Math.max(this.#last, number);
    }

    /** All numbers of this node up to this one are settled. */
    get completedUpTo(): number {

        for (const { after } of this.#begun) {
            return after;
        }

        return this.#passed();
    }

    /** Goes along with the time also when no numbers are given, and never back with it. */
    #passed(): number {

        this.raise(numberOf(Date.now()) - 1);
        return this.#last;
    }
}

/** The number that is as old as this moment. */
export function numberOf(epochMs: number): number {

    return epochMs * PER_MILLISECOND;
}
