/**
 * Timeout of one query. Loops check it at intervals, which is also when the query pauses for preemption.
 */

import { DoipError } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';

/** Milliseconds before the first pause (most searches end earlier) and minimum time between pauses. */
const FIRST_PAUSE_MS = 100;
const PAUSE_AFTER = 10;

/** Share of the timeout by which pauses may extend it. */
const PAUSED_SHARE = 0.3;

/** Timeout that is extended by pauses. After each pause the query runs for at least as long, so that it has half of the time. */
export class Deadline {

    readonly #pause: (() => void) | null;
    #end: number;
    #pauseAt: number;
    /** Milliseconds of pauses that still extend the timeout. */
    #pausable: number;

    /**
     * @param milliseconds timeout, from now on
     * @param pause called at intervals once the search has taken 100 ms
     */
    constructor(milliseconds: number, pause: (() => void) | null = null) {

        const now = performance.now();
        this.#pause = pause;
        this.#end = now + milliseconds;
        this.#pauseAt = pause ? now + FIRST_PAUSE_MS : Infinity;
        this.#pausable = milliseconds * PAUSED_SHARE;
    }

    /** Throws {@link QueryTimeout} when the time is over; pauses when a pause is due. */
    check(): void {

        const now = performance.now();
        if (now > this.#end) {
            throw new QueryTimeout();
        }

        if (now > this.#pauseAt) {
            this.#pauseFrom(now);
        }
    }

    #pauseFrom(from: number): void {

        this.#pause?.();
        const now = performance.now();
        const free = Math.min(now - from, this.#pausable);
        this.#pausable -= free;
        this.#end += free;
        this.#pauseAt = now + Math.max(PAUSE_AFTER, now - from);
    }
}

/** DoipError 503 of a query that exceeded its time. */
export class QueryTimeout extends DoipError {

    constructor() {

        super(Status.internal, 'the search took too long, ask for less', { http: 503 });
    }
}
