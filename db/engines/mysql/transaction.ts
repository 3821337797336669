/**
 * Writes units on one connection, and converts keys in rows to text.
 */

import type { FieldPacket, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { CommitResult, Precondition, Step, StepResult, Unit } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { isDeadlock, mysqlErrorKind, type MysqlErrorKind } from './errors.js';
import type { CommitMark, Session } from './session.js';
import { coalescedSteps } from './step-coalescing.js';

/** A commit that fails with one of them has written nothing, except with a deadlock where it is marked. */
const ROLLED_BACK: ReadonlySet<MysqlErrorKind> = new Set<MysqlErrorKind>(['rolled-back', 'read-only', 'full']);

/** Not because of one of several units. */
const ENDS_ALL: ReadonlySet<MysqlErrorKind> = new Set<MysqlErrorKind>(['lost', 'read-only']);

/** Type number of VARBINARY and VARCHAR columns in the protocol, and the number of the character set for bytes. */
const VAR_STRING = 253;
const BINARY_CHARSET = 63;

/**
 * Writes a unit in a transaction. After an error the transaction is still open or the connection is lost, unless the outcome is unknown.
 *
 * @param slot row of its precondition
 */
export async function writeTransaction(session: Session, unit: Unit, slot = 0): Promise<CommitResult> {

    await session.query('begin');
    if (unit.precondition && !await isAbove(session, unit.precondition, slot)) {
        await session.query('rollback');
        return { ok: false, failed: unit.precondition.otherwise };
    }

    const steps: StepResult[] = [];
    for (const step of unit.steps) {
        const result = await writeStep(session, step);
        if (typeof result === 'string') {
            await session.query('rollback');
            return { ok: false, failed: result };
        }

        steps.push(result);
    }

    await commit(session);
    return { ok: true, steps };
}

/**
 * Writes units in one transaction. Returns false, with nothing written, when one of them was rejected or another transaction
 * conflicts. Errors as for {@link writeTransaction}.
 */
export async function writeTogether(session: Session, units: readonly Unit[], slot: number): Promise<boolean> {

    await session.query('begin');
    for (const precondition of lowest(units)) {
        if (!await isAbove(session, precondition, slot)) {
            await session.query('rollback');
            return false;
        }
    }

    for (const step of coalescedSteps(units)) {
        if (!await isWritten(session, step)) {
            await session.query('rollback');
            return false;
        }
    }

    await commit(session);
    return true;
}

/** Returns the precondition with the lowest number for each statement and epoch. */
function lowest(units: readonly Unit[]): Iterable<Precondition> {

    const preconditions = new Map<string, Precondition>();
    for (const { precondition } of units) {
        const key = precondition ? `${precondition.epoch} ${precondition.statement.sql}` : '';
        if (precondition && precondition.number < (preconditions.get(key)?.number ?? Infinity)) {
            preconditions.set(key, precondition);
        }
    }

    return preconditions.values();
}

/** The change of the row keeps the result valid until the end of the transaction. */
async function isAbove(session: Session, { statement: { sql }, slots }: Precondition, slot: number): Promise<boolean> {

    const [{ affectedRows }] = await session.execute<ResultSetHeader>(sql, slots[slot] ?? []);
    return affectedRows === 1;
}

async function isWritten(session: Session, step: Step): Promise<boolean> {

    try {
        return typeof await writeStep(session, step) !== 'string';
    }
    catch (error) {
        if (ENDS_ALL.has(mysqlErrorKind(error))) {
            throw error;
        }

        return false;
    }
}

async function commit(session: Session): Promise<void> {

    const mark = await session.mark();
    try {
        await session.commit();
    }
    catch (error) {
        if (!ROLLED_BACK.has(mysqlErrorKind(error))) {
            throw unknownOutcome(error);
        }

        // A server that is cut off from a cluster while it commits may answer with a deadlock, and the others have committed.
        if (mark === null || !isDeadlock(error) || !await isCommitted(session, mark)) {
            throw error;
        }
    }
}

/** @throws DatabaseError `unknown-outcome` when the server does not say so */
async function isCommitted(session: Session, mark: CommitMark): Promise<boolean> {

    try {
        return await session.isCommitted(mark);
    }
    catch (error) {
        throw unknownOutcome(error);
    }
}

function unknownOutcome(cause: unknown): DatabaseError {

    return new DatabaseError('unknown-outcome', 'the database was lost while it committed; whether this change was written is not known', cause);
}

/** Writes a unit of one step in autocommit. After an error its outcome may be unknown. */
export async function writeAlone(session: Pick<Session, 'execute'>, { steps: [step, ...others] }: Unit): Promise<CommitResult> {

    if (!step || others.length > 0) {
        throw new Error('a unit that is a transaction by itself has one step');
    }

    const result = await writeStep(session, step);
    return typeof result === 'string' ? { ok: false, failed: result } : { ok: true, steps: [result] };
}

/** Returns the result of a step, or the reason of its rejection. */
async function writeStep(session: Pick<Session, 'execute'>, step: Step): Promise<StepResult | string> {

    try {
        const [header] = await session.execute<ResultSetHeader>(step.sql, step.bindings);
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
