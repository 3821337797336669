/**
 * MySQL and MariaDB: reads run on the pool; a unit, or several in one transaction, on one connection of it. A unit holds no code,
 * so it is simply retried after a deadlock, a failed Galera certification, or a connection lost before the commit.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createPool } from 'mysql2/promise';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type {
    BlobDatabase, CommitObserver, CommitResult, Database, DatabaseCondition, DatabaseUsage, Row, SqlValue, Statement, Unit
} from '../../database.js';
import { DatabaseError, UnusableDatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import { mysqlConnection, sessionSettings } from './connection.js';
import { isRejected, mysqlErrorKind, toDatabaseError } from './errors.js';
import type { MysqlErrorKind } from './errors.js';
import { MysqlGroupCommit } from './group-commit.js';
import { reapStalledConnections } from './idle-connection-reaper.js';
import { ServerCheck } from './server-check.js';
import { type Answer, type Session, Sessions } from './session.js';
import { closeSurplusConnections } from './surplus-connections.js';
import { endPool, poolUsage } from './pool.js';
import { applySettings, checkServer, type Engine, engineSettings, MAX_STATEMENTS, preparedStatements, readServer, unitSettings } from './server.js';
import { decodeKeys, writeAlone, writeTogether, writeTransaction } from './transaction.js';
import type { MysqlAddress } from './url.js';
import { MysqlBlobs } from './blobs.js';
import { WriteWatch } from './write-watch.js';
import { checkRights, isUpToDate, migrateMysql } from './migrate.js';
import type { CopyFolder } from './migration-copy.js';

/** Base of the random delay before a retry in milliseconds, which doubles each time. */
const FIRST_PAUSE_MS = 25;

/**
 * Maximum number of attempts. Duplicate keys that a step does not expect are numbers handed out by the server: one of a cluster hands out
 * some that are taken while others join or leave, and the next after those.
 */
const ATTEMPTS: Readonly<Record<MysqlErrorKind, number>> = {
    refused: 1, full: 1, 'too-large': 1, duplicate: 4, lost: 6, 'rolled-back': 6, 'timed-out': 6, 'read-only': 6, 'no-connection': Infinity
};

/** A read that took longer than the server allows would do so again; a write may only have waited for a lock. */
const READ_ATTEMPTS: typeof ATTEMPTS = { ...ATTEMPTS, 'timed-out': 1 };

/** Maximum exponent of the delay. */
const MAX_DOUBLINGS = 6;

/** Maximum number of requests that wait for a connection of the pool. */
const QUEUE_LIMIT = 10_000;
const PING_TIMEOUT_MS = 5_000;

/** Minimum interval of reports that the server has reached a limit. */
const REPORT_MS = 60_000;

const SIZE = 'select sum(data_length + index_length) as bytes from information_schema.tables where table_schema = database()';

/** Options of a pool. */
export interface MysqlOptions {
    readonly onCommitted?: CommitObserver | undefined;
    /** Where the rows are copied before they are migrated. Absent: they are not. */
    readonly copyTo?: CopyFolder;
}

/** What connections are made with; the types of the driver do not have it. */
interface PoolConfig {
    readonly connectionConfig: { maxPreparedStatements: number };
}

/** Opens a pool; rejects when the server cannot be reached or does not meet the requirements. */
export async function openMysqlDatabase(
    address: MysqlAddress, log: Log, { onCommitted = () => {}, copyTo }: MysqlOptions = {}
): Promise<Database> {

    const pool = createPool({
        ...mysqlConnection(address),
        connectionLimit: address.connections,
        maxPreparedStatements: MAX_STATEMENTS,
        queueLimit: QUEUE_LIMIT
    });
    const check = new ServerCheck(pool, log);
    const settings = sessionSettings();
    pool.pool.on('connection', (connection) => {

        for (const setting of settings) {
            connection.query(setting, (error: Error | null) => {

                if (error) {
                    log.error({ event: 'database.connection-failed', err: error }, 'failed to set up database connection');
                    connection.destroy();
                }
            });
        }
    });
    const watches = [reapStalledConnections(pool.pool, address.timeout), closeSurplusConnections(pool.pool)];
    let engine: Engine;
    const end = (): Promise<void> => endPool(pool, address.timeout).finally(() => watches.forEach((stop) => stop()));
    try {
        const server = await readServer(pool);
        checkServer(server, log);
        engine = server.engine;
        const own = [...engineSettings(server), ...unitSettings(server)];
        settings.push(...own);
        const statements = preparedStatements(server, address.connections, log);
        if (statements < MAX_STATEMENTS) {
            (pool.pool.config as unknown as PoolConfig).connectionConfig.maxPreparedStatements = statements;
            (await pool.getConnection()).destroy();          // It was made with more
        }

        await applySettings(pool, own);                      // The only connection so far was made without them
        await check.run();                                   // A server that has lost its cluster executes no more than the above
    }
    catch (error) {
        await end();
        throw openError(address, error);
    }

    return new MysqlDatabase({ address, pool, check, end, log, onCommitted, copyTo, engine });
}

class MysqlDatabase implements Database {

    readonly dialect = 'mysql';
    /** Other nodes write to the same server. */
    readonly revision = null;
    readonly blobs: BlobDatabase;
    readonly #address: MysqlAddress;
    readonly #pool: Pool;
    readonly #server: ServerCheck;
    readonly #end: () => Promise<void>;
    readonly #log: Log;
    readonly #sessions: Sessions;
    readonly #groups: MysqlGroupCommit;
    readonly #writes: WriteWatch;
    readonly #onCommitted: CommitObserver;
    readonly #copyTo: CopyFolder | undefined;
    /** Transactions in progress. */
    #writing = 0;
    /** Operations that close() waits for. */
    readonly #running = new Set<Promise<unknown>>();
    /** Times of the last reports that the server has reached a limit, by the monotonic clock. */
    readonly #reportedOn = new Map<string, number>();
    /** Number of responses of the server. */
    #answers = 0;
    #closing: Promise<void> | null = null;

    constructor(parts: {
        address: MysqlAddress; pool: Pool; check: ServerCheck; end: () => Promise<void>; log: Log; onCommitted: CommitObserver; copyTo: CopyFolder | undefined;
        engine: Engine;
    }) {

        this.#address = parts.address;
        this.#pool = parts.pool;
        this.#server = parts.check;
        this.#end = parts.end;
        this.#log = parts.log;
        this.#onCommitted = parts.onCommitted;
        this.#copyTo = parts.copyTo;
        this.blobs = new MysqlBlobs(this, parts.engine);
        this.#writes = new WriteWatch(parts.address, parts.log);
        this.#sessions = new Sessions(parts.pool, {
            timeout: parts.address.timeout, writes: this.#writes, hasMarks: parts.engine === 'galera',
            onUnprepared: (error) => this.#report({ event: 'database.unprepared', error }, 'the database server prepares no more statements')
        });
        this.#groups = new MysqlGroupCommit({
            one: (unit, slot) => this.#writeOne(unit, slot),
            many: (units, slot) => this.#observe(units.length, () => this.#write((session) => writeTogether(session, units, slot), true))
        });
    }

    read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#track(async () => {

            const [rows, fields] = await this.#execute<RowDataPacket[]>(statement.sql, bindings, READ_ATTEMPTS);
            return decodeKeys(rows, fields) as unknown as R[];
        });
    }

    /** Reads rows whose short bytes are no keys, as a part of a BLOB is none. */
    readBytes<R>(sql: string, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#track(async () => (await this.#execute<RowDataPacket[]>(sql, bindings, READ_ATTEMPTS))[0] as R[]);
    }

    commit(unit: Unit): Promise<CommitResult> {

        return this.#track(async () => {

            // It would wait behind the units that the server does not answer.
            this.#writes.assertWritable();
            return await (unit.shared ? this.#groups.commit(unit) : this.#writeOne(unit));
        });
    }

    /** Runs an idempotent statement in autocommit. */
    write(sql: string, bindings: readonly SqlValue[]): Promise<number> {

        return this.#track(async () => {

            const [header] = await this.#write((session) => this.#writes.run(() => session.execute<ResultSetHeader>(sql, bindings)), false);
            return header.affectedRows;
        });
    }

    async migrate(): Promise<void> {

        try {
            await (await isUpToDate(this.#pool) ? checkRights(this.#pool) : migrateMysql(this.#address, this.#log, { copyTo: this.#copyTo }));

            this.#server.migrated();
        }
        catch (error) {
            throw isRejected(error) ? openError(this.#address, error) : error;
        }
    }

    now(): number {

        return this.#server.now();
    }

    /** When all connections are busy, any response of the server counts. */
    async ping(timeoutMs = PING_TIMEOUT_MS): Promise<void> {

        const before = this.#answers;
        const over = new AbortController();
        const timedOut = sleep(timeoutMs, false, { signal: over.signal, ref: false });
        try {
            const answered = this.#track(() => this.#check(timeoutMs)).then(() => {

                this.#answers += 1;
                return true;
            });
            if (!await Promise.race([answered, timedOut])) {
                await nextTurn();                           // Responses that arrived while this process was busy have not been read yet
            }

            if (this.#answers === before) {
                throw new Error(`no answer within ${timeoutMs} ms`);
            }
        }
        catch (error) {
            throw new DatabaseError('unavailable', 'the database does not answer', error);
        }
        finally {
            over.abort();
        }
    }

    condition(): Promise<DatabaseCondition | null> {

        return Promise.resolve(this.#writes.condition);
    }

    usage(): DatabaseUsage {

        return {
            writers: [{ writer: 'rows', waiting: this.#groups.waiting, running: this.#writing }],
            pool: poolUsage(this.#pool, this.#address.connections),
            disk: null
        };
    }

    async size(): Promise<number> {

        const [row] = await this.read<{ bytes: number | string | null }>({ sql: SIZE }, []);
        return Number(row?.bytes ?? 0);
    }

    close(): Promise<void> {

        this.#closing ??= Promise.allSettled(this.#running).then(() => this.#writes.stop()).then(() => this.#end());
        return this.#closing;
    }

    #execute<T extends RowDataPacket[]>(sql: string, bindings: readonly SqlValue[], attempts = ATTEMPTS): Promise<Answer<T>> {

        return this.#retry(() => this.#sessions.use((session) => session.execute<T>(sql, bindings), false), attempts);
    }

    /** Retries until success, a permanent error, or the limits of attempts and time. */
    async #retry<T>(work: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {

        const deadline = performance.now() + this.#address.timeout;
        for (let attempt = 1; ; ++attempt) {
            try {
                const result = await work();
                this.#answers += 1;
                return result;
            }
            catch (error) {
                const kind = error instanceof DatabaseError ? 'refused' : mysqlErrorKind(error);
                if (kind === 'no-connection') {
                    this.#report({ event: 'database.no-connection', error }, 'the database server accepts no more connections');
                }
                else if (kind === 'timed-out') {
                    this.#report({ event: 'database.timed-out', error }, 'a statement took longer than the database server allows');
                }

                if (attempt >= attempts[kind] || performance.now() > deadline) {
                    throw toDatabaseError(error, kind);
                }

                await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** Math.min(attempt, MAX_DOUBLINGS));
            }
        }
    }

    /** Waits for a connection of the pool while the server accepts no further one. */
    async #check(timeoutMs: number): Promise<void> {

        for (const deadline = performance.now() + timeoutMs; ;) {
            try {
                await this.#server.run();
                return;
            }
            catch (error) {
                const { busy, idle } = poolUsage(this.#pool, this.#address.connections);
                const mayPass = mysqlErrorKind(error) === 'no-connection' && busy + idle > 0;
                if (!mayPass || performance.now() > deadline) {
                    throw error;
                }
            }

            await sleep(FIRST_PAUSE_MS * 2, undefined, { ref: false });
        }
    }

    /** Logs that the server has reached a limit, from time to time. */
    #report({ event, error }: { readonly event: string; readonly error: unknown }, message: string): void {

        const now = performance.now();
        if (now - (this.#reportedOn.get(event) ?? -Infinity) > REPORT_MS) {
            this.#reportedOn.set(event, now);
            const reason = error instanceof Error ? error.message : String(error);
            this.#log.warn({ event, reason, ...poolUsage(this.#pool, this.#address.connections) }, message);
        }
    }

    #writeOne(unit: Unit, slot?: number): Promise<CommitResult> {

        const { isRepeatable = false } = unit;
        return this.#observe(1, () => this.#write(
            (session) => (isRepeatable ? this.#writes.run(() => writeAlone(session, unit)) : writeTransaction(session, unit, slot)), !isRepeatable));
    }

    #write<T>(work: (session: Session) => Promise<T>, isTransaction: boolean): Promise<T> {

        return this.#retry(async () => {

            this.#writes.assertWritable();
            try {
                return await this.#sessions.use(work, isTransaction);
            }
            catch (error) {
                this.#writes.failed(error);
                throw error;
            }
        });
    }

    /** Measures a transaction, with its retries and the wait for a connection. */
    async #observe<T>(units: number, work: () => Promise<T>): Promise<T> {

        const began = performance.now();
        this.#writing += 1;
        try {
            return await work();
        }
        finally {
            this.#writing -= 1;
            this.#onCommitted('rows', (performance.now() - began) / 1000, units);
        }
    }

    #track<T>(work: () => Promise<T>): Promise<T> {

        if (this.#closing) {
            return Promise.reject(new DatabaseError('unavailable', 'the database is closed'));
        }

        const running = work();
        this.#running.add(running);
        return running.finally(() => this.#running.delete(running));
    }
}

/** The error to report when a database cannot be opened. */
function openError(address: MysqlAddress, error: unknown): Error {

    if (error instanceof UnusableDatabaseError) {
        return error;
    }

    const message = unreachable(address, error);
    return isRejected(error) ?
        new UnusableDatabaseError('rejected', `${message}: check DATABASE_URL, and the rights of the user`, error) :
        new DatabaseError('unavailable', message, error);
}

function unreachable({ host, port, socket, database, user }: MysqlAddress, error: unknown): string {

    const address = socket ?? `${host}:${port}`;
    const reason = error instanceof Error && error.message !== '' ? error.message : String((error as { code?: unknown }).code);
    return `the database ${database} at ${address} cannot be opened as user ${user}: ${reason}`;
}
