/**
 * The writer thread of one SQLite file: takes batches of units, writes each batch in one transaction and every unit in a
 * savepoint of its own, commits, then answers for all of them at once.
 */

import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { CommitResult, Step, StepResult, Unit } from './database.js';
import type { DatabaseFault } from './errors.js';
import { StatementCache, openSqlite } from './sqlite-file.js';
import type { SqliteFile } from './sqlite-file.js';

/** What the worker is started with. */
export interface WriterOptions {
    readonly file: SqliteFile;
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
export type UnitOutcome = CommitResult | { readonly fault: DatabaseFault; readonly message: string; readonly error: Error };

/** Thrown within a savepoint to undo it. */
class Refusal extends Error {

    readonly failed: string;

    constructor(failed: string) {

        super(failed);
        this.failed = failed;
    }
}

/** The file, its log or the memory beside it could not grow. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

const DUPLICATE = new Set(['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Free pages that stay in the file, and how many go at once: with pages of 16 KiB, 64 MiB and 8 MiB. */
const KEPT_PAGES = 4096;
const RECLAIMED_PAGES = 512;

class Writer {

    readonly #db: Sqlite.Database;
    readonly #statements: StatementCache;
    #durable: boolean | undefined;

    constructor(options: WriterOptions) {

        this.#db = openSqlite(options.file);
        this.#statements = new StatementCache(this.#db);
    }

    /** Writes a batch; an error of the transaction itself is everybody's. */
    write(units: readonly Unit[], { durable, reclaim }: BatchOptions): UnitOutcome[] {

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

            const outcome = failure(error, 'the database could not write');
            return units.map(() => outcome);
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

        const free = this.#db.pragma('freelist_count', { simple: true }) as number;
        if (free > KEPT_PAGES) {
            this.#db.pragma(`incremental_vacuum(${Math.min(free - KEPT_PAGES, RECLAIMED_PAGES)})`);
        }
    }

    #run(sql: string): void {

        this.#statements.get(sql).run();
    }
}

function failure(error: unknown, message: string): UnitOutcome {

    return error instanceof Sqlite.SqliteError && FULL.has(error.code) ?
        { fault: 'full', message: 'the database has no room', error: toError(error) } : { fault: 'failed', message, error: toError(error) };
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
