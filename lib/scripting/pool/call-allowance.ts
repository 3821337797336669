/**
 * Limits of a call with all its runs. A run has the limits of one call, and it is repeated with fewer items when it reaches one: the time that
 * all runs wait and take, and the length of what they return, are limited here.
 */

import { stoppedTogether } from '../protocol/script-error.js';

/** Maximum time of all runs together, in time limits of one. */
const TIMES = 4;

/** Maximum length of the results of all runs together, in maximum messages. */
const MESSAGES = 2;

export interface AllowanceOptions {
    /** The code, such as `type Document`. */
    readonly label: string;
    /** Time limit of a run in ms. */
    readonly timeout: number;
    /** Maximum length of the results of a run. */
    readonly maxLength: number;
    /** Maximum time in ms that all runs wait for their turn. */
    readonly maxWait: number;
}

/** What is left for the further runs of a call. */
export class CallAllowance {

    readonly #options: AllowanceOptions;
    #waited = 0;
    #taken = 0;
    #length = 0;

    constructor(options: AllowanceOptions) {

        this.#options = options;
    }

    /** Time in ms that the next run may wait. */
    get waitLeft(): number {

        return Math.max(1, this.#options.maxWait - this.#waited);
    }

    /** Throws unless there is time for another run. @throws DoipError 500 */
    check(): void {

        const { label, timeout } = this.#options;
        if (this.#taken > (TIMES - 1) * timeout) {
            throw stoppedTogether(label, 'it took too long for several objects; ask for fewer at a time');
        }
    }

    /** Counts a wait. */
    async waiting<T>(wait: Promise<T>): Promise<T> {

        const began = performance.now();
        try {
            return await wait;
        }
        finally {
            this.#waited += performance.now() - began;
        }
    }

    /** Counts a run, by its time in ms and the length of its results. @throws DoipError 500 if the results of all runs are too long */
    ran(ms: number, length: number): void {

        const { label, maxLength } = this.#options;
        this.#taken += ms;
        this.#length += length;
        if (this.#length > MESSAGES * maxLength) {
            throw stoppedTogether(label, 'it handed over too much for several objects; ask for fewer at a time');
        }
    }
}
