/**
 * Ids for new objects whose creator names none, and transaction numbers.
 */

import { createHash, randomBytes } from 'node:crypto';

/** The id that the primary property of an object suggests: 20 hex digits of the SHA-1 of its text. */
export function idFromPrimary(prefix: string, primary: string): string {

    // SHA-1 is no protection here: existing fixtures know the ids that it yields.
    return `${prefix}/${createHash('sha1').update(primary).digest('hex').slice(0, 20)}`;
}

/** A fresh id: 20 random hex digits. */
export function mintId(prefix: string): string {

    return `${prefix}/${randomBytes(10).toString('hex')}`;
}

const PER_MILLISECOND = 1000;

/**
 * Transaction numbers: epoch milliseconds times 1000 plus a counter, always increasing on this node and always above the
 * number that the object had before. Below 2^53 until the year 2255.
 */
export class TransactionClock {

    private last: number;

    /** @param last the highest number in use */
    constructor(last = 0) {

        this.last = last;
    }

    /** The next number, above `floor`. */
    next(floor = 0): number {

        this.last = Math.max(Date.now() * PER_MILLISECOND, this.last + 1, floor + 1);
        return this.last;
    }

    /** The last number given. */
    get current(): number {

        return this.last;
    }
}
