/**
 * The time that one query may take. Whoever loops looks at it now and then, and lets others in who wait.
 */

import { DoipError } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';

/** Milliseconds until the first pause, which nearly all searches are done before, and between two pauses. */
const FIRST_PAUSE_MS = 100;
const PAUSE_AFTER = 10;

/** A pause is followed by at least this share of its length without one, however much there is to let in. */
const OWN_SHARE = 0.25;

/** Pauses do not count, up to this share of the time. */
const PAUSED_SHARE = 0.3;

export class Deadline {

    readonly #pause: (() => void) | null;
    #end: number;
    #pauseAt: number;
    /** Milliseconds of pauses that do not count. */
    #pausable: number;

    /**
     * @param milliseconds from now on
     * @param pause called now and then in the midst of a search that takes more than 100 ms
     */
    constructor(milliseconds: number, pause: (() => void) | null = null) {

        const now = performance.now();
        this.#pause = pause;
        this.#end = now + milliseconds;
        this.#pauseAt = pause ? now + FIRST_PAUSE_MS : Infinity;
        this.#pausable = milliseconds * PAUSED_SHARE;
    }

    /** Throws when the time is over: {@link QueryTimeout}, for this caller alone. */
    check(): void {

        const now = performance.now();
        if (now > this.#end) {
            throw new QueryTimeout();
        }

        if (now > this.#pauseAt) {
            this.#takePause(now);
        }
    }

    #takePause(from: number): void {

        this.#pause?.();
        const now = performance.now();
        const free = Math.min(now - from, this.#pausable);
        this.#pausable -= free;
        this.#end += free;
        this.#pauseAt = now + Math.max(PAUSE_AFTER, (now - from) * OWN_SHARE);
    }
}

/** 503 for the one who asked too much. */
export class QueryTimeout extends DoipError {

    constructor() {

        super(Status.internal, 'the search took too long, ask for less', { http: 503 });
    }
}
