/**
 * From the configuration to an open database.
 */

import { mkdir } from 'node:fs/promises';
import type { Database } from '../database.js';
import type { Log } from '../log.js';
import { acceptLoss } from './sqlite/lost-file.js';
import { SILENT } from '../log.js';
import type { MigrateOptions } from '../migrations/migrate.js';
import { parseMysqlUrl } from './mysql/url.js';
import { openSqliteDatabase, sqliteFiles } from './sqlite/database.js';
import { migrateSqlite } from './sqlite/migrate.js';
import { migrateMysql } from './mysql/migrate.js';

/** The files hold secrets: a folder that is made here is nobody else's to read. */
const FOLDER = { recursive: true, mode: 0o700 };

/** Where the rows are. */
export interface DatabaseOptions {
    /** `mysql://user:password@host:port/database`; without it SQLite files in `dataDir`. */
    readonly url?: string | undefined;
    /** Folder of the SQLite files; made when it is not there. */
    readonly dataDir: string;
    readonly log?: Log;
    /** Bytes of the disk of `dataDir` that are left free; default 256 MiB, or 5 % of a smaller disk. */
    readonly minFree?: number | null | undefined;
}

/**
 * Opens a database; rejects with a helpful sentence when that cannot be. Tables are made by `migrate()`.
 *
 * @throws LostFileError when one of the files of an embedded database is gone and the other is not
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {

    const log = options.log ?? SILENT;
    if (options.url !== undefined && options.url !== '') {
        const { openMysqlDatabase } = await import('./mysql/database.js');   // With the driver, which SQLite does not need
        return await openMysqlDatabase(parseMysqlUrl(options.url), log);
    }

    await mkdir(options.dataDir, FOLDER);
    return openSqliteDatabase(options.dataDir, log, options.minFree);
}

/** Brings the tables of a database that nobody uses up to date, or back down. A running service does it by `migrate()`. */
export async function migrateDatabase(options: DatabaseOptions, how: MigrateOptions): Promise<void> {

    const log = options.log ?? SILENT;
    if (options.url !== undefined && options.url !== '') {
        await migrateMysql(parseMysqlUrl(options.url), log, how);
        return;
    }

    await mkdir(options.dataDir, FOLDER);
    await migrateSqlite(sqliteFiles(options.dataDir), log, how);
}

/** Makes that an embedded database of which a file was lost can be opened again; returns a sentence that tells what was done. */
export function acceptLostFile(dataDir: string): string {

    return acceptLoss(sqliteFiles(dataDir), new Date());
}
