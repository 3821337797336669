/**
 * What a node asks its database server again and again: whether it answers, what time it is there, and whether the tables are still those that
 * this program knows.
 *
 * The clock of the server is what nodes agree on. Between two readings it goes on with the monotonic clock of this process, which no change of
 * the time of the machine affects.
 */

import type { Pool, RowDataPacket } from 'mysql2/promise';
import { DatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { READ_REQUIRED } from '../../migrator/compatibility.js';

/** Epoch ms. */
const NOW = 'cast(unix_timestamp(now(3)) * 1000 as unsigned)';

/** A reading of the clock that took longer is not exact: it only says between which bounds the clock is, in milliseconds. */
const MAX_READING_MS = 1000;

/** Difference to the clock of this machine that is logged, in milliseconds. */
const LOGGED_MS = 5000;

export class ServerCheck {

    readonly #pool: Pool;
    readonly #log: Log;
    /** Time of the server less that of the monotonic clock. */
    #offset = Date.now() - performance.now();
    #isDifferent = false;
    /** True when the tables are there. */
    #isMigrated = false;
    #isTooNew = false;

    constructor(pool: Pool, log: Log) {

        this.#pool = pool;
        this.#log = log;
    }

    /** Time by the clock of the server, in epoch ms. */
    now(): number {

        return Math.round(performance.now() + this.#offset);
    }

    /** Tells that the tables are there. */
    migrated(): void {

        this.#isMigrated = true;
    }

    /** Rejects when the server does not answer, or has tables that this program must not use. */
    async run(): Promise<void> {

        const sentAt = performance.now();
        const [[row]] = await this.#pool.query<RowDataPacket[]>(`select ${NOW} as now${this.#isMigrated ? `, ${READ_REQUIRED} as required` : ''}`);
        this.#setClock(Number(row?.['now']), sentAt);
        this.#checkRequired((row?.['required'] ?? null) as string | null);
    }

    #setClock(now: number, sentAt: number): void {

        // The server has read its clock after the question was sent, and before the answer was received.
        const [lowest, highest] = [now - performance.now(), now - sentAt];
        this.#offset = highest - lowest > MAX_READING_MS ? Math.min(Math.max(this.#offset, lowest), highest) : (lowest + highest) / 2;
        const difference = Date.now() - this.now();
        const isDifferent = Math.abs(difference) > LOGGED_MS;
        if (isDifferent && !this.#isDifferent) {
            this.#log.warn({ event: 'database.clock-differs', seconds: Math.round(difference / 1000) },
                'the clock of this machine differs from that of the database server');
        }

        this.#isDifferent = isDifferent;
    }

    /** A node of an older version may run while a newer one changes the tables so that it can no longer use them. */
    #checkRequired(required: string | null): void {

        const isTooNew = required !== null && !MIGRATIONS.some(({ name }) => name === required);
        if (isTooNew && !this.#isTooNew) {
            this.#log.error({ event: 'database.too-new', migration: required },
                'a newer version of the program has changed the database: this node answers 503 until it has that version');
        }

        this.#isTooNew = isTooNew;
        if (isTooNew) {
            throw new DatabaseError('unavailable', 'a newer version of the program has changed the database');
        }
    }
}
