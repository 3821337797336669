/**
 * Opens the database of a configuration.
 */

import { mkdir } from 'node:fs/promises';
import type { CommitObserver, Database, Dialect } from '../database.js';
import type { Log } from '../log.js';
import { rejectCut } from './sqlite/cut-marker.js';
import { acceptLoss } from './sqlite/lost-file.js';
import { explainOpenError } from './sqlite/open-error.js';
import { SILENT } from '../log.js';
import { MIGRATION_TABLE, type MigrateOptions } from '../migrator/migrate.js';
import { parseMysqlUrl } from './mysql/url.js';
import { openSqliteDatabase } from './sqlite/database.js';
import type { StartThread } from './sqlite/writer.js';
import { sqliteFiles } from './sqlite/file.js';
import { openSqliteReadOnly } from './sqlite/read-only-database.js';
import { splitConnections } from './mysql/connection-shares.js';
import { migrateSqlite } from './sqlite/migrate.js';
import { migrateMysql } from './mysql/migrate.js';

/** The files contain secrets, so only the owner has access to a new folder. */
const FOLDER = { recursive: true, mode: 0o700 };

/** Location of the database. */
export interface DatabaseOptions {
    /** `mysql://user:password@host:port/database`; without it SQLite files in `dataDir`. */
    readonly url?: string | undefined;
    /** Folder of the SQLite files; created when missing. */
    readonly dataDir: string;
    readonly log?: Log;
    /** Bytes of the disk of `dataDir` to keep free; default 256 MiB, or 5 % of a smaller disk. */
    readonly minFree?: number | null | undefined;
    readonly onCommitted?: CommitObserver | undefined;
    /** Number of other processes of this service that only read; the connections to a server are divided among all. Default 0. */
    readonly readers?: number | undefined;
    /** Starts the threads that write to SQLite; by default each is started when it is needed. */
    readonly startThread?: StartThread | undefined;
}

/**
 * Opens a database; rejects with a helpful message. Tables are created by `migrate()`.
 *
 * @throws UnusableDatabaseError when a retry is of no use
 * @throws LostFileError when one of the files of an embedded database is missing and the other is not
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {

    const log = options.log ?? SILENT;
    if (options.url !== undefined && options.url !== '') {
        const { openMysqlDatabase } = await import('./mysql/database.js');   // With the driver, which SQLite does not need
        const address = parseMysqlUrl(options.url);
        const connections = splitConnections(address.connections, options.readers ?? 0).primary;
        return await openMysqlDatabase({ ...address, connections }, log, {
            onCommitted: options.onCommitted, copyTo: { path: options.dataDir, minFree: options.minFree }
        });
    }

    await mkdir(options.dataDir, FOLDER);
    try {
        return openSqliteDatabase(options.dataDir, log, options);
    }
    catch (error) {
        throw explainOpenError(sqliteFiles(options.dataDir), error);
    }
}

/**
 * Opens a database for one of `readers` processes that only read it, while another process of this machine writes. Writes are rejected.
 *
 * @throws UnusableDatabaseError when a retry is of no use
 */
export async function openReadOnlyDatabase(options: DatabaseOptions): Promise<Database> {

    if (options.url !== undefined && options.url !== '') {
        const address = parseMysqlUrl(options.url);
        const connections = splitConnections(address.connections, options.readers ?? 1).reader;
        const { openMysqlReadOnly } = await import('./mysql/read-only-database.js');
        return await openMysqlReadOnly({ ...address, connections }, options.log ?? SILENT);
    }

    const files = sqliteFiles(options.dataDir);
    try {
        return openSqliteReadOnly(files);
    }
    catch (error) {
        throw explainOpenError(files, error);
    }
}

/** How the table of migrations is found. */
const FIND_TABLES: Readonly<Record<Dialect, string>> = {
    sqlite: `select 1 from sqlite_schema where name = '${MIGRATION_TABLE}'`,
    mysql: `select 1 from information_schema.tables where table_schema = database() and table_name = '${MIGRATION_TABLE}'`
};

/** Returns whether a database has tables of this program: `migrate()` was called before. */
export async function hasTables(db: Pick<Database, 'dialect' | 'read'>): Promise<boolean> {

    return (await db.read({ sql: FIND_TABLES[db.dialect] }, [])).length > 0;
}

/** Migrates a database that is not in use, up or down. A running service uses `migrate()`. */
export async function migrateDatabase(options: DatabaseOptions, how: MigrateOptions): Promise<void> {

    const log = options.log ?? SILENT;
    if (options.url !== undefined && options.url !== '') {
        await migrateMysql(parseMysqlUrl(options.url), log, { ...how, copyTo: { path: options.dataDir, minFree: options.minFree } });
        return;
    }

    await mkdir(options.dataDir, FOLDER);
    await migrateSqlite(sqliteFiles(options.dataDir), log, how);
}

/**
 * Makes an embedded database usable that has lost one of its files; returns a sentence that says what was done.
 *
 * @throws UnusableDatabaseError when a file was cut
 */
export function acceptLostFile(dataDir: string): string {

    const files = sqliteFiles(dataDir);
    rejectCut(files.rows);
    rejectCut(files.blobs);
    return acceptLoss(files, new Date());
}
