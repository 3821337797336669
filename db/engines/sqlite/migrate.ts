/**
 * Migrates an SQLite database, one process at a time.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { knex as makeKnex } from 'knex';
import { knexClient } from '../../dialect.js';
import type { Log } from '../../log.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { makePrivate } from '../../private-files.js';
import type { DiskRules } from '../../disk-space.js';
import type { SqliteFile, SqliteFiles } from './file.js';
import { openSqlite } from './file.js';
import { copyBeforeMigration } from './migration-copy.js';
import type { MigrateOptions } from '../../migrator/migrate.js';
import { knexLog, migrate, MIGRATION_TABLE, LOCK_WAIT_MS } from '../../migrator/migrate.js';

/** Options of the migration of an embedded database. */
export interface SqliteMigrateOptions extends MigrateOptions {
    /** Disk space to keep free; default as for a disk without settings. */
    readonly disk?: DiskRules;
}

/** Migrates the two files of an embedded database. The file with the rows is copied before, if there is space. */
export async function migrateSqlite(files: SqliteFiles, log: Log, options: SqliteMigrateOptions = {}): Promise<void> {

    // Both files must exist, with their settings, before the first table is created.
    openSqlite(files.blobs).close();
    openSqlite(files.rows).close();
    if (isUpToDate(files.rows, options)) {
        return;                             // Without writing, so that the service starts for reads on a full disk
    }

    const release = await lockFile(`${files.rows.path}.migrating`);
    const knex = makeKnex({
        client: knexClient('sqlite'),
        connection: { filename: files.rows.path },
        useNullAsDefault: true,
        log: knexLog(log),
        pool: {
            afterCreate(connection: Sqlite.Database, done: (error: Error | null, connection: Sqlite.Database) => void) {

                connection.pragma('synchronous = FULL');
                connection.prepare('attach database ? as blob_file').run(files.blobs.path);
                done(null, connection);
            }
        }
    });
    let stamp = (): void => {};
    try {
        stamp = await copyBefore(files, log, options);
        await migrate(knex, { dialect: 'sqlite', log }, options);
    }
    finally {
        await knex.destroy();
        stamp();
        release();
    }
}

/** Only for a migration to a newer version: there is a version to go back to. */
async function copyBefore({ rows }: SqliteFiles, log: Log, { target = 'newest', migrations, disk }: SqliteMigrateOptions): Promise<() => void> {

    return target === 'newest' ? await copyBeforeMigration(rows, { ...migrations && { migrations }, disk, log }) : () => {};
}

/** Returns whether a file has exactly the known migrations. */
export function isUpToDate(file: SqliteFile, { target = 'newest', migrations = MIGRATIONS }: MigrateOptions): boolean {

    const db = openSqlite(file);
    try {
        if (target !== 'newest' || !db.prepare('select 1 from sqlite_schema where name = ?').get(MIGRATION_TABLE)) {
            return false;
        }

        const done = db.prepare(`select name from ${MIGRATION_TABLE} order by name`).pluck().all();
        return done.join() === migrations.map(({ name }) => name).sort().join();
    }
    finally {
        db.close();
    }
}

/** Locks a small file beside the database; the operating system releases the lock when the process ends. */
async function lockFile(path: string): Promise<() => void> {

    const deadline = Date.now() + LOCK_WAIT_MS;
    makePrivate(path);
    for (;;) {
        const lock = new Sqlite(path, { timeout: 0 });
        try {
            lock.exec('begin exclusive');
            return () => lock.close();
        }
        catch (error) {
            lock.close();
            if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY') || Date.now() > deadline) {
                throw error;
            }
        }

        await sleep(100);
    }
}
