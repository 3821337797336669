/**
 * The clock of the database server, by which nodes agree on times. It is read with every ping; in between it goes on with the monotonic clock
 * of this process, which no change of the time of the machine affects.
 */

import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Log } from '../../log.js';

/** Epoch ms. */
const READ_CLOCK = 'select cast(unix_timestamp(now(3)) * 1000 as unsigned) as now';

/** A reading that took longer is not exact enough, in milliseconds. */
const MAX_READING_MS = 1000;

/** Difference to the clock of this machine that is logged, in milliseconds. */
const LOGGED_MS = 5000;

export class ServerClock {

    readonly #log: Log;
    /** Time of the server less that of the monotonic clock. */
    #offset = Date.now() - performance.now();
    #isDifferent = false;

    constructor(log: Log) {

        this.#log = log;
    }

    /** Epoch ms. */
    now(): number {

        return Math.round(performance.now() + this.#offset);
    }

    /** Reads the clock of the server. */
    async read(pool: Pool): Promise<void> {

        const sentAt = performance.now();
        const [rows] = await pool.query<RowDataPacket[]>(READ_CLOCK);
        this.#set(Number(rows[0]?.['now']), sentAt);
    }

    #set(now: number, sentAt: number): void {

        const receivedAt = performance.now();
        if (receivedAt - sentAt > MAX_READING_MS) {
            return;
        }

        this.#offset = now - (sentAt + receivedAt) / 2;
        const difference = Date.now() - this.now();
        const isDifferent = Math.abs(difference) > LOGGED_MS;
        if (isDifferent && !this.#isDifferent) {
            this.#log.warn({ event: 'database.clock-differs', seconds: Math.round(difference / 1000) },
                'the clock of this machine differs from that of the database server');
        }

        this.#isDifferent = isDifferent;
    }
}
