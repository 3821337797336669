/**
 * The writer thread of one SQLite file: takes batches of units, writes each batch in one transaction and every unit in a
 * savepoint of its own, commits, then answers for all of them at once.
 */

import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { CommitResult, Step, StepResult, Unit } from '../../database.js';
import type { DiskRules } from './disk-space.js';
import type { DatabaseErrorKind } from '../../errors.js';
import { StatementCache, isFull, openSqlite } from './file.js';
import type { SqliteFile } from './file.js';
import { SqliteRoom } from './disk-reserve.js';

/** What the worker is started with. */
export interface WriterOptions {
    readonly file: SqliteFile;
    /** What must stay free on the disk; absent where nobody cares. */
    readonly disk?: DiskRules;
}

/** A batch to write, or the word to end. */
export type ToWriter =
    | ({ readonly kind: 'commit'; readonly units: readonly Unit[]; readonly lent: readonly ArrayBuffer[] } & BatchOptions)
    | { readonly kind: 'close' };

/** How a batch is committed. */
export interface BatchOptions {
    /** Whether the disk must have it before it is answered. */
    readonly durable: boolean;
    /** Whether to give free pages back to the disk. */
    readonly reclaim: boolean;
}

/** The file is open; or what became of the units of a batch, in their order, and the buffers that were lent for it. */
export type FromWriter =
    | { readonly kind: 'ready' }
    | { readonly kind: 'written'; readonly outcomes: readonly UnitOutcome[]; readonly returned: readonly ArrayBuffer[] };

/** A result, or an error that concerns this unit alone (or all, when the disk is full). */
export type UnitOutcome = CommitResult | UnitFailure;

interface UnitFailure {
    readonly fault: DatabaseErrorKind;
    readonly message: string;
    readonly error: Error;
}

/** Thrown within a savepoint to undo it. */
class Refusal extends Error {

    readonly failed: string;

    constructor(failed: string) {

        super(failed);
        this.failed = failed;
    }
}

/** What is refused before it is tried, so that what must be written still can. */
const SHORT: UnitFailure = {
    fault: 'full', message: 'the disk has no room but what must stay free', error: new Error('fewer than MIN_FREE_BYTES would be left')
};

const DUPLICATE = new Set(['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Free pages that stay in the file, and how many go at once: with pages of 16 KiB, 64 MiB and 8 MiB. */
const MAX_CACHED_PAGES = 4096;
const RECLAIMED_PAGES = 512;

class Writer {

    readonly #db: Sqlite.Database;
    readonly #statements: StatementCache;
    readonly #room: SqliteRoom | null;
    #durable: boolean | undefined;

    constructor({ file, disk }: WriterOptions) {

        this.#db = openSqlite(file);
        this.#statements = new StatementCache(this.#db);
        this.#room = disk && disk.minFree > 0 ? new SqliteRoom(this.#db, file, disk) : null;
    }

    /** Writes a batch; of one that there is no room for only what is essential. */
    write(units: readonly Unit[], options: BatchOptions): UnitOutcome[] {

        const isShort = !units.every(isEssential) && this.#room?.has(sizeOf(units)) === false;
        let taken = isShort ? units.filter(isEssential) : units;
        let written = this.#transact(taken, options);
        if (!Array.isArray(written) && written.fault === 'full' && taken.some(isEssential)) {
            // Before there was less room than it seemed, or somebody else has taken it.
            this.#room?.giveUp();
            this.#room?.make(0);
            taken = units.filter(isEssential);
            written = this.#transact(taken, { ...options, reclaim: false });
        }

        // A file becomes shorter only when its log is written back.
        if (this.#room && (this.#room.isShort || options.reclaim && this.#room.isTight)) {
            this.#room.make();
        }

        const results = new Map(taken.map((unit, i) => [unit, Array.isArray(written) ? written[i] : written]));
        return units.map((unit) => results.get(unit) ?? SHORT);
    }

    /** Writes units in one transaction; an error of the transaction itself is everybody's. */
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
                // SQLite itself has rolled everything back (disk full, I/O error): no unit of the batch is left.
                throw error;
            }

            this.#run('rollback to unit');
            this.#run('release unit');
            return error instanceof Refusal ? { ok: false, failed: error.failed } :
                failure(error, 'the database refused the change');
        }
    }

    #writeStep(step: Step): StepResult {

        const { changes, lastInsertRowid } = this.#runStep(step);
        if (step.expect && changes !== step.expect.rows) {
            throw new Refusal(step.expect.otherwise);
        }

        return { rows: changes, insertId: changes > 0 && /^\s*(insert|replace)\b/i.test(step.sql) ? Number(lastInsertRowid) : 0 };
    }

    #runStep(step: Step): Sqlite.RunResult {

        try {
            return this.#statements.get(step.sql).run(step.bindings);
        }
        catch (error) {
            if (step.duplicate !== undefined && error instanceof Sqlite.SqliteError && DUPLICATE.has(error.code)) {
                throw new Refusal(step.duplicate);
            }

            throw error;
        }
    }

    /** FULL syncs the log at the commit, with all frames of earlier NORMAL commits in it. */
    #setDurable(durable: boolean): void {

        if (this.#durable !== durable) {
            this.#db.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
            this.#durable = durable;
        }
    }

    /** Cuts off some of the free pages, except for those that the next uploads can use. */
    #reclaim(): void {

        if (this.#room?.isTight) {
            return;             // Pages that are moved need room in the log: it is done in small pieces afterwards
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

/** Bytes that units bring along. */
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

/** A plain error, because the driver's own class does not survive the way to the main thread. */
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

    const writer = new Writer(workerData as WriterOptions);
    port.on('message', (message: ToWriter) => {

        if (message.kind === 'close') {
            writer.close();
            port.close();
            return;
        }

        const { units, lent } = message;
        const outcomes = writer.write(units, message);
        port.postMessage({ kind: 'written', outcomes, returned: lent } satisfies FromWriter, lent);
    });
    port.postMessage({ kind: 'ready' } satisfies FromWriter);
}

serve();
