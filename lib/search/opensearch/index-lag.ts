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

/** Lag of one index. */
export class IndexLag {

    readonly #readLog: () => Promise<LogSnapshot>;
    /** End of the log that the index is to reach; null until it is known. */
    #next: LogEnd | null = null;
    /** The index has all changes that were committed before this time. */
    #reached = -Infinity;
    #updating: Promise<void> | null = null;

    /** @param readLog returns what is in the log; whoever feeds the index puts its rows into batches */
    constructor(readLog: () => Promise<LogSnapshot>) {

        this.#readLog = readLog;
    }

    /** Milliseconds since a time before which all changes are in the index; Infinity when that is not known. Grows while the log cannot be read. */
    get ms(): number {

        return performance.now() - this.#reached;
    }

    /** Reads the end of the log, unless the index has not reached the last one. Rejects when the log cannot be read. */
    update(): Promise<void> {

        this.#updating ??= this.#next && this.#next.position !== null ? null : this.#readEnd().finally(() => {

            this.#updating = null;
        });
        return this.#updating ?? Promise.resolve();
    }

    /** Takes note of the position that the index has. */
    has(position: number): void {

        if (this.#next && this.#next.position !== null && position >= this.#next.position) {
            this.#reached = this.#next.on;
            this.#next = null;
        }
    }

    async #readEnd(): Promise<void> {

        const on = performance.now();
        const log = await this.#readLog();
        if (this.#next) {
            this.#next.position = positionBehind(this.#next.log, log);
        }
        else {
            this.#next = { log, on, position: positionBehind(log, log) };
        }
    }
}
