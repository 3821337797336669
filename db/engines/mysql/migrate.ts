/**
 * Migrates a MySQL database, one node at a time.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { knex as makeKnex, type Knex } from 'knex';
import type { Connection, Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { knexClient } from '../../dialect.js';
import type { Log } from '../../log.js';
import type { MysqlAddress } from './url.js';
import { mysqlConnection } from './connection.js';
import { mysqlErrorKind } from './errors.js';
import { applySettings, engineSettings, readServer } from './server.js';
import { copyBeforeMigration, type CopyFolder } from './migration-copy.js';
import type { MigrateOptions } from '../../migrator/migrate.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { READ_REQUIRED, requiredOf } from '../../migrator/compatibility.js';
import { knexLog, migrate, LOCK_WAIT_MS, MIGRATION_TABLE } from '../../migrator/migrate.js';

const NO_SUCH_TABLE = 1146;

/** Returns whether a database has exactly the known migrations, so that a start needs no further connections. */
export async function isUpToDate(pool: Pool): Promise<boolean> {

    try {
        const [rows] = await pool.query<RowDataPacket[]>(`select name, ${READ_REQUIRED} as required from ${MIGRATION_TABLE} order by name`);
        return rows.map(({ name }) => name as string).join() === MIGRATIONS.map(({ name }) => name).join() && rows[0]?.['required'] === requiredOf(MIGRATIONS);
    }
    catch (error) {
        if ((error as { errno?: number }).errno === NO_SUCH_TABLE) {
            return false;
        }

        throw error;
    }
}

/** Statements that change nothing, but need the rights to change rows. */
const CHANGES = [
    'insert into settings (name, value) select name, value from settings where 1 = 0', 'update settings set value = value where 1 = 0',
    'delete from settings where 1 = 0'
];

/** Rejects when the user may not change rows: a start without a migration only reads at first. */
export async function checkRights(pool: Pool): Promise<void> {

    for (const sql of CHANGES) {
        await pool.query(sql);
    }
}

/** Options of the migration of a server. */
export interface MysqlMigrateOptions extends MigrateOptions {
    /** Where the rows are copied before. Absent: they are not. */
    readonly copyTo?: CopyFolder | undefined;
    /** Whether the servers of a cluster share no locks; by default as the server says. For tests. */
    readonly inCluster?: boolean;
}

/** Applies migrations under a lock. The rows are copied before. */
export async function migrateMysql(address: MysqlAddress, log: Log, options: MysqlMigrateOptions = {}): Promise<void> {

    // The server releases its lock when the connection that holds it ends.
    const { createConnection } = await import('mysql2/promise');   // Not loaded for SQLite, to start faster
    const lock = await createConnection(mysqlConnection(address));
    try {
        const server = await readServer(lock);
        // The tables made by another node must be visible.
        const settings = engineSettings(server);
        await applySettings(lock, settings);
        const held = await (options.inCluster ?? server.engine === 'galera' ? lockCluster(lock) : lockServer(lock, address.database));
        const knex = knexUnder(held, address, { settings, log });
        try {
            const { copyTo: folder, target = 'newest', migrations = MIGRATIONS } = options;
            if (folder && target === 'newest') {
                await copyBeforeMigration(lock, address, { engine: server.engine, folder, known: migrations.map(({ name }) => name), log });
                await held.check();
            }

            await migrate(knex, { dialect: 'mysql', log, check: () => held.check() }, options);
        }
        catch (error) {
            throw held.lost.aborted ? new Error(LOST, { cause: error }) : error;
        }
        finally {
            await knex.destroy();
            await held.release();
        }
    }
    finally {
        await lock.end();
    }
}

/** Returns knex with connections that are cut when the lock is lost. */
function knexUnder(held: MigrationLock, address: MysqlAddress, { settings, log }: { settings: ReturnType<typeof engineSettings>; log: Log }): Knex {

    const connections = new Set<CallbackConnection>();
    held.lost.addEventListener('abort', () => connections.forEach((connection) => connection.destroy()));
    return makeKnex({
        client: knexClient('mysql'),
        connection: mysqlConnection(address),
        pool: {
            min: 0, max: 2,
            afterCreate(connection: CallbackConnection, done: (error: Error | null, connection: CallbackConnection) => void) {

                connections.add(connection);
                const ready = held.lost.aborted ? Promise.reject(new Error(LOST)) : applySettings(connection.promise(), settings);
                ready.then(() => done(null, connection), (error: Error) => done(error, connection));
            }
        },
        log: knexLog(log)
    });
}

/** A connection of the pool of knex. */
export interface CallbackConnection {
    promise(): Pick<Connection, 'query'>;
    destroy(): void;
}

/** Milliseconds between two attempts to take a lock. */
const LOCK_PAUSE_MS = 100;

/** A lock that is held until it is released. */
export interface MigrationLock {
    /** Aborted when another node may have the lock. */
    readonly lost: AbortSignal;
    /** @throws Error when another node may have the lock */
    check(): Promise<void>;
    release(): Promise<void>;
}

/** Takes a lock of the server, which is held until the connection ends. */
export async function lockServer(connection: Connection, database: string): Promise<MigrationLock> {

    if (!await takeLock(connection, lockName(database))) {
        throw new Error(LOCKED);
    }

    // The server closes idle connections after its wait_timeout.
    const alive = setInterval(() => void connection.query('select 1').catch(() => undefined), ALIVE_MS);
    return {
        lost: new AbortController().signal,
        async check() {

            const [found] = await connection.query('select is_used_lock(?) = connection_id() as held', [lockName(database)]);
            if ((found as { held: number | null }[])[0]?.held !== 1) {
                throw new Error(LOST);
            }
        },
        release() {

            clearInterval(alive);
            return Promise.resolve();
        }
    };
}

/** Of TiDB, whose locks are rows: many nodes wait for one. */
const TOO_MANY_WAIT = /lock retry limit/;

/** Waits for a lock of the server; false where it is not free in time. */
async function takeLock(connection: Connection, name: string): Promise<boolean> {

    const deadline = performance.now() + LOCK_WAIT_MS;
    for (;;) {
        try {
            const seconds = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
            const [rows] = await connection.query('select get_lock(?, ?) as taken', [name, seconds]);
            return (rows as { taken: number | null }[])[0]?.taken === 1;
        }
        catch (error) {
            if (!TOO_MANY_WAIT.test(String(error)) || performance.now() > deadline) {
                throw error;
            }
        }

        await sleep(LOCK_PAUSE_MS);
    }
}

/** The lease as stored. `until` differs after each renewal; nodes of earlier versions compare it with the time of their server. */
interface StoredLease {
    readonly owner: string;
    readonly until: number;
}

/**
 * Takes a lease on a row, because servers of a cluster do not share locks: of two nodes that take it at once, the commit of one fails. It may be
 * taken over when it was not renewed for its whole length, by the monotonic clock of this process: the clocks of servers may differ. The holder counts
 * by its own, from before it asked for a renewal, so it has stopped by then.
 *
 * @param now milliseconds of a monotonic clock
 */
export async function lockCluster(connection: Connection, now = () => performance.now()): Promise<MigrationLock> {

    const owner = randomUUID();
    await connection.query('create table if not exists migrations_lease (id int primary key, owner varchar(64) not null, held_until bigint not null)');
    await change(connection, 'insert ignore into migrations_lease (id, owner, held_until) values (1, \'\', 0)');
    const deadline = now() + LOCK_WAIT_MS;
    let seen: StoredLease & { readonly since: number } = { owner: '', until: -1, since: now() };
    for (;;) {
        const found = await readLease(connection);
        seen = found.owner === seen.owner && found.until === seen.until ? seen : { ...found, since: now() };
        const requestedOn = now();
        const isOver = found.until === 0 || requestedOn - seen.since >= LEASE_SECONDS * 1000;
        if (isOver && await change(connection, `${RENEW} and owner = ? and held_until = ?`, [owner, found.owner, found.until]) > 0) {
            return new ClusterLease(connection, owner, now, requestedOn);
        }

        if (now() > deadline) {
            throw new Error(LOCKED);
        }

        await sleep(LOCK_PAUSE_MS);
    }
}

/** A lease that is held, and renewed until it is released or lost. */
class ClusterLease implements MigrationLock {

    readonly #connection: Connection;
    readonly #owner: string;
    readonly #now: () => number;
    readonly #lost = new AbortController();
    readonly #renewal: NodeJS.Timeout;
    #heldUntil: number;
    #end: NodeJS.Timeout | undefined;

    constructor(connection: Connection, owner: string, now: () => number, requestedOn: number) {

        this.#connection = connection;
        this.#owner = owner;
        this.#now = now;
        this.#heldUntil = requestedOn;
        this.#extend(requestedOn);
        this.#renewal = setInterval(() => void this.check().catch(() => {
            // Lost, or the server does not answer: then the next renewal may succeed, or is too late.
        }), LEASE_SECONDS * 1000 / 3);
    }

    get lost(): AbortSignal {

        return this.#lost.signal;
    }

    async check(): Promise<void> {

        const requestedOn = this.#now();
        if (requestedOn >= this.#heldUntil) {
            this.#lost.abort();
        }

        if (this.#lost.signal.aborted) {
            throw new Error(LOST);
        }

        if (await this.#renew()) {
            this.#extend(requestedOn);
            return;
        }

        this.#lost.abort();
        throw new Error(LOST);
    }

    async release(): Promise<void> {

        clearInterval(this.#renewal);
        clearTimeout(this.#end);
        await change(this.#connection, 'update migrations_lease set held_until = 0 where id = 1 and owner = ?', [this.#owner]);
    }

    /** Ends the lease by a timer, too: a query for its renewal may hang. */
    #extend(requestedOn: number): void {

        this.#heldUntil = Math.max(this.#heldUntil, requestedOn + LEASE_SECONDS * 1000);
        clearTimeout(this.#end);
        this.#end = setTimeout(() => this.#lost.abort(), Math.max(0, this.#heldUntil - this.#now()));
    }

    async #renew(): Promise<boolean> {

        for (let attempt = 1; ; ++attempt) {
            if (await change(this.#connection, `${RENEW} and owner = ?`, [this.#owner, this.#owner]) > 0) {
                return true;
            }

            // Another server was faster, perhaps with a renewal of its own transaction.
            if (attempt === RENEWALS || (await readLease(this.#connection)).owner !== this.#owner) {
                return false;
            }
        }
    }
}

async function readLease(connection: Connection): Promise<StoredLease> {

    const [[found]] = await connection.query<RowDataPacket[]>('select owner, held_until from migrations_lease where id = 1');
    return { owner: String(found?.['owner'] ?? ''), until: Number(found?.['held_until'] ?? 0) };
}

/** Returns the number of rows changed; 0 when another server was faster. */
export async function change(connection: Connection, sql: string, values: (string | number)[] = []): Promise<number> {

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

/** Locks are shared by all databases of a server, and their names have at most 64 characters. */
function lockName(database: string): string {

    return `doip-gateway ${database}`.slice(0, 64);
}

/** Error message when the lock could not be taken in time. */
export const LOCKED = `another node has been migrating the database for more than ${LOCK_WAIT_MS / 1000} seconds; try again later`;

/** Error message when the lock was lost before the migration, or during it. */
export const LOST = 'the lock for the migration of the database was lost, another node may have it; try again later';

/** Milliseconds between signs of life on the connection with the lock. */
const ALIVE_MS = 5000;

/** Duration of the lease on a cluster, in seconds; it is renewed after a third of it. */
const LEASE_SECONDS = 30;

/** Attempts to renew the lease, which a transaction of another server may prevent. */
const RENEWALS = 3;

const RENEW = `update migrations_lease set owner = ?, held_until = greatest(held_until + 1, unix_timestamp() + ${LEASE_SECONDS}) where id = 1`;
