/**
 * Opens SQLite files, with the settings of all connections.
 */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { DiskRules } from '../../disk-space.js';
import { DatabaseError } from '../../errors.js';
import { closeToOthers, makePrivate } from '../../private-files.js';

/** A database file and its settings. Plain data, passed to the writer thread. */
export interface SqliteFile {
    readonly path: string;
    /** Bytes; applies to a new file only. */
    readonly pageSize: number;
    /** Page cache of a connection, in KiB. */
    readonly cacheKiB: number;
    /** Size at which the write-ahead log is written back to the file, and to which it is truncated afterwards, in bytes. */
    readonly logBytes: number;
}

/** Files of a data folder. */
export interface SqliteFiles {
    readonly rows: SqliteFile;
    readonly blobs: SqliteFile;
}

/** Returns the files of a data folder. Bytes come in chunks of 256 KiB: larger pages, and hardly any cache. */
export function sqliteFiles(dataDir: string, disk?: DiskRules): SqliteFiles {

    // With little reserved space, the logs must be small.
    const logBytes = disk && disk.minFree > 0 ? Math.min(LOG_BYTES, Math.max(MIN_LOG_BYTES, disk.minFree / 8)) : LOG_BYTES;
    return {
        rows: { path: join(dataDir, 'repository.sqlite'), pageSize: 4096, cacheKiB: 16 * 1024, logBytes },
        blobs: { path: join(dataDir, 'blobs.sqlite'), pageSize: 16384, cacheKiB: 1024, logBytes }
    };
}

/** Bytes of the write-ahead log of a file: default, and minimum. */
const LOG_BYTES = 8 * 1024 * 1024;
const MIN_LOG_BYTES = 256 * 1024;

/** Files beside a database; SQLite creates them with the mode of the database. */
export const LOGS = ['-wal', '-shm', '-journal'];

/** Maximum number of prepared statements of a connection. */
const MAX_STATEMENTS = 1_000;

/** Timeout of a writer for locks of other programs, such as a backup; it blocks its own thread only. */
const WRITER_TIMEOUT_MS = 10_000;

/** Readers hardly ever meet a lock, and block the event loop. */
const READER_TIMEOUT_MS = 500;

/** Value of `auto_vacuum` for which free pages are returned on request. */
const INCREMENTAL = 2;

/** The file, its log or its shared memory could not grow. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMMAP']);

/** Returns whether a statement failed for lack of disk space. */
export function isFull(error: unknown): boolean {

    return error instanceof Sqlite.SqliteError && FULL.has(error.code);
}

/**
 * Opens a connection for writing; creates the file when it does not exist.
 *
 * @throws DatabaseError when there is no space for the shared memory of the connections
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

    // Both have an effect only before the first table is created. auto_vacuum is set only then, because it writes, which fails on a
    // full disk.
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

/** Opens a read-only connection. */
export function openSqliteReader(file: SqliteFile): Sqlite.Database {

    const db = openSqlite(file, READER_TIMEOUT_MS);
    db.pragma('query_only = ON');
    return db;
}

/** Prepared statements of a connection; the oldest is evicted when there are too many. */
export class StatementCache {

    readonly #db: Sqlite.Database;
    readonly #statements = new Map<string, Sqlite.Statement>();

    constructor(db: Sqlite.Database) {

        this.#db = db;
    }

    get(sql: string): Sqlite.Statement {

        const cached = this.#statements.get(sql);
        if (cached) {
            return cached;
        }

        const statement = this.#db.prepare(sql);
        if (this.#statements.size >= MAX_STATEMENTS) {
            for (const oldest of this.#statements.keys()) {
                this.#statements.delete(oldest);
                break;
            }
        }

        this.#statements.set(sql, statement);
        return statement;
    }
}
