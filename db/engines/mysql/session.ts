/**
 * Connections of the pool while they are used: for how long one is waited for, how statements are sent, and what becomes of a connection
 * after an error.
 */

import { randomUUID } from 'node:crypto';
import Mysql from 'mysql2';
import type { FieldPacket, PoolConnection, QueryError, QueryResult, RowDataPacket, TypedParameterValue } from 'mysql2';
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
    /** Writes in the transaction by what {@link isCommitted} recognises it; null where that is not needed. */
    mark(): Promise<CommitMark | null>;
    /** Commits the transaction. */
    commit(): Promise<void>;
    /** Returns whether the last transaction was committed. */
    isCommitted(mark: CommitMark): Promise<boolean>;
}

/** A setting that only one transaction has written. */
export interface CommitMark {
    readonly name: string;
    readonly value: string;
}

/** Beginning of the names of marks, and for how many milliseconds those of processes are kept that write no more. */
const MARK = 'commit:';
const MARK_RETENTION_MS = 7 * 86_400_000;

/** How connections are used. */
export interface SessionsOptions {
    /** For how long a free connection is waited for, in milliseconds. */
    readonly timeout: number;
    /** Called when the server prepares no more statements. */
    readonly onUnprepared: (error: unknown) => void;
    readonly writes: WriteWatch;
    /** Whether the server may answer that a transaction was rolled back which the others have committed. */
    readonly hasMarks: boolean;
}

/** Hands out connections. */
export class Sessions {

    readonly #pool: Pool;
    readonly #options: SessionsOptions;
    readonly #marks: MarkNames | null;

    constructor(pool: Pool, options: SessionsOptions) {

        this.#pool = pool;
        this.#options = options;
        this.#marks = options.hasMarks ? new MarkNames() : null;
    }

    /**
     * Runs work on a connection, which is closed if it may be of no use afterwards.
     *
     * @param isTransaction whether a transaction may be open after an error
     * @throws DatabaseError `unavailable` when no connection is free in time
     */
    async use<T>(work: (session: Session) => Promise<T>, isTransaction: boolean): Promise<T> {

        const connection = await this.#acquire();
        const session = new MysqlSession(connection, { ...this.#options, marks: this.#marks });
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
            session.end();
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

/** Names of the marks of this process: no two transactions have the same at a time. */
class MarkNames {

    readonly #process = `${MARK}${randomUUID()}:`;
    readonly #free: string[] = [];
    #count = 0;
    /** True when marks of former processes were looked for. */
    isSwept = false;

    take(): string {

        return this.#free.pop() ?? `${this.#process}${++this.#count}`;
    }

    release(name: string): void {

        this.#free.push(name);
    }
}

interface SessionOptions extends Pick<SessionsOptions, 'onUnprepared' | 'writes'> {
    readonly marks: MarkNames | null;
}

class MysqlSession implements Session {

    readonly #connection: PoolConnection;
    readonly #options: SessionOptions;
    #mark: string | null = null;

    constructor(connection: PoolConnection, options: SessionOptions) {

        this.#connection = connection;
        this.#options = options;
    }

    /** Gives back the name of the mark. */
    end(): void {

        if (this.#mark !== null) {
            this.#options.marks?.release(this.#mark);
            this.#mark = null;
        }
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

    async mark(): Promise<CommitMark | null> {

        const { marks } = this.#options;
        if (!marks) {
            return null;
        }

        await this.#sweep(marks);
        this.#mark ??= marks.take();
        const mark = { name: this.#mark, value: `${Date.now()}:${randomUUID()}` };
        await this.execute('insert into settings (name, value) values (?, ?) on duplicate key update value = values(value)', [mark.name, mark.value]);
        return mark;
    }

    async commit(): Promise<void> {

        await this.#options.writes.run(() => this.query('commit'));
    }

    async isCommitted({ name, value }: CommitMark): Promise<boolean> {

        const [rows] = await this.execute<RowDataPacket[]>('select value from settings where name = ?', [name]);
        return rows[0]?.['value'] === value;
    }

    /** Removes the marks of processes that ended long ago. */
    async #sweep(marks: MarkNames): Promise<void> {

        if (marks.isSwept) {
            return;
        }

        marks.isSwept = true;
        const [rows] = await this.execute<RowDataPacket[]>('select name from settings where name like ? and value < ? order by name limit 1000', [
            `${MARK}%`, String(Date.now() - MARK_RETENTION_MS)
        ]);
        for (const row of rows) {
            await this.execute('delete from settings where name = ?', [row['name'] as Buffer]);
        }
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
