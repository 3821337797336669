/**
 * Writes units on one connection, and converts values: parameters to the right types, keys in rows to text.
 */

import Mysql from 'mysql2';
import type { FieldPacket, PoolConnection, ResultSetHeader, RowDataPacket, TypedParameterValue } from 'mysql2/promise';
import type { CommitResult, Precondition, SqlValue, Step, StepResult, Unit } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { mysqlErrorKind } from './errors.js';
import { coalescedSteps } from './step-coalescing.js';

/** A value as the driver takes it. */
export type Parameter = string | null | Buffer | number | TypedParameterValue;

/** Type number of VARBINARY and VARCHAR columns in the protocol, and the number of the character set for bytes. */
const VAR_STRING = 253;
const BINARY_CHARSET = 63;

/**
 * Writes a unit in a transaction. After an error the transaction is still open or the connection is lost, unless the outcome is unknown.
 *
 * @param slot row of its precondition
 */
export async function writeTransaction(connection: PoolConnection, unit: Unit, slot = 0): Promise<CommitResult> {

    await connection.query('begin');
    if (unit.precondition && !await isAbove(connection, unit.precondition, slot)) {
        await connection.query('rollback');
        return { ok: false, failed: unit.precondition.otherwise };
    }

    const steps: StepResult[] = [];
    for (const step of unit.steps) {
        const result = await writeStep(connection, step);
        if (typeof result === 'string') {
            await connection.query('rollback');
            return { ok: false, failed: result };
        }

        steps.push(result);
    }

    await commit(connection);
    return { ok: true, steps };
}

/**
 * Writes units in one transaction. Returns false, with nothing written, when one of them was rejected or another transaction
 * conflicts. Errors as for {@link writeTransaction}.
 */
export async function writeTogether(connection: PoolConnection, units: readonly Unit[], slot: number): Promise<boolean> {

    await connection.query('begin');
    for (const precondition of lowest(units)) {
        if (!await isAbove(connection, precondition, slot)) {
            await connection.query('rollback');
            return false;
        }
    }

    for (const step of coalescedSteps(units)) {
        if (!await isWritten(connection, step)) {
            await connection.query('rollback');
            return false;
        }
    }

    await commit(connection);
    return true;
}

/** Returns the precondition with the lowest number for each statement. */
function lowest(units: readonly Unit[]): Iterable<Precondition> {

    const preconditions = new Map<string, Precondition>();
    for (const { precondition } of units) {
        const { sql } = precondition?.statement ?? {};
        if (precondition && sql !== undefined && precondition.number < (preconditions.get(sql)?.number ?? Infinity)) {
            preconditions.set(sql, precondition);
        }
    }

    return preconditions.values();
}

/** The change of the row keeps the result valid until the end of the transaction. */
async function isAbove(connection: PoolConnection, { statement: { sql }, slots }: Precondition, slot: number): Promise<boolean> {

    const [{ affectedRows }] = await connection.execute<ResultSetHeader>(sql, slots[slot]?.map(toParameter) ?? []);
    return affectedRows === 1;
}

async function isWritten(connection: PoolConnection, step: Step): Promise<boolean> {

    try {
        return typeof await writeStep(connection, step) !== 'string';
    }
    catch (error) {
        if (mysqlErrorKind(error) === 'lost') {
            throw error;
        }

        return false;
    }
}

async function commit(connection: PoolConnection): Promise<void> {

    try {
        await connection.query('commit');
    }
    catch (error) {
        throw mysqlErrorKind(error) === 'rolled-back' ? error : new DatabaseError('unknown-outcome',
            'the database was lost while it committed; whether this change was written is not known', error);
    }
}

/** Writes a unit of one step in autocommit. After an error its outcome may be unknown. */
export async function writeAlone(connection: Pick<PoolConnection, 'execute'>, { steps: [step, ...others] }: Unit): Promise<CommitResult> {

    if (!step || others.length > 0) {
        throw new Error('a unit that is a transaction by itself has one step');
    }

    const result = await writeStep(connection, step);
    return typeof result === 'string' ? { ok: false, failed: result } : { ok: true, steps: [result] };
}

/** Rolls back an open transaction; returns false when the connection cannot be used any more. */
export async function rollback(connection: PoolConnection): Promise<boolean> {

    try {
        await connection.query('rollback');
        return true;
    }
    catch {
        // The server rolls back when the connection is closed, which the caller does next.
        return false;
    }
}

/** Returns the result of a step, or the reason of its rejection. */
async function writeStep(connection: Pick<PoolConnection, 'execute'>, step: Step): Promise<StepResult | string> {

    try {
        const [header] = await connection.execute<ResultSetHeader>(step.sql, step.bindings.map(toParameter));
        const { affectedRows, insertId } = header;
        return step.expect && affectedRows !== step.expect.rows ? step.expect.otherwise : { rows: affectedRows, insertId };
    }
    catch (error) {
        if (step.duplicate !== undefined && mysqlErrorKind(error) === 'duplicate') {
            return step.duplicate;
        }

        throw error;
    }
}

/** Sends integers as BIGINT: by default the driver sends doubles, which `limit` rejects and which impair index look-ups. */
export function toParameter(value: SqlValue): Parameter {

    if (typeof value === 'bigint' || typeof value === 'number' && Number.isSafeInteger(value)) {
        return Mysql.TypedParameter.BIGINT(value);
    }

    if (value instanceof Uint8Array && !Buffer.isBuffer(value)) {
        return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }

    return value;
}

/** Decodes keys (VARBINARY) to strings, in place; bytes (BLOB) stay. */
export function decodeKeys(rows: RowDataPacket[], fields: readonly FieldPacket[]): RowDataPacket[] {

    const keys = fields.filter(({ columnType, characterSet }) => columnType === VAR_STRING && characterSet === BINARY_CHARSET)
        .map(({ name }) => name);
    for (const row of keys.length > 0 ? rows : []) {
        for (const key of keys) {
            const value: unknown = row[key];
            if (Buffer.isBuffer(value)) {
                row[key] = value.toString('utf8');
            }
        }
    }

    return rows;
}
