/**
 * MySQL and MariaDB: reads run on the pool; a unit, or several in one transaction, on one connection of it. A unit holds no code,
 * so it is simply retried after a deadlock, a failed Galera certification, or a connection lost before the commit.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createPool } from 'mysql2/promise';
import type { FieldPacket, Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { BlobDatabase, ChunkPart, CommitObserver, CommitResult, Database, DatabaseUsage, PoolUsage, Row, SqlValue, Statement, Unit } from '../../database.js';
import { DatabaseError, UnusableDatabaseError } from '../../errors.js';
import type { Log } from '../../log.js';
import { mysqlConnection, sessionSettings } from './connection.js';
import { isRejected, mysqlErrorKind } from './errors.js';
import type { MysqlErrorKind } from './errors.js';
import { MysqlGroupCommit } from './group-commit.js';
import { reapStalledConnections } from './idle-connection-reaper.js';
import { ServerCheck } from './server-check.js';
import { applySettings, checkServer, engineSettings, readServer } from './server.js';
import { decodeKeys, rollback, toParameter, writeAlone, writeTogether, writeTransaction } from './transaction.js';
import type { MysqlAddress } from './url.js';
import { isUpToDate, migrateMysql } from './migrate.js';
import { LIST_BLOBS, READ_PART } from '../../statements.js';

/** Maximum number of attempts, and base of the random delay before a retry in milliseconds, which doubles each time. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 25;

/** A repetition would fail as well. */
const FINAL: ReadonlySet<MysqlErrorKind> = new Set<MysqlErrorKind>(['refused', 'duplicate', 'full', 'too-large']);

/** Maximum number of requests that wait for a connection of the pool. */
const QUEUE_LIMIT = 10_000;
const PING_TIMEOUT_MS = 5_000;
const MAX_STATEMENTS = 500;

const SIZE = 'select sum(data_length + index_length) as bytes from information_schema.tables where table_schema = database()';

/** Opens a pool; rejects when the server cannot be reached or does not meet the requirements. */
export async function openMysqlDatabase(address: MysqlAddress, log: Log, onCommitted: CommitObserver = () => {}): Promise<Database> {

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
    const endWatch = reapStalledConnections(pool.pool, address.timeout);
    const end = (): Promise<void> => pool.end().finally(endWatch);
    try {
        const server = await readServer(pool);
        checkServer(server, log);
        settings.push(...engineSettings(server));
        await applySettings(pool, engineSettings(server));   // The only connection so far was made without them
        await check.run();                                   // A server that has lost its cluster executes no more than the above
    }
    catch (error) {
        await end();
        throw openError(address, error);
    }

    return new MysqlDatabase({ address, pool, check, end, log, onCommitted });
}

class MysqlDatabase implements Database {

    readonly dialect = 'mysql';
    /** Other nodes write to the same server. */
    readonly revision = null;
    readonly blobs: BlobDatabase;
    readonly #address: MysqlAddress;
    readonly #pool: Pool;
    readonly #check: ServerCheck;
    readonly #end: () => Promise<void>;
    readonly #log: Log;
    readonly #groups: MysqlGroupCommit;
    readonly #onCommitted: CommitObserver;
    /** Transactions in progress. */
    #writing = 0;
    /** Operations that close() waits for. */
    readonly #running = new Set<Promise<unknown>>();
    /** Number of responses of the server. */
    #answers = 0;
    #closing: Promise<void> | null = null;

    constructor(parts: { address: MysqlAddress; pool: Pool; check: ServerCheck; end: () => Promise<void>; log: Log; onCommitted: CommitObserver }) {

        this.#address = parts.address;
        this.#pool = parts.pool;
        this.#check = parts.check;
        this.#end = parts.end;
        this.#log = parts.log;
        this.#onCommitted = parts.onCommitted;
        this.blobs = new MysqlBlobs(this);
        this.#groups = new MysqlGroupCommit({
            one: (unit, slot) => this.#writeOne(unit, slot),
            many: (units, slot) => this.#observe(units.length, () => this.#retry(
                () => this.#onConnection((connection) => writeTogether(connection, units, slot))))
        });
    }

    read<R extends object = Row>(statement: Statement, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#track(async () => {

            const [rows, fields] = await this.#execute<RowDataPacket[]>(statement.sql, bindings);
            return decodeKeys(rows, fields) as unknown as R[];
        });
    }

    /** Reads rows whose short bytes are no keys, as a part of a BLOB is none. */
    readBytes<R>(sql: string, bindings: readonly SqlValue[]): Promise<R[]> {

        return this.#track(async () => (await this.#execute<RowDataPacket[]>(sql, bindings))[0] as R[]);
    }

    commit(unit: Unit): Promise<CommitResult> {

        return this.#track(() => (unit.shared ? this.#groups.commit(unit) : this.#writeOne(unit)));
    }

    /** Runs an idempotent statement in autocommit. */
    write(sql: string, bindings: readonly SqlValue[]): Promise<number> {

        return this.#track(async () => {

            const [header] = await this.#execute<ResultSetHeader>(sql, bindings);
            return header.affectedRows;
        });
    }

    async migrate(): Promise<void> {

        try {
            if (!await isUpToDate(this.#pool)) {
                await migrateMysql(this.#address, this.#log);
            }

            this.#check.migrated();
        }
        catch (error) {
            throw isRejected(error) ? openError(this.#address, error) : error;
        }
    }

    now(): number {

        return this.#check.now();
    }

    /** When all connections are busy, any response of the server counts. */
    async ping(timeoutMs = PING_TIMEOUT_MS): Promise<void> {

        const before = this.#answers;
        const over = new AbortController();
        const timedOut = sleep(timeoutMs, false, { signal: over.signal, ref: false });
        try {
            const answered = this.#track(() => this.#check.run()).then(() => {

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

        this.#closing ??= Promise.allSettled(this.#running).then(() => this.#end());
        return this.#closing;
    }

    #execute<T extends RowDataPacket[] | ResultSetHeader>(
        sql: string, bindings: readonly SqlValue[]
    ): Promise<[T, FieldPacket[]]> {

        const values = bindings.map(toParameter);
        return this.#retry(() => this.#pool.execute<T>(sql, values));
    }

    /** Retries until success, a permanent error, or the limits of attempts and time. */
    async #retry<T>(work: () => Promise<T>): Promise<T> {

        const deadline = performance.now() + this.#address.timeout;
        let attempt = 0;
        for (;;) {
            attempt += 1;
            try {
                const result = await work();
                this.#answers += 1;
                return result;
            }
            catch (error) {
                const kind = error instanceof DatabaseError ? 'refused' : mysqlErrorKind(error);
                if (FINAL.has(kind) || attempt === ATTEMPTS || performance.now() > deadline) {
                    throw toDatabaseError(error, kind);
                }

                await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
            }
        }
    }

    #writeOne(unit: Unit, slot?: number): Promise<CommitResult> {

        return this.#observe(1, () => this.#retry(() => (unit.isRepeatable ? writeAlone(this.#pool, unit) :
            this.#onConnection((connection) => writeTransaction(connection, unit, slot)))));
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

    async #onConnection<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {

        const connection = await this.#pool.getConnection();
        let usable = false;
        try {
            const result = await work(connection);
            usable = true;
            return result;
        }
        catch (error) {
            usable = isAlive(error) && await rollback(connection);
            throw error;
        }
        finally {
            if (usable) {
                connection.release();
            }
            else {
                connection.destroy();
            }
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

/** Chunks beside the rows. Every chunk is durable by itself. */
class MysqlBlobs implements BlobDatabase {

    readonly readsAtOnce = false;
    readonly #database: MysqlDatabase;

    constructor(database: MysqlDatabase) {

        this.#database = database;
    }

    async writeChunk(blobId: number, index: number, bytes: Uint8Array): Promise<Uint8Array> {

        // A retry after a lost connection finds its own row.
        const sql = 'insert into blob_chunks (blob_id, n, bytes) values (?, ?, ?) on duplicate key update bytes = values(bytes)';
        await this.#database.write(sql, [blobId, index, bytes]);
        return bytes;
    }

    async seal(): Promise<void> {

        // Every chunk is durable already.
    }

    async readChunk(blobId: number, index: number): Promise<Buffer | null> {

        const sql = 'select bytes from blob_chunks where blob_id = ? and n = ?';
        const rows = await this.#database.read<{ bytes: Buffer }>({ sql }, [blobId, index]);
        return rows[0]?.bytes ?? null;
    }

    async readPart(blobId: number, index: number, { start, length }: ChunkPart): Promise<{ size: number; bytes: Buffer } | null> {

        const rows = await this.#database.readBytes<{ size: number; bytes: Buffer }>(READ_PART, [start + 1, length, blobId, index]);
        return rows[0] ?? null;
    }

    async deleteChunks(blobId: number, limit: number): Promise<number> {

        return await this.#database.write('delete from blob_chunks where blob_id = ? order by n desc limit ?', [blobId, limit]);
    }

    async listBlobs(after: number, limit: number): Promise<number[]> {

        const rows = await this.#database.read<{ id: number }>({ sql: LIST_BLOBS }, [after, limit]);
        return rows.map(({ id }) => id);
    }
}

/** Returns the load of a pool, which counts its connections in members that its types do not have. */
function poolUsage(pool: Pool, limit: number): PoolUsage {

    const { _allConnections: all, _freeConnections: free, _connectionQueue: queue } =
        pool.pool as unknown as Partial<Record<'_allConnections' | '_freeConnections' | '_connectionQueue', { readonly length: number }>>;
    const idle = free?.length ?? 0;
    return { busy: Math.max(0, (all?.length ?? 0) - idle), idle, limit, waiting: queue?.length ?? 0 };
}

/** Returns whether the connection can be used after this error. */
function isAlive(error: unknown): boolean {

    return !(error instanceof DatabaseError) && mysqlErrorKind(error) !== 'lost';
}

function toDatabaseError(error: unknown, kind: MysqlErrorKind): DatabaseError {

    if (error instanceof DatabaseError) {
        return error;
    }

    if (kind === 'full') {
        return new DatabaseError('full', 'the database server has no room', error);
    }

    if (kind === 'too-large') {
        return new DatabaseError('too-large', 'a value exceeds a limit of the database server', error);
    }

    return kind === 'lost' || kind === 'rolled-back' ?
        new DatabaseError('unavailable', 'the database cannot be reached or is too busy', error) :
        new DatabaseError('failed', 'the database refused the statement', error);
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
