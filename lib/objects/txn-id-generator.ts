/**
 * Transaction numbers, and which of them are in flight: reserved by a change that is neither stored nor abandoned.
 */

import { randomInt } from 'node:crypto';

const PER_MILLISECOND = 1000;

/**
 * Generator of transaction numbers: epoch milliseconds times 1000 plus an offset of the process and a counter; monotonic on this node, and greater than the
 * previous number of the object. Below 2^53 until the year 2255.
 */
export class TxnIdGenerator {

    /** Lower bound (exclusive) of all future numbers. */
    #last: number;
    /** Lower bounds of changes in flight. They begin in ascending order, so the first is the lowest. */
    readonly #pending = new Set<{ readonly after: number }>();
    /** Number of attempts that store nothing. */
    #dryRuns = 0;
    /**
     * Microseconds that the first number of each millisecond has. An object may be deleted and created again by nodes whose clocks differ: with the number
     * that it had before, what others have cached would count as current.
     */
    readonly #offset = randomInt(PER_MILLISECOND);

    /** @param last the highest number in use */
    constructor(last = 0) {

        this.#last = last;
    }

    /**
     * Runs one attempt of a change. When it has ended, for whatever reason, its numbers are no longer in flight. Those of a dry run, which may
     * wait for scripts, never are.
     */
    async reserve<T>(attempt: () => Promise<T>, isDryRun = false): Promise<T> {

        if (isDryRun) {
            ++this.#dryRuns;
            return attempt().finally(() => --this.#dryRuns);
        }

        const reservation = { after: this.#passed() };
        this.#pending.add(reservation);
        try {
            return await attempt();
        }
        finally {
            this.#pending.delete(reservation);
        }
    }

    /** Returns the next number, above `floor`. Must be called within an attempt. */
    next(floor = 0): number {

        if (this.#pending.size === 0 && this.#dryRuns === 0) {
            throw new Error('a transaction number was taken outside of an attempt');
        }

        this.#last = Math.max(numberOf(Date.now()) + this.#offset, this.#last + 1, floor + 1);
        return this.#last;
    }

    /** Raises the lower bound of future numbers. */
    raise(number: number): void {

        this.#last = Math.max(this.#last, number);
    }

    /** Low watermark: all numbers of this node up to this one are stored or abandoned. */
    get completedUpTo(): number {

        for (const { after } of this.#pending) {
            return after;
        }

        return this.#passed();
    }

    /** Advances with the clock even if no numbers are given out; never goes back with it. */
    #passed(): number {

        this.raise(numberOf(Date.now()) - 1);
        return this.#last;
    }
}

/** Returns the transaction number that corresponds to a time. */
export function numberOf(epochMs: number): number {

    return epochMs * PER_MILLISECOND;
}
