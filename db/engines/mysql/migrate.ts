/**
 * Brings the tables of a MySQL database up to date, one node at a time.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { knex as makeKnex } from 'knex';
import type { Connection, ResultSetHeader } from 'mysql2/promise';
import { knexClient } from '../../dialect.js';
import type { Log } from '../../log.js';
import type { MysqlAddress } from './url.js';
import { adaptToCluster, mysqlConnection } from './connection.js';
import { mysqlErrorKind } from './errors.js';
import type { MigrateOptions } from '../../migrations/migrate.js';
import { knexLog, migrate, LOCK_WAIT_MS } from '../../migrations/migrate.js';

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

/** Locks the server, until the connection ends. */
export async function lockServer(connection: Connection, database: string): Promise<() => Promise<void>> {

    const [rows] = await connection.query('select get_lock(?, ?) as taken', [lockName(database), LOCK_WAIT_MS / 1000]);
    if ((rows as { taken: number | null }[])[0]?.taken !== 1) {
        throw new Error(LOCKED);
    }

    return () => Promise.resolve();
}

/** Takes a lease on a row, because servers of a cluster do not share their locks: of two that take it at once one is refused its commit. */
export async function lockCluster(connection: Connection): Promise<() => Promise<void>> {

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
export async function change(connection: Connection, sql: string, values: string[] = []): Promise<number> {

    try {
        const [header] = await connection.query<ResultSetHeader>(sql, values);
        return header.affectedRows;
    }
    catch (error) {
        if (mysqlErrorKind(error) === 'rolled-back') {
            return 0;
        }

        throw error;
    }
}

/** Locks of a server are shared by its databases, and their names have at most 64 characters. */
export function lockName(database: string): string {

    return `doip-gateway ${database}`.slice(0, 64);
}

export const LOCKED = `another node has been migrating the database for more than ${LOCK_WAIT_MS / 1000} seconds; try again later`;

/** On a cluster the lock is a lease of so many seconds, which is renewed three times in that time. */
export const LEASE_SECONDS = 30;

/** What knex hands out of its pool. */
export interface CallbackConnection {
    query(sql: string, done: (error: Error | null) => void): void;
}
