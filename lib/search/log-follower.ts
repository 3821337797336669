/**
 * Reads the log of changes behind what the process knows itself. Its own changes are told to it when they are committed; whatever
 * else is in the log (changes by other nodes, by the process before this one, or such whose outcome nobody learnt) is handed
 * out to be looked up. So nothing that is in the log is ever missed, whoever wrote it.
 *
 * Numbers in the log are given before they are committed, so a higher one can be seen before a lower one. A missing number is
 * waited for; after a time that no transaction takes it belongs to nobody.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LogRow } from '../stores/search-log-store.js';

/** Where rows come from. */
export interface LogSource {
    /** Rows after a number in their order; an empty list when there are none. */
    read(after: number): Promise<LogRow[]>;
}

export interface FollowerOptions {
    /** Looks up the current state of objects and applies it. */
    readonly replay: (ids: readonly string[]) => Promise<void>;
    /** Milliseconds after which a missing number belongs to nobody; 0 where numbers are given in the order of commits. */
    readonly patience: number;
    readonly now?: () => number;
}

/** After reading so many rows others get a turn: a database may answer at once, however many rows there are. */
const LONG_READING = 100;

export class LogFollower {

    /** Names this process in the log. */
    readonly origin = randomUUID();
    readonly #source: LogSource;
    readonly #options: Required<FollowerOptions>;
    /** Own changes that were told and not seen in the log yet. */
    readonly #told = new Set<number>();
    /** Own changes that were seen in the log and not told yet. */
    readonly #seen = new Set<number>();
    /** Numbers above the position that were worked off. */
    readonly #above = new Set<number>();
    #number = 0;
    #position = 0;
    #gapSince: number | null = null;
    #running: Promise<void> | null = null;
    #readOn = -Infinity;
    /** False from when own changes are met in the log until the reading that met them, or a later one, has ended well. */
    #hasHandedAll = true;
    #owes = false;
    /** Raised by every restart, so that a reading from before it ends. */
    #life = 0;

    constructor(source: LogSource, options: FollowerOptions) {

        this.#source = source;
        this.#options = { now: () => performance.now(), ...options };
    }

    /** Number in the log up to which everything has been told or handed out. */
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
    get owes(): boolean {

        return this.#owes;
    }

    /** Goes to a place in the log. What the process was told counts no longer. */
    restart(position: number): void {

        ++this.#life;
        this.#position = position;
        this.#told.clear();
        this.#seen.clear();
        this.#above.clear();
        this.#gapSince = null;
        this.#hasHandedAll = true;
        this.#owes = false;
    }

    /** A number for a change of this process that is about to be committed. */
    nextNumber(): number {

        return ++this.#number;
    }

    /** Tells that a change of this process was committed. False when it was met in the log before, and looked up there. */
    tell(number: number): boolean {

        if (this.#seen.delete(number)) {
            this.#owes ||= !this.#hasHandedAll;
            return false;
        }

        this.#told.add(number);
        return true;
    }

    /** Reads the log to its end; everything in it has been told or handed out afterwards. */
    async catchUp(): Promise<void> {

        // A reading that has begun earlier may have missed the newest rows.
        while (this.#running) {
            await this.#running.catch(() => {
                // Whoever started it hears of it.
            });
        }

        this.#running = this.#readAll();
        try {
            await this.#running;
        }
        finally {
            this.#running = null;
        }
    }

    async #readAll(): Promise<void> {

        const started = this.#options.now();
        const life = this.#life;
        let after = this.#position;
        for (;;) {
            const rows = await this.#source.read(after);
            this.#checkLife(life);
            const last = rows.at(-1);
            if (!last) {
                break;
            }

            const unknown = rows.filter((row) => !this.#above.has(row.seq) && this.#isNews(row));
            await this.#options.replay([...new Set(unknown.map(({ objectId }) => objectId))]);
            this.#checkLife(life);
            rows.forEach(({ seq }) => this.#above.add(seq));
            this.#advance();
            after = last.seq;
            if (rows.length > LONG_READING) {
                await setImmediate();
            }
        }

        this.#readOn = started;
        this.#hasHandedAll = true;
        this.#owes = false;
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

    /** Moves the position up to the first number that is missing and may still come. */
    #advance(): void {

        for (;;) {
            while (this.#above.delete(this.#position + 1)) {
                ++this.#position;
                this.#gapSince = null;
            }

            if (this.#above.size === 0) {
                return;
            }

            this.#gapSince ??= this.#options.now();
            if (this.#options.now() - this.#gapSince < this.#options.patience) {
                return;
            }

            this.#position = Math.min(...this.#above) - 1;
            this.#gapSince = null;
        }
    }
}
