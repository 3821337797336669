/**
 * Change log tailer (consumer). Changes of this process are reported to it when they are committed; everything else in the log
 * (changes by other nodes, by the previous process, or with an unknown outcome) is replayed: looked up and applied. So no change is
 * missed, regardless of who wrote it and how late it was committed.
 *
 * Rows that are in no batch yet are replayed as well, and remembered until they are found in one.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LogBatch, LogRow } from '../../stores/search/change-log-store.js';
import { LOG_ROWS } from '../../stores/search/change-log-store.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';

/** Source of rows. */
export interface LogSource {
    /** Returns rows that are in no batch yet, after a number; fewer than {@link LOG_ROWS} when they are the last ones. */
    unordered(after: number): Promise<LogRow[]>;
    /** Returns batches after a position; empty when there are none. */
    batches(after: number): Promise<LogBatch[]>;
}

export interface TailerOptions {
    /** Looks up the current state of objects and applies it. */
    readonly replay: (ids: readonly string[]) => Promise<void>;
    /** Called when batches were removed before they were read. */
    readonly missed?: () => void;
    /** Called when the log was read to its end. */
    readonly onRead?: () => void;
    readonly now?: () => number;
}

/** Number of rows after which reading yields to the event loop, because an embedded database answers without a pause. */
const LONG_READING = 100;

/** Tailer of one process. */
export class ChangeLogTailer {

    /** Identifies this process in the log. */
    readonly origin = randomUUID();
    readonly #source: LogSource;
    readonly #options: Required<TailerOptions>;
    /** Own changes that were reported as committed, but not found in the log yet. */
    readonly #committed = new Set<number>();
    /** Own changes that were found in the log before their commit was reported. */
    readonly #uncommitted = new Set<number>();
    /** Rows that were replayed, but not found in a batch yet. */
    readonly #unbatched = new Set<number>();
    #number = 0;
    #position = 0;
    readonly #readings = new SingleFlight<void>();
    #readOn = -Infinity;
    /** False while own changes, found in the log before their commit was reported, have not been replayed yet. */
    #isReplayed = true;
    #hasPending = false;
    /** Generation: a restart increments it, which aborts earlier reads. */
    #generation = 0;

    constructor(source: LogSource, options: TailerOptions) {

        this.#source = source;
        this.#options = { now: () => performance.now(), missed: () => {}, onRead: () => {}, ...options };
    }

    /** Batch up to which everything was reported or replayed. */
    get position(): number {

        return this.#position;
    }

    /** When the log was last read to its end, by the clock of `performance.now()`. */
    get readOn(): number {

        return this.#readOn;
    }

    /**
     * True while committed changes of this process are still being replayed, because they were found in the log before their commit
     * was reported; {@link catchUp} waits for that.
     */
    get hasPending(): boolean {

        return this.#hasPending;
    }

    /** Continues from another position. Reported changes no longer count. */
    restart(position: number): void {

        ++this.#generation;
        this.#position = position;
        this.#committed.clear();
        this.#uncommitted.clear();
        this.#unbatched.clear();
        this.#isReplayed = true;
        this.#hasPending = false;
    }

    /** Returns a number for a change of this process that is about to be committed. */
    nextNumber(): number {

        return ++this.#number;
    }

    /** Reports the commit of a change of this process. False when it was found in the log before, so that it is replayed. */
    markCommitted(number: number): boolean {

        if (this.#uncommitted.delete(number)) {
            this.#hasPending ||= !this.#isReplayed;
            return false;
        }

        this.#committed.add(number);
        return true;
    }

    /** Reads the log to its end; afterwards everything in it was reported or replayed. */
    catchUp(): Promise<void> {

        // A read that started earlier may have missed the newest rows.
        return this.#readings.runFresh(() => this.#readAll());
    }

    async #readAll(): Promise<void> {

        const started = this.#options.now();
        const generation = this.#generation;
        // Order matters: a row that is in neither when it is read was committed later.
        await this.#readUnordered(generation);
        await this.#readBatches(generation);
        this.#readOn = started;
        this.#isReplayed = true;
        this.#hasPending = false;
        this.#options.onRead();
    }

    async #readUnordered(generation: number): Promise<void> {

        for (let after: number | null = 0; after !== null;) {
            const rows: LogRow[] = await this.#source.unordered(after);
            this.#checkGeneration(generation);
            await this.#replayUnknown(rows, generation);
            rows.forEach(({ seq }) => this.#unbatched.add(seq));
            after = rows.length < LOG_ROWS ? null : rows.at(-1)?.seq ?? null;
        }
    }

    async #readBatches(generation: number): Promise<void> {

        for (;;) {
            const batches = await this.#source.batches(this.#position);
            this.#checkGeneration(generation);
            if (batches.length === 0) {
                return;
            }

            for (const { position, rows } of batches) {
                if (position !== this.#position + 1) {
                    this.#options.missed();
                    throw new Error('changes were removed from the log before they were read');
                }

                await this.#replayUnknown(rows, generation);
                rows.forEach(({ seq }) => this.#unbatched.delete(seq));
                this.#position = position;
            }
        }
    }

    /** Replays rows that are not known. */
    async #replayUnknown(rows: readonly LogRow[], generation: number): Promise<void> {

        const unknown = rows.filter((row) => !this.#unbatched.has(row.seq) && this.#isUnknown(row));
        await this.#options.replay([...new Set(unknown.map(({ objectId }) => objectId))]);
        this.#checkGeneration(generation);
        if (rows.length > LONG_READING) {
            await setImmediate();
            this.#checkGeneration(generation);
        }
    }

    #checkGeneration(generation: number): void {

        if (generation !== this.#generation) {
            throw new Error('the log is read from another place now');
        }
    }

    #isUnknown({ origin, number }: LogRow): boolean {

        if (origin !== this.origin) {
            return true;
        }

        if (this.#committed.delete(number)) {
            return false;
        }

        this.#uncommitted.add(number);
        this.#isReplayed = false;
        return true;
    }
}
