/**
 * Opening SQLite files: the settings that every connection needs, on either thread.
 */

import Sqlite from 'better-sqlite3';
import { DatabaseError } from '../../errors.js';
import { closeToOthers, makePrivate } from '../../private-files.js';

/** A database file and how it is kept. Plain data: it is handed to the writer thread. */
export interface SqliteFile {
    readonly path: string;
    /** Bytes; counts only for a new file. */
    readonly pageSize: number;
    /** KiB of pages that a connection keeps in memory. */
    readonly cacheKiB: number;
    /** The log is written back to the file when it has this many bytes, and cut to that size afterwards. */
    readonly logBytes: number;
}

/** Files that SQLite keeps beside a database; it gives new ones the rights of the database. */
const LOGS = ['-wal', '-shm', '-journal'];

/** How many statements a connection keeps prepared. */
const MAX_STATEMENTS = 1_000;

/** How long a writer waits for another program that holds the file, such as a backup; it does so on a thread of its own. */
const WRITER_TIMEOUT_MS = 10_000;

/** Readers hardly ever meet a lock, and the event loop waits with them. */
const READER_TIMEOUT_MS = 500;

/** The value of `auto_vacuum` by which free pages are given back when that is asked for. */
const INCREMENTAL = 2;

/** The file, its log or the memory beside it could not grow. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMMAP']);

/** Whether a statement failed for want of room on the disk. */
export function isFull(error: unknown): boolean {

    return error instanceof Sqlite.SqliteError && FULL.has(error.code);
}

/**
 * Opens a connection that may write; creates the file when it is not there.
 *
 * @throws DatabaseError when there is no room for the memory that connections share
 */
export function openSqlite(file: SqliteFile, timeout = WRITER_TIMEOUT_MS): Sqlite.Database {

    makePrivate(file.path);
    LOGS.forEach((suffix) => closeToOthers(file.path + suffix));
    const db = new Sqlite(file.path, { timeout });
    try {
        configure(db, file);
        return db;
    }
    catch (error) {
        db.close();
        throw isFull(error) ? new DatabaseError('full', 'the disk has no room to open the database', error) : error;
    }
}

function configure(db: Sqlite.Database, file: SqliteFile): void {

    // Before the first table is made these two take effect, later they do nothing; but the second one would write, on a full disk in vain.
    db.pragma(`page_size = ${file.pageSize}`);
    if (db.pragma('auto_vacuum', { simple: true }) !== INCREMENTAL) {
        db.pragma('auto_vacuum = INCREMENTAL');
    }

    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = -${file.cacheKiB}`);
    db.pragma(`wal_autocheckpoint = ${Math.ceil(file.logBytes / file.pageSize)}`);
    db.pragma(`journal_size_limit = ${file.logBytes}`);
}

/** Opens a connection that never writes. */
export function openSqliteReader(file: SqliteFile): Sqlite.Database {

    const db = openSqlite(file, READER_TIMEOUT_MS);
    db.pragma('query_only = ON');
    return db;
}

/** Statements of a connection, prepared at first use and kept; the oldest goes when there are too many. */
export class StatementCache {

    readonly #db: Sqlite.Database;
    readonly #kept = new Map<string, Sqlite.Statement>();

    constructor(db: Sqlite.Database) {

        this.#db = db;
    }

    get(sql: string): Sqlite.Statement {

        const kept = this.#kept.get(sql);
        if (kept) {
            return kept;
        }

        const statement = this.#db.prepare(sql);
        if (this.#kept.size >= MAX_STATEMENTS) {
            for (const oldest of this.#kept.keys()) {
                this.#kept.delete(oldest);
                break;
            }
        }

        this.#kept.set(sql, statement);
        return statement;
    }
}
