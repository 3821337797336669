/**
 * Brings the tables up to date, and down again, through knex's own migration table. Two nodes that start at once take turns.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { knex as makeKnex } from 'knex';
import type { Knex } from 'knex';
import type { Connection, ResultSetHeader } from 'mysql2/promise';
import type { Dialect } from './database.js';
import { columnsOf, knexClient } from './dialect.js';
import type { Log } from './log.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import type { MysqlAddress } from './mysql-url.js';
import { adaptToCluster, mysqlConnection } from './mysql-connection.js';
import { mysqlFault } from './mysql-errors.js';
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
    readonly log: Log;
}

const MIGRATION_TABLE = 'migrations';
const LOCK_WAIT_MS = 60_000;
const LOCKED = `another node has been migrating the database for more than ${LOCK_WAIT_MS / 1000} seconds; try again later`;

/** On a cluster the lock is a lease of so many seconds, which is renewed three times in that time. */
const LEASE_SECONDS = 30;

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
    if (isUpToDate(files.rows, options)) {
        return;                             // Without writing: a full disk must not keep anybody from reading
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
    try {
        await migrate(knex, { dialect: 'sqlite', log }, options);
    }
    finally {
        await knex.destroy();
        release();
    }
}

/** Whether a file has all migrations, and no others. */
function isUpToDate(file: SqliteFile, { target = 'newest', migrations = MIGRATIONS }: MigrateOptions): boolean {

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

/** Migrates a MySQL database. */
export async function migrateMysql(address: MysqlAddress, log: Log, options: MigrateOptions = {}): Promise<void> {

    // The server frees its lock when the connection that holds it goes away.
    const { createConnection } = await import('mysql2/promise');   // Not loaded for SQLite: the service is to start quickly
    const lock = await createConnection(mysqlConnection(address));
    try {
        const onCluster = await adaptToCluster(lock);
        const release = await (onCluster ? lockCluster(lock) : lockServer(lock, address.database));
        const knex = makeKnex({
            client: knexClient('mysql'),
            connection: mysqlConnection(address),
            pool: {
                min: 0, max: 2,
                afterCreate(connection: CallbackConnection, done: (error: Error | null, connection: CallbackConnection) => void) {

                    if (!onCluster) {
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
            await migrate(knex, { dialect: 'mysql', log }, options);
        }
        finally {
            await knex.destroy();
            await release();
        }
    }
    finally {
        await lock.end();
    }
}

/** It runs under a lock that ends with its holder: one left in knex's own table is from a process that died. */
async function migrate(knex: Knex, { dialect, log }: Setting, options: MigrateOptions): Promise<void> {

    const list = options.migrations ?? MIGRATIONS;
    const config: Knex.MigratorConfig = { migrationSource: sourceOf(list, dialect), tableName: MIGRATION_TABLE };
    await refuseNewer(knex, list);
    await knex.migrate.forceFreeMigrationsLock(config);

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

/** Locks the server, until the connection ends. */
async function lockServer(connection: Connection, database: string): Promise<() => Promise<void>> {

    const [rows] = await connection.query('select get_lock(?, ?) as taken', [lockName(database), LOCK_WAIT_MS / 1000]);
    if ((rows as { taken: number | null }[])[0]?.taken !== 1) {
        throw new Error(LOCKED);
    }

    return () => Promise.resolve();
}

/** Takes a lease on a row, because servers of a cluster do not share their locks: of two that take it at once one is refused its commit. */
async function lockCluster(connection: Connection): Promise<() => Promise<void>> {

    const owner = randomUUID();
    await connection.query('create table if not exists migrations_lease (id int primary key, owner varchar(64) not null, held_until bigint not null)');
    await change(connection, 'insert ignore into migrations_lease (id, owner, held_until) values (1, \'\', 0)');
    const deadline = Date.now() + LOCK_WAIT_MS;
    const take = `update migrations_lease set owner = ?, held_until = unix_timestamp() + ${LEASE_SECONDS} where id = 1 and (held_until < unix_timestamp() or owner = ?)`;
    while (await change(connection, take, [owner, owner]) === 0) {
        if (Date.now() > deadline) {
            throw new Error(LOCKED);
        }

        await sleep(100);
    }

    const renewal = setInterval(() => void change(connection, take, [owner, owner]).catch(() => {
        // What goes on is refused by the server that is away.
    }), LEASE_SECONDS * 1000 / 3);
    return async () => {

        clearInterval(renewal);
        await change(connection, 'update migrations_lease set held_until = 0 where id = 1 and owner = ?', [owner]);
    };
}

/** Rows that a statement has changed; none when another server was faster. */
async function change(connection: Connection, sql: string, values: string[] = []): Promise<number> {

    try {
        const [header] = await connection.query<ResultSetHeader>(sql, values);
        return header.affectedRows;
    }
    catch (error) {
        if (mysqlFault(error) === 'rolled-back') {
            return 0;
        }

        throw error;
    }
}

/** Locks of a server are shared by its databases, and their names have at most 64 characters. */
function lockName(database: string): string {

    return `doip-gateway ${database}`.slice(0, 64);
}
