/**
 * Writer thread of one SQLite file: receives batches of units, writes each batch in one transaction and every unit in a savepoint,
 * commits, and reports all outcomes at once.
 */

import { parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { CommitResult, Step, StepResult, Unit } from '../../database.js';
import type { DiskRules } from '../../disk-space.js';
import type { DatabaseErrorKind } from '../../errors.js';
import { StatementCache, isFull, openSqlite } from './file.js';
import type { SqliteFile } from './file.js';
import { DiskReserve } from './disk-reserve.js';

/** What the thread opens. */
export interface WriterOptions {
    readonly file: SqliteFile;
    /** Disk space to keep free; absent for no limit. */
    readonly disk?: DiskRules;
}

/** What to open, which comes first; a batch to write; or the request to end. */
export type ToWriter =
    | { readonly kind: 'open'; readonly options: WriterOptions }
    | ({ readonly kind: 'commit'; readonly units: readonly Unit[]; readonly transferred: readonly ArrayBuffer[] } & BatchOptions)
    | { readonly kind: 'close' };

/** Options of a batch. */
export interface BatchOptions {
    /** Sync to disk before the outcome is reported. */
    readonly durable: boolean;
    /** Return free pages to the disk. */
    readonly reclaim: boolean;
}

/** The file is open; or the outcomes of the units of a batch, in order, and the buffers that were transferred for it. */
export type FromWriter =
    | { readonly kind: 'ready' }
    | { readonly kind: 'written'; readonly outcomes: readonly UnitOutcome[]; readonly returned: readonly ArrayBuffer[] };

/** A result, or an error of this unit (of all units when the disk is full). */
export type UnitOutcome = CommitResult | UnitFailure;

interface UnitFailure {
    readonly fault: DatabaseErrorKind;
    readonly message: string;
    readonly error: Error;
}

/** Thrown within a savepoint to roll it back. */
class Rejection extends Error {

    readonly failed: string;

    constructor(failed: string) {

        super(failed);
        this.failed = failed;
    }
}

/** Units that are rejected without an attempt, so that essential ones can still be written. */
const SHORT: UnitFailure = {
    fault: 'full', message: 'the disk has no room but what must stay free', error: new Error('fewer than MIN_FREE_BYTES would be left')
};

const DUPLICATE = new Set(['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Free pages to keep in the file, and maximum number to release at once: with pages of 16 KiB, 64 MiB and 8 MiB. */
const MAX_CACHED_PAGES = 4096;
const RECLAIMED_PAGES = 512;

class Writer {

    readonly #db: Sqlite.Database;
    readonly #statements: StatementCache;
    readonly #reserve: DiskReserve | null;
    #durable: boolean | undefined;

    constructor({ file, disk }: WriterOptions) {

        this.#db = openSqlite(file);
        this.#statements = new StatementCache(this.#db);
        this.#reserve = disk && disk.minFree > 0 ? new DiskReserve(this.#db, file, disk) : null;
    }

    /** Writes a batch; without enough disk space only its essential units. */
    write(units: readonly Unit[], options: BatchOptions): UnitOutcome[] {

        const isShort = !units.every(isEssential) && this.#reserve?.has(sizeOf(units)) === false;
        let accepted = isShort ? units.filter(isEssential) : units;
        let written = this.#transact(accepted, options);
        if (!Array.isArray(written) && written.fault === 'full' && accepted.some(isEssential)) {
            // There was less space than estimated, or another program has taken it.
            this.#reserve?.release();
            this.#reserve?.make(0);
            accepted = units.filter(isEssential);
            written = this.#transact(accepted, { ...options, reclaim: false });
        }

        // A file shrinks only when its log is written back.
        if (this.#reserve && (this.#reserve.isShort || options.reclaim && this.#reserve.isTight)) {
            this.#reserve.make();
        }

        const results = new Map(accepted.map((unit, i) => [unit, Array.isArray(written) ? written[i] : written]));
        return units.map((unit) => results.get(unit) ?? SHORT);
    }

    /** Writes units in one transaction; an error of the transaction itself applies to all of them. */
    #transact(units: readonly Unit[], { durable, reclaim }: BatchOptions): UnitOutcome[] | UnitFailure {

        try {
            this.#setDurable(durable);
            this.#run('begin immediate');
            const outcomes = units.map((unit) => this.#writeUnit(unit));
            if (reclaim) {
                this.#reclaim();
            }

            this.#run('commit');
            return outcomes;
        }
        catch (error) {
            if (this.#db.inTransaction) {
                this.#run('rollback');
            }

            return failure(error, 'the database could not write');
        }
    }

    close(): void {

        this.#db.pragma('optimize');
        this.#db.close();
    }

    #writeUnit(unit: Unit): UnitOutcome {

        this.#run('savepoint unit');
        try {
            const steps = unit.steps.map((step) => this.#writeStep(step));
            this.#run('release unit');
            return { ok: true, steps };
        }
        catch (error) {
            if (!this.#db.inTransaction) {
                // SQLite has rolled back the whole transaction (disk full, I/O error), with all units of the batch.
                throw error;
            }

            this.#run('rollback to unit');
            this.#run('release unit');
            return error instanceof Rejection ? { ok: false, failed: error.failed } :
                failure(error, 'the database refused the change');
        }
    }

    #writeStep(step: Step): StepResult {

        const { changes, lastInsertRowid } = this.#runStep(step);
        if (step.expect && changes !== step.expect.rows) {
            throw new Rejection(step.expect.otherwise);
        }

        return { rows: changes, insertId: changes > 0 && /^\s*(insert|replace)\b/i.test(step.sql) ? Number(lastInsertRowid) : 0 };
    }

    #runStep(step: Step): Sqlite.RunResult {

        try {
            return this.#statements.get(step.sql).run(step.bindings);
        }
        catch (error) {
            if (step.duplicate !== undefined && error instanceof Sqlite.SqliteError && DUPLICATE.has(error.code)) {
                throw new Rejection(step.duplicate);
            }

            throw error;
        }
    }

    /** FULL syncs the log on commit, including the frames of earlier NORMAL commits. */
    #setDurable(durable: boolean): void {

        if (this.#durable !== durable) {
            this.#db.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
            this.#durable = durable;
        }
    }

    /** Releases some of the free pages, except those that the next uploads can use. */
    #reclaim(): void {

        if (this.#reserve?.isTight) {
            return;             // Moving pages needs space in the log, so it is done in small parts afterwards
        }

        const free = this.#db.pragma('freelist_count', { simple: true }) as number;
        if (free > MAX_CACHED_PAGES) {
            this.#db.pragma(`incremental_vacuum(${Math.min(free - MAX_CACHED_PAGES, RECLAIMED_PAGES)})`);
        }
    }

    #run(sql: string): void {

        this.#statements.get(sql).run();
    }
}

function isEssential({ essential }: Unit): boolean {

    return essential === true;
}

/** Returns the bytes of the values of units. */
function sizeOf(units: readonly Unit[]): number {

    let bytes = 0;
    for (const { steps } of units) {
        for (const { bindings } of steps) {
            for (const value of bindings) {
                bytes += typeof value === 'string' ? value.length : value instanceof Uint8Array ? value.byteLength : 8;
            }
        }
    }

    return bytes;
}

function failure(error: unknown, message: string): UnitFailure {

    return isFull(error) ? { fault: 'full', message: 'the database has no room', error: toError(error) } : { fault: 'failed', message, error: toError(error) };
}

/** Converts to a plain Error, because the class of the driver cannot be cloned to the main thread. */
function toError(error: unknown): Error {

    if (!(error instanceof Error)) {
        return new Error(String(error));
    }

    const code = error instanceof Sqlite.SqliteError ? `${error.code}: ` : '';
    return new Error(`${code}${error.message}`);
}

function serve(): void {

    const port = parentPort;
    if (!port) {
        throw new Error('the database writer is started as a worker thread');
    }

    let writer: Writer | null = null;
    port.on('message', (message: ToWriter) => {

        if (message.kind === 'open') {
            writer = new Writer(message.options);
            port.postMessage({ kind: 'ready' } satisfies FromWriter);
            return;
        }

        if (writer === null) {
            throw new Error('nothing is open');
        }

        if (message.kind === 'close') {
            writer.close();
            port.close();
            return;
        }

        const { units, transferred } = message;
        const outcomes = writer.write(units, message);
        port.postMessage({ kind: 'written', outcomes, returned: transferred } satisfies FromWriter, transferred);
    });
}

serve();
