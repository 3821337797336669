/**
 * How old the changes are that an index lacks: positions of the change log have no time, so the end of the log is noted now and then, and the index is
 * known to be as new as the last end that it has reached.
 */

/** A position of the log, behind all changes that were committed at a time of `performance.now()`. */
interface LogEnd {
    readonly position: number;
    readonly on: number;
}

/** Lag of one index. */
export class IndexLag {

    readonly #endOfLog: () => Promise<number>;
    /** End of the log that the index is to reach; null until it is known. */
    #next: LogEnd | null = null;
    /** The index has all changes that were committed before this time. */
    #reached = -Infinity;
    #updating: Promise<void> | null = null;

    /** @param endOfLog returns a position behind all changes that are committed now */
    constructor(endOfLog: () => Promise<number>) {

        this.#endOfLog = endOfLog;
    }

    /** Milliseconds since a time before which all changes are in the index; Infinity when that is not known. Grows while the log cannot be read. */
    get ms(): number {

        return performance.now() - this.#reached;
    }

    /** Reads the end of the log, unless the index has not reached the last one. Rejects when the log cannot be read. */
    update(): Promise<void> {

        this.#updating ??= this.#next ? null : this.#readEnd().finally(() => {

            this.#updating = null;
        });
        return this.#updating ?? Promise.resolve();
    }

    /** Takes note of the position that the index has. */
    has(position: number): void {

        if (this.#next && position >= this.#next.position) {
            this.#reached = this.#next.on;
            this.#next = null;
        }
    }

    async #readEnd(): Promise<void> {

        const on = performance.now();
        this.#next = { position: await this.#endOfLog(), on };
    }
}
