/**
 * Rate limiter for the error log of a batch: when the database fails, all items fail alike, so only the first error of each kind is logged
 * at once; further ones are counted.
 */

import type { Log } from '../../../db/log.js';

/** Maximum number of distinct errors; others share one counter. */
const MAX_KINDS = 10;

/** Errors of one batch. */
export class ErrorLogLimiter {

    readonly #log: Log;
    /** Number of further errors by message; the key of the shared counter is empty. */
    readonly #more = new Map<string, number>();

    constructor(log: Log) {

        this.#log = log;
    }

    /** Adds the error of an item; the first of its kind is logged with its stack. */
    add(fault: unknown, position: number): void {

        const err = fault instanceof Error ? fault.cause ?? fault : fault;
        const message = err instanceof Error ? err.message : String(err);
        const count = this.#more.get(message);
        if (count === undefined && this.#more.size < MAX_KINDS) {
            this.#more.set(message, 0);
            this.#log.error({ event: 'batch.item-failed', err, position }, 'batch item failed');
            return;
        }

        const kind = count === undefined ? '' : message;
        this.#more.set(kind, (this.#more.get(kind) ?? 0) + 1);
    }

    /** Logs how many more errors of each kind there were. */
    end(): void {

        for (const [message, count] of this.#more) {
            if (count > 0) {
                this.#log.error({ event: 'batch.items-failed', count, fault: message === '' ? 'others' : message }, 'further batch items failed');
            }
        }

        this.#more.clear();
    }
}
