/**
 * Rate limiter for the error log of a batch: when a database goes away every item fails alike, so the first error of a kind is
 * logged at once, further ones only as a count.
 */

import type { Log } from '../../../db/log.js';

/** Faults that are told apart; beyond them they are counted together. */
const MAX_KINDS = 10;

/** The faults of one batch. */
export class ErrorLogLimiter {

    readonly #log: Log;
    /** Further faults by their message, and of those that are not told apart by an empty one. */
    readonly #more = new Map<string, number>();

    constructor(log: Log) {

        this.#log = log;
    }

    /** Notes the fault of an item; the first of its kind goes into the log with its stack. */
    add(fault: unknown, position: number): void {

        const err = fault instanceof Error ? fault.cause ?? fault : fault;
        const message = err instanceof Error ? err.message : String(err);
        const count = this.#more.get(message);
        if (count === undefined && this.#more.size < MAX_KINDS) {
            this.#more.set(message, 0);
            this.#log.error({ err, position }, 'an item of a batch failed');
            return;
        }

        const kind = count === undefined ? '' : message;
        this.#more.set(kind, (this.#more.get(kind) ?? 0) + 1);
    }

    /** Tells how many more there were of each kind. */
    end(): void {

        for (const [message, count] of this.#more) {
            if (count > 0) {
                this.#log.error({ count, fault: message === '' ? 'others' : message }, 'more items of a batch failed');
            }
        }

        this.#more.clear();
    }
}
