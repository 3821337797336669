/**
 * Brings the tables up to date, and down again, through knex's own migration table. Two nodes that start at once take turns.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { knex as makeKnex } from 'knex';
import type { Knex } from 'knex';
import type { Connection } from 'mysql2/promise';
import type { Dialect } from './database.js';
import { columnsOf, knexClient } from './dialect.js';
import type { Log } from './log.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import type { MysqlAddress } from './mysql-url.js';
import { isCluster, mysqlConnection } from './mysql-connection.js';
import { makePrivate } from './private-files.js';
import type { SqliteFile } from './sqlite-file.js';
import { openSqlite } from './sqlite-file.js';

/** Up to the newest migration, or down to (not including) everything after the named one; `null` removes all. */
export type MigrationTarget = 'newest' | { readonly downTo: string | null };

/** What a migration run may be told. `migrations` is for tests. */
export interface MigrateOptions {
    readonly target?: MigrationTarget;
    readonly migrations?: readonly Migration[];
}

interface Setting {
    readonly dialect: Dialect;
    readonly alone: boolean;
    readonly log: Log;
}

const MIGRATION_TABLE = 'migrations';
const LOCK_WAIT_MS = 60_000;

/** Errors of the server. */
const TABLE_EXISTS = 1050;
const DEADLOCK = 1213;

/** What knex hands out of its pool. */
interface CallbackConnection {
    query(sql: string, done: (error: Error | null) => void): void;
}

/** Migrates the two files of an embedded database. */
export async function migrateSqlite(
    files: { readonly rows: SqliteFile; readonly blobs: SqliteFile }, log: Log, options: MigrateOptions = {}
): Promise<void> {

    // Both files must exist with their settings before the first table is made.
    openSqlite(files.blobs).close();
    openSqlite(files.rows).close();
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
    try {
        await migrate(knex, { dialect: 'sqlite', alone: true, log }, options);
    }
    finally {
        await knex.destroy();
        release();
    }
}

/** Migrates a MySQL database. */
export async function migrateMysql(address: MysqlAddress, log: Log, options: MigrateOptions = {}): Promise<void> {

    // The server frees its lock when the connection that holds it goes away.
    const { createConnection } = await import('mysql2/promise');   // Not loaded for SQLite: the service is to start quickly
    const lock = await createConnection(mysqlConnection(address));
    try {
        const alone = await lockServer(lock, address.database);
        const knex = makeKnex({
            client: knexClient('mysql'),
            connection: mysqlConnection(address),
            pool: {
                min: 0, max: 2,
                afterCreate(connection: CallbackConnection, done: (error: Error | null, connection: CallbackConnection) => void) {

                    if (alone) {
                        done(null, connection);
                        return;
                    }

                    // What another node has made is to be seen.
                    connection.query('set session wsrep_sync_wait = 1', (error: Error | null) => done(error, connection));
                }
            },
            log: knexLog(log)
        });
        try {
            await inTurn(() => migrate(knex, { dialect: 'mysql', alone, log }, options));
        }
        finally {
            await knex.destroy();
        }
    }
    finally {
        await lock.end();
    }
}

/**
 * `alone` means that it runs under a lock that ends with its holder: then a lock left in knex's own table is from a process
 * that died. Otherwise that table is all there is to keep two nodes apart.
 */
async function migrate(knex: Knex, { dialect, alone, log }: Setting, options: MigrateOptions): Promise<void> {

    const list = options.migrations ?? MIGRATIONS;
    const config: Knex.MigratorConfig = { migrationSource: sourceOf(list, dialect), tableName: MIGRATION_TABLE };
    await refuseNewer(knex, list);
    if (alone) {
        await knex.migrate.forceFreeMigrationsLock(config);
    }

    const target = options.target ?? 'newest';
    if (target === 'newest') {
        const [, names] = await knex.migrate.latest(config) as [number, string[]];
        if (names.length > 0) {
            log.info({ migrations: names }, 'database migrated');
        }

        return;
    }

    await migrateDown(knex, config, target.downTo, log);
}

/** On a cluster nodes that start together wait for the one that is at it; elsewhere they wait for the lock of the server. */
async function inTurn(work: () => Promise<void>): Promise<void> {

    const deadline = Date.now() + LOCK_WAIT_MS;
    for (;;) {
        try {
            await work();
            return;
        }
        catch (error) {
            if (!isOvertaken(error) || Date.now() > deadline) {
                explainLock(error);
            }
        }

        await sleep(200);
    }
}

/** Another node holds the lock, or makes the tables of the lock at the same time. */
function isOvertaken(error: unknown): boolean {

    const { name, errno } = error as { name?: string; errno?: number };
    return name === 'MigrationLocked' || errno === TABLE_EXISTS || errno === DEADLOCK;
}

/** Only where knex's own lock counts, on a Galera cluster: there a dead process leaves it behind. */
function explainLock(error: unknown): never {

    if (error instanceof Error && error.name === 'MigrationLocked') {
        throw new Error('another node is migrating the database, start again when it is done; if there is none, ' +
            `a node died while it did so: set is_locked to 0 in the table ${MIGRATION_TABLE}_lock`, { cause: error });
    }

    throw error;
}

async function migrateDown(knex: Knex, config: Knex.MigratorConfig, last: string | null, log: Log): Promise<void> {

    for (;;) {
        const newest = await knex.migrate.currentVersion(config);
        if (newest === 'none' || last !== null && newest <= last) {
            return;
        }

        await knex.migrate.down(config);
        log.info({ migration: newest }, 'migration taken back');
    }
}

/** A database that a newer program has changed is left alone. */
async function refuseNewer(knex: Knex, list: readonly Migration[]): Promise<void> {

    if (!await knex.schema.hasTable(MIGRATION_TABLE)) {
        return;
    }

    const known = new Set(list.map(({ name }) => name));
    const done = await knex(MIGRATION_TABLE).select<{ name: string }[]>('name').orderBy('id');
    const unknown = done.map(({ name }) => name).filter((name) => !known.has(name));
    if (unknown.length > 0) {
        throw new Error('the database was changed by a newer version of this program: it has the migrations ' +
            `${unknown.join(', ')}, which this version does not know; start that version, or restore a backup`);
    }
}

function sourceOf(list: readonly Migration[], dialect: Dialect): Knex.MigrationSource<Migration> {

    const columns = columnsOf(dialect);
    return {
        async getMigrations() {

            return [...list];
        },
        getMigrationName(migration) {

            return migration.name;
        },
        async getMigration(migration) {

            return {
                up: (knex) => migration.up({ knex, dialect, columns }),
                down: (knex) => migration.down({ knex, dialect, columns })
            };
        }
    };
}

function knexLog(log: Log): Knex.Logger {

    const report = (message: string): void => log.warn({ knex: message }, 'migration');
    return { warn: report, error: report, deprecate() {}, debug() {} };
}

/** Holds a lock on a small file beside the database; the operating system frees it when the process ends. */
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

/** Locks the server; false when that locks one node of a cluster only. */
async function lockServer(connection: Connection, database: string): Promise<boolean> {

    if (await isCluster(connection)) {
        return false;
    }

    const [rows] = await connection.query('select get_lock(?, ?) as taken', [lockName(database), LOCK_WAIT_MS / 1000]);
    if ((rows as { taken: number | null }[])[0]?.taken !== 1) {
        throw new Error(`another node has been migrating the database for more than ${LOCK_WAIT_MS / 1000} seconds; try again later`);
    }

    return true;
}

/** Locks of a server are shared by its databases, and their names have at most 64 characters. */
function lockName(database: string): string {

    return `doip-gateway ${database}`.slice(0, 64);
}
