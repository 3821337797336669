/**
 * The time that one query may take. Whoever loops looks at it now and then.
 */

import { DoipError } from '../doip/error.js';
import { Status } from '../doip/status.js';

export class Deadline {

    readonly #end: number;

    /** @param milliseconds from now on */
    constructor(milliseconds: number) {

        this.#end = performance.now() + milliseconds;
    }

    /** Throws when the time is over: 503, for this caller alone. */
    check(): void {

        if (performance.now() > this.#end) {
            throw tookTooLong();
        }
    }
}

/** 503 for the one who asked too much. */
export function tookTooLong(): DoipError {

    return new DoipError(Status.internal, 'the search took too long, ask for less', { http: 503 });
}
