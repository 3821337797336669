/**
 * Watches whether a server completes what is written. One whose disk is full may answer questions and let every change wait, as MariaDB does for
 * its binary log. A write that fails for lack of space, or is not answered for long, is followed by a trial: a small change on a connection of its
 * own. While none is answered, further writes are refused at once, as nobody could say whether they were made.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import type { DatabaseCondition } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import { mysqlConnection } from './connection.js';
import { mysqlErrorKind } from './errors.js';
import type { MysqlAddress } from './url.js';

/** Parts of the timeout of the database: age of a write without an answer that is followed by a trial, and of a trial that tells that writes stall. */
const SLOW = 1 / 2;
const SILENT = 1 / 6;

/** Milliseconds between trials, and after which one without an answer is given up: its connection may be dead. */
const RETRY_MS = 1000;
const TRIAL_MS = 30_000;

/** Row of this process, so that trials of other nodes do not wait for its lock. */
const TRIAL = `write-trial:${randomUUID()}`;

/** A trial with these parts. */
interface Trial {
    /** Called when the server has answered a question, and is told to write. */
    readonly sent: () => void;
    readonly signal: AbortSignal;
}

type Outcome = 'completed' | 'full' | 'failed';

type Condition = Exclude<DatabaseCondition, 'damaged'>;

export class WriteWatch {

    readonly #address: MysqlAddress;
    readonly #log: Log;
    readonly #stop = new AbortController();
    #condition: Condition | null = null;
    /** When the last write was completed, by the monotonic clock. */
    #completedOn = -Infinity;
    #checking: Promise<void> | null = null;

    constructor(address: MysqlAddress, log: Log) {

        this.#address = address;
        this.#log = log;
    }

    /** Null while writes are completed, as far as is known. */
    get condition(): Condition | null {

        return this.#condition;
    }

    /** @throws DatabaseError `stalled` while writes are not answered */
    assertWritable(): void {

        if (this.#condition === 'stalled') {
            throw new DatabaseError('stalled', 'the database server completes no writes');
        }
    }

    /** Runs a commit, or a statement that is one. */
    async run<T>(work: () => Promise<T>): Promise<T> {

        const began = performance.now();
        const timer = setTimeout(() => {

            if (this.#completedOn < began) {
                this.#check();
            }
        }, this.#address.timeout * SLOW).unref();
        try {
            const result = await work();
            this.#completedOn = performance.now();
            return result;
        }
        finally {
            clearTimeout(timer);
        }
    }

    /** Takes note of an error with which a write has failed. */
    failed(error: unknown): void {

        if (mysqlErrorKind(error) === 'full') {
            this.#check();
        }
    }

    /** Ends trials. */
    async stop(): Promise<void> {

        this.#stop.abort();
        await this.#checking;
    }

    #check(): void {

        if (!this.#stop.signal.aborted) {
            this.#checking ??= this.#tryUntilCompleted().finally(() => {

                this.#checking = null;
            });
        }
    }

    /** Never rejects. */
    async #tryUntilCompleted(): Promise<void> {

        const { signal } = this.#stop;
        for (let outcome = await this.#try(); outcome !== 'completed' && !signal.aborted; outcome = await this.#try()) {
            if (outcome === 'full') {
                this.#set('full');
            }
            else if (this.#condition === null) {
                return;
            }

            await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {
                // Stopped
            });
        }

        this.#set(null);
    }

    async #try(): Promise<Outcome> {

        let timer: NodeJS.Timeout | undefined;
        const sent = (): void => {

            timer = setTimeout(() => this.#set('stalled'), this.#address.timeout * SILENT).unref();
        };

        try {
            await tryToWrite(this.#address, { sent, signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TRIAL_MS)]) });
            return 'completed';
        }
        catch (error) {
            return mysqlErrorKind(error) === 'full' ? 'full' : 'failed';
        }
        finally {
            clearTimeout(timer);
        }
    }

    #set(condition: Condition | null): void {

        if (condition === this.#condition || this.#stop.signal.aborted) {
            return;
        }

        this.#condition = condition;
        if (condition === null) {
            this.#log.info({ event: 'database.writable' }, 'the database server completes writes again');
        }
        else if (condition === 'full') {
            this.#log.error({ event: 'database.full' }, 'the database server has no room');
        }
        else {
            this.#log.error({ event: 'database.stalled' }, 'the database server answers, but completes no writes');
        }
    }
}

/** Writes a row of this process, and removes it. One that was not answered may be made later, when there is room. */
async function tryToWrite(address: MysqlAddress, { sent, signal }: Trial): Promise<void> {

    const connection = await createConnection(mysqlConnection(address));
    const ended = new Promise<never>((_, reject) => {

        const end = (): void => {

            connection.destroy();
            reject(signal.reason as Error);
        };

        connection.on('error', reject);
        signal.addEventListener('abort', end);
        if (signal.aborted) {
            end();
        }
    });
    // Where the work fails first.
    ended.catch(() => {});
    try {
        await Promise.race([ended, connection.query('select 1')]);
        sent();
        await Promise.race([ended, connection.query('insert into settings (name, value) values (?, ?) on duplicate key update value = values(value)', [TRIAL, randomUUID()])]);
        await Promise.race([ended, connection.query('delete from settings where name = ?', [TRIAL])]);
    }
    finally {
        connection.destroy();
    }
}
