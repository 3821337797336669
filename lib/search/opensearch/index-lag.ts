/**
 * How old the changes are that an index lacks: positions of the change log have no time, so the end of the log is noted now and then, and the index is
 * known to be as new as the last end that it has reached.
 */

import { positionBehind } from '../../stores/search/change-log-store.js';
import type { LogSnapshot } from '../../stores/search/change-log-store.js';

/** All changes that were committed at a time of `performance.now()`. */
interface LogEnd {
    readonly log: LogSnapshot;
    readonly on: number;
    /** Position behind them; null while some are in no batch. */
    position: number | null;
}

/** Maximum number of ends that the index has not reached. */
const MAX_ENDS = 10;

/** Lag of one index. */
export class IndexLag {

    readonly #readLog: () => Promise<LogSnapshot>;
    readonly #stepMs: number;
    /** Ends of the log that the index is to reach, the oldest first. */
    readonly #ends: LogEnd[] = [];
    /** The index has all changes that were committed before this time. */
    #reached = -Infinity;
    #updating: Promise<void> | null = null;

    /**
     * @param readLog returns what is in the log; whoever feeds the index puts its rows into batches
     * @param stepMs milliseconds between two ends while the index has not reached the first
     */
    constructor(readLog: () => Promise<LogSnapshot>, stepMs: number) {

        this.#readLog = readLog;
        this.#stepMs = stepMs;
    }

    /** Milliseconds since a time before which all changes are in the index; Infinity when that is not known. Grows while the log cannot be read. */
    get ms(): number {

        return performance.now() - this.#reached;
    }

    /** True when the index has reached all ends that were noted. */
    get hasReachedAll(): boolean {

        return this.#ends.length === 0;
    }

    /** Reads the end of the log when there may be something new to know. Rejects when the log cannot be read. */
    update(): Promise<void> {

        this.#updating ??= this.#ends.at(-1)?.position === null || this.#isNextDue ? this.#readEnd().finally(() => {

            this.#updating = null;
        }) : null;
        return this.#updating ?? Promise.resolve();
    }

    /** Takes note of the position that the index has. */
    has(position: number): void {

        const reached = this.#ends.findLastIndex((end) => end.position !== null && end.position <= position);
        this.#reached = this.#ends[reached]?.on ?? this.#reached;
        this.#ends.splice(0, reached + 1);
    }

    get #isNextDue(): boolean {

        const last = this.#ends.at(-1);
        return !last || this.#ends.length < MAX_ENDS && performance.now() - last.on >= this.#stepMs;
    }

    async #readEnd(): Promise<void> {

        const isNext = this.#isNextDue;
        const on = performance.now();
        const log = await this.#readLog();
        for (const end of this.#ends) {
            end.position ??= positionBehind(end.log, log);
        }

        if (isNext) {
            this.#ends.push({ log, on, position: positionBehind(log, log) });
        }
    }
}
