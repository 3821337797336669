/**
 * Error log of a batch: when the database fails, all items fail alike, so only the first error of each kind is logged at once; further
 * ones are counted.
 */

import type { Log } from '../../../db/log.js';
import { LogLimiter } from '../../util/log-limiter.js';

/** Maximum number of distinct errors; others share one counter. */
const MAX_KINDS = 10;

/** Errors of one batch. */
export class ErrorLogLimiter {

    readonly #log: Log;
    readonly #limiter = new LogLimiter({ burst: 1, maxKeys: MAX_KINDS });

    constructor(log: Log) {

        this.#log = log;
    }

    /** Adds the error of an item; the first of its kind is logged with its stack. */
    add(error: unknown, position: number): void {

        const err = error instanceof Error ? error.cause ?? error : error;
        if (this.#limiter.pass(err instanceof Error ? err.message : String(err)) !== null) {
            this.#log.error({ event: 'batch.item-failed', err, position }, 'batch item failed');
        }
    }

    /** Logs how many more errors of each kind there were. */
    end(): void {

        for (const [message, count] of this.#limiter.drain()) {
            this.#log.error({ event: 'batch.items-failed', count, fault: message === '' ? 'others' : message }, 'further batch items failed');
        }
    }
}
