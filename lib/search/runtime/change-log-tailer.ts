/**
 * Reads the log of changes behind what the process knows itself. Its own changes are told to it when they are committed; whatever
 * else is in the log (changes by other nodes, by the process before this one, or such whose outcome nobody learnt) is handed
 * out to be looked up. So nothing that is in the log is ever missed, whoever wrote it, and however late it was committed.
 *
 * Changes that are in no batch yet are handed out as well, and remembered until they are met in one.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LogBatch, LogRow } from '../../stores/search/change-log-store.js';
import { LOG_ROWS } from '../../stores/search/change-log-store.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';

/** Where rows come from. */
export interface LogSource {
    /** Rows that are in no batch yet, from a number on; fewer than {@link LOG_ROWS} when they are the last ones. */
    unordered(after: number): Promise<LogRow[]>;
    /** Batches after a position in their order; an empty list when there are none. */
    batches(after: number): Promise<LogBatch[]>;
}

export interface TailerOptions {
    /** Looks up the current state of objects and applies it. */
    readonly replay: (ids: readonly string[]) => Promise<void>;
    /** Told that batches were removed that were not read yet. */
    readonly missed?: () => void;
    readonly now?: () => number;
}

/** After reading so many rows others get a turn: a database may answer at once, however many rows there are. */
const LONG_READING = 100;

export class ChangeLogTailer {

    /** Names this process in the log. */
    readonly origin = randomUUID();
    readonly #source: LogSource;
    readonly #options: Required<TailerOptions>;
    /** Own changes that were told and not seen in the log yet. */
    readonly #told = new Set<number>();
    /** Own changes that were seen in the log and not told yet. */
    readonly #seen = new Set<number>();
    /** Rows that were worked off and not met in a batch yet. */
    readonly #ahead = new Set<number>();
    #number = 0;
    #position = 0;
    readonly #readings = new SingleFlight<void>();
    #readOn = -Infinity;
    /** False from when own changes are met in the log until the reading that met them, or a later one, has ended well. */
    #hasHandedAll = true;
    #owes = false;
    /** Raised by every restart, so that a reading from before it ends. */
    #life = 0;

    constructor(source: LogSource, options: TailerOptions) {

        this.#source = source;
        this.#options = { now: () => performance.now(), missed: () => {}, ...options };
    }

    /** Batch up to which everything has been told or handed out. */
    get position(): number {

        return this.#position;
    }

    /** When the log was last read to its end, by the clock of `performance.now()`. */
    get readOn(): number {

        return this.#readOn;
    }

    /**
     * True while changes of this process that were told are handed out but not applied yet, since they were met in the log just before:
     * until {@link catchUp} has ended well.
     */
    get hasPending(): boolean {

        return this.#owes;
    }

    /** Goes to a place in the log. What the process was told counts no longer. */
    restart(position: number): void {

        ++this.#life;
        this.#position = position;
        this.#told.clear();
        this.#seen.clear();
        this.#ahead.clear();
        this.#hasHandedAll = true;
        this.#owes = false;
    }

    /** A number for a change of this process that is about to be committed. */
    nextNumber(): number {

        return ++this.#number;
    }

    /** Tells that a change of this process was committed. False when it was met in the log before, and looked up there. */
    markCommitted(number: number): boolean {

        if (this.#seen.delete(number)) {
            this.#owes ||= !this.#hasHandedAll;
            return false;
        }

        this.#told.add(number);
        return true;
    }

    /** Reads the log to its end; everything in it has been told or handed out afterwards. */
    catchUp(): Promise<void> {

        // A reading that has begun earlier may have missed the newest rows.
        return this.#readings.runFresh(() => this.#readAll());
    }

    async #readAll(): Promise<void> {

        const started = this.#options.now();
        const life = this.#life;
        // In this order: what is in neither when it is read was committed later.
        await this.#readUnordered(life);
        await this.#readBatches(life);
        this.#readOn = started;
        this.#hasHandedAll = true;
        this.#owes = false;
    }

    async #readUnordered(life: number): Promise<void> {

        for (let after: number | null = 0; after !== null;) {
            const rows: LogRow[] = await this.#source.unordered(after);
            this.#checkLife(life);
            await this.#handOut(rows, life);
            rows.forEach(({ seq }) => this.#ahead.add(seq));
            after = rows.length < LOG_ROWS ? null : rows.at(-1)?.seq ?? null;
        }
    }

    async #readBatches(life: number): Promise<void> {

        for (;;) {
            const batches = await this.#source.batches(this.#position);
            this.#checkLife(life);
            if (batches.length === 0) {
                return;
            }

            for (const { position, rows } of batches) {
                if (position !== this.#position + 1) {
                    this.#options.missed();
                    throw new Error('changes were removed from the log before they were read');
                }

                await this.#handOut(rows, life);
                rows.forEach(({ seq }) => this.#ahead.delete(seq));
                this.#position = position;
            }
        }
    }

    /** Has looked up what is not known of some rows. */
    async #handOut(rows: readonly LogRow[], life: number): Promise<void> {

        const unknown = rows.filter((row) => !this.#ahead.has(row.seq) && this.#isNews(row));
        await this.#options.replay([...new Set(unknown.map(({ objectId }) => objectId))]);
        this.#checkLife(life);
        if (rows.length > LONG_READING) {
            await setImmediate();
            this.#checkLife(life);
        }
    }

    #checkLife(life: number): void {

        if (life !== this.#life) {
            throw new Error('the log is read from another place now');
        }
    }

    #isNews({ origin, number }: LogRow): boolean {

        if (origin !== this.origin) {
            return true;
        }

        if (this.#told.delete(number)) {
            return false;
        }

        this.#seen.add(number);
        this.#hasHandedAll = false;
        return true;
    }
}
