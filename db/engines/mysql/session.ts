/**
 * Connections of the pool while they are used: for how long one is waited for, how statements are sent, and what becomes of a connection
 * after an error.
 */

import Mysql from 'mysql2';
import type { FieldPacket, PoolConnection, QueryError, QueryResult, TypedParameterValue } from 'mysql2';
import type { Pool } from 'mysql2/promise';
import type { SqlValue } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { isQueueFull, isUnprepared, mysqlErrorKind } from './errors.js';
import type { WriteWatch } from './write-watch.js';

/** A value as the driver takes it. */
type Parameter = string | null | Buffer | number | TypedParameterValue;

/** Rows or the header of a statement, with the columns. */
export type Answer<T> = [T, FieldPacket[]];

/** What a statement is run with. */
export interface Session {
    /** Prepares the statement once for a connection. */
    execute<T extends QueryResult>(sql: string, bindings: readonly SqlValue[]): Promise<Answer<T>>;
    /** Sends text. */
    query<T extends QueryResult>(sql: string, bindings?: readonly SqlValue[]): Promise<Answer<T>>;
    /** Commits the transaction. */
    commit(): Promise<void>;
}

/** How connections are used. */
export interface SessionsOptions {
    /** For how long a free connection is waited for, in milliseconds. */
    readonly timeout: number;
    /** Called when the server prepares no more statements. */
    readonly onUnprepared: (error: unknown) => void;
    readonly writes: WriteWatch;
}

/** Hands out connections. */
export class Sessions {

    readonly #pool: Pool;
    readonly #options: SessionsOptions;

    constructor(pool: Pool, options: SessionsOptions) {

        this.#pool = pool;
        this.#options = options;
    }

    /**
     * Runs work on a connection, which is closed if it may be of no use afterwards.
     *
     * @param isTransaction whether a transaction may be open after an error
     * @throws DatabaseError `unavailable` when no connection is free in time
     */
    async use<T>(work: (session: Session) => Promise<T>, isTransaction: boolean): Promise<T> {

        const connection = await this.#acquire();
        const session = new MysqlSession(connection, this.#options);
        let isUsable = false;
        try {
            const result = await work(session);
            isUsable = true;
            return result;
        }
        catch (error) {
            isUsable = isAlive(error) && (!isTransaction || await rollback(session));
            throw error;
        }
        finally {
            if (isUsable) {
                connection.release();
            }
            else {
                connection.destroy();
            }
        }
    }

    #acquire(): Promise<PoolConnection> {

        const { timeout } = this.#options;
        return new Promise((resolve, reject) => {

            let isOver = false;
            const timer = setTimeout(() => {

                isOver = true;
                reject(new DatabaseError('unavailable', `no connection to the database was free within ${timeout} ms`));
            }, timeout);
            this.#pool.pool.getConnection((error, connection) => {

                clearTimeout(timer);
                if (error) {
                    // Memory is limited, too: the request must not wait elsewhere.
                    reject(isQueueFull(error) ? new DatabaseError('unavailable', 'too many requests wait for a connection to the database', error) : error);
                }
                else if (isOver) {
                    connection.release();
                }
                else {
                    resolve(connection);
                }
            });
        });
    }
}

class MysqlSession implements Session {

    readonly #connection: PoolConnection;
    readonly #options: Pick<SessionsOptions, 'onUnprepared' | 'writes'>;

    constructor(connection: PoolConnection, options: Pick<SessionsOptions, 'onUnprepared' | 'writes'>) {

        this.#connection = connection;
        this.#options = options;
    }

    async execute<T extends QueryResult>(sql: string, bindings: readonly SqlValue[]): Promise<Answer<T>> {

        try {
            return await answer<T>((done) => this.#connection.execute<T>(sql, bindings.map(toParameter), done));
        }
        catch (error) {
            if (!isUnprepared(error)) {
                throw error;
            }

            this.#options.onUnprepared(error);
            return await this.query<T>(sql, bindings);
        }
    }

    query<T extends QueryResult>(sql: string, bindings: readonly SqlValue[] = []): Promise<Answer<T>> {

        return answer<T>((done) => this.#connection.query<T>(sql, bindings.map(toText), done));
    }

    async commit(): Promise<void> {

        await this.#options.writes.run(() => this.query('commit'));
    }
}

function answer<T>(send: (done: (error: QueryError | null, result: T, fields: FieldPacket[]) => void) => void): Promise<Answer<T>> {

    return new Promise((resolve, reject) => send((error, result, fields) => {

        if (error) {
            reject(error);
        }
        else {
            resolve([result, fields]);
        }
    }));
}

/** Rolls back an open transaction; returns false when the connection cannot be used any more. */
async function rollback(session: Session): Promise<boolean> {

    try {
        await session.query('rollback');
        return true;
    }
    catch {
        // The server rolls back when the connection is closed, which the caller does next.
        return false;
    }
}

/** Returns whether the connection can be used after this error. */
function isAlive(error: unknown): boolean {

    const kind = mysqlErrorKind(error);
    return !(error instanceof DatabaseError) && kind !== 'lost' && kind !== 'read-only';
}

/** Sends integers as BIGINT: by default the driver sends doubles, which `limit` rejects and which impair index look-ups. */
function toParameter(value: SqlValue): Parameter {

    if (typeof value === 'bigint' || typeof value === 'number' && Number.isSafeInteger(value)) {
        return Mysql.TypedParameter.BIGINT(value);
    }

    return toText(value);
}

/** In text, numbers are digits; only bytes have to be those of Node. */
function toText<T extends Exclude<SqlValue, Uint8Array>>(value: T | Uint8Array): T | Buffer {

    return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}
