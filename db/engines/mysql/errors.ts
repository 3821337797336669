/**
 * Classifies the errors of MySQL and MariaDB: permanent, worth a retry, or with an unknown outcome.
 */

import { DatabaseError } from '../../errors.js';

/**
 * - `duplicate`: duplicate key
 * - `rolled-back`: deadlock, lock timeout, or conflict with another server of a cluster; the transaction is rolled back
 * - `timed-out`: a statement took longer than a limit of the server; it is rolled back, and the connection stays
 * - `lost`: the connection was lost
 * - `read-only`: the server has become a copy of another one, and nothing was written; a new connection may reach the primary
 * - `no-connection`: the server, or the account of the user, accepts no more connections, or too many requests wait for one
 * - `full`: the disk of the server, or its quota, is full
 * - `too-large`: a row, a transaction or a packet exceeds a limit of the server
 * - `refused`: anything else
 */
export type MysqlErrorKind = 'duplicate' | 'rolled-back' | 'timed-out' | 'lost' | 'read-only' | 'no-connection' | 'full' | 'too-large' | 'refused';

const DUPLICATE = new Set([1062, 1586]);

/**
 * Lock wait timeout, deadlock (Galera reports a failed certification as one), record changed (snapshot), Galera node not ready, conflict
 * with another server of a replication group; of TiDB: conflicts of writes, changed tables, a lock that cannot be resolved, a transaction whose snapshot was collected.
 */
const ROLLED_BACK = new Set([1205, 1213, 1020, 1047, 3101, 8002, 8005, 8022, 8028, 8229, 9004, 9006, 9007]);

/** `max_statement_time` of MariaDB, `max_execution_time` of MySQL. */
const TIMED_OUT = new Set([1969, 3024]);

/** A storage engine has failed at the commit, after which others, or the binary log, may have the transaction. */
const DURING_COMMIT = 1180;

/**
 * Server shutdown, connection or statement killed by an administrator, by Galera or by a limit of the server on idle connections,
 * handshake and network errors of the server, hosts that it blocks for a while, a commit of a statement by itself that fails since the
 * server of a cluster is cut off from the others, and a binary log that cannot be written, upon which MySQL ends. Of TiDB: its storage does not
 * answer, or what it answered is not known.
 */
const LOST_ERRNO = new Set([
    1042, 1043, 1053, 1129, 1152, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161, DURING_COMMIT, 1181, 1184, 1317, 1598, 1835, 1927, 2006, 2013,
    3100, 3168, 3169, 4031, 8027, 8501, 9001, 9002, 9003, 9005
]);

/** Too many connections: of the server, of the user; a limit of the account, which counts connections of an hour as well. */
const NO_CONNECTION = new Set([1040, 1203, 1226]);

/** The pool of the driver, whose errors have no number. */
const QUEUE_FULL = 'Queue limit reached.';

/** Returns whether too many requests wait for a connection of the pool. */
export function isQueueFull(error: unknown): boolean {

    return error instanceof Error && error.message === QUEUE_FULL;
}

/** An option of the server forbids it, which may be another one; transactions, or InnoDB, are read-only. */
const FORBIDDEN_BY_OPTION = 1290;
const READ_ONLY = new Set([1792, 1836]);

const DEADLOCK = 1213;

/** Returns whether the server says that a transaction was rolled back for the sake of another one. */
export function isDeadlock(error: unknown): boolean {

    return (error as Partial<DriverError>).errno === DEADLOCK;
}

/** The server prepares no more statements; one was to be prepared again, as a table had been flushed, too often. */
const UNPREPARED = new Set([1461, 1615]);

/** Returns whether a statement was not run as the server does not prepare it. */
export function isUnprepared(error: unknown): boolean {

    return UNPREPARED.has((error as Partial<DriverError>).errno ?? 0);
}

/** Disk full, table full. */
const FULL = new Set([1021, 1114]);

/** A packet above `max_allowed_packet`; of TiDB: a transaction, a row. */
const TOO_LARGE = new Set([1153, 8004, 8025]);

/** Number of the operating system in generic errors of writing a file: ENOSPC, EDQUOT. */
const NO_SPACE = /\b(?:errcode|error|errno):? (?:28|122)\b/i;

const LOST_CODES = new Set([
    'PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN',
    'EHOSTUNREACH', 'ENETUNREACH', 'PROTOCOL_PACKETS_OUT_OF_ORDER'
]);

/** The server knows no such user, password or database, does not allow the address, or the user lacks a right, the last one by TiDB. */
const REJECTED = new Set([1044, 1045, 1049, 1130, 1142, 1227, 1698, 8121]);

/** Returns whether the server rejects the user or the database, so that a retry is of no use. */
export function isRejected(error: unknown): boolean {

    return REJECTED.has((error as Partial<DriverError>).errno ?? 0);
}

interface DriverError extends Error {
    readonly errno?: number;
    readonly code?: string;
    readonly fatal?: boolean;
}

/** Classifies an error of the driver. */
export function mysqlErrorKind(error: unknown): MysqlErrorKind {

    const { errno = 0, code = '', fatal = false, message = '' } = error as Partial<DriverError>;
    if (DUPLICATE.has(errno)) {
        return 'duplicate';
    }

    if (ROLLED_BACK.has(errno)) {
        return 'rolled-back';
    }

    if (TIMED_OUT.has(errno)) {
        return 'timed-out';
    }

    if (READ_ONLY.has(errno) || errno === FORBIDDEN_BY_OPTION && /read.only/i.test(message)) {
        return 'read-only';
    }

    if (NO_CONNECTION.has(errno) || isQueueFull(error)) {
        return 'no-connection';
    }

    if (FULL.has(errno) || errno > 0 && errno !== DURING_COMMIT && NO_SPACE.test(message)) {
        return 'full';
    }

    if (TOO_LARGE.has(errno)) {
        return 'too-large';
    }

    return LOST_ERRNO.has(errno) || LOST_CODES.has(code) || (fatal && errno <= 0) ? 'lost' : 'refused';
}

/** Nothing was written, and a later attempt may succeed. */
const UNAVAILABLE: ReadonlySet<MysqlErrorKind> = new Set<MysqlErrorKind>(['lost', 'rolled-back', 'timed-out', 'read-only', 'no-connection']);

/** Returns the error to report for one of the driver that is not retried any more. */
export function toDatabaseError(error: unknown, kind: MysqlErrorKind): DatabaseError {

    if (error instanceof DatabaseError) {
        return error;
    }

    if (kind === 'full') {
        return new DatabaseError('full', 'the database server has no room', error);
    }

    if (kind === 'too-large') {
        return new DatabaseError('too-large', 'a value exceeds a limit of the database server', error);
    }

    return UNAVAILABLE.has(kind) ?
        new DatabaseError('unavailable', 'the database cannot be reached or is too busy', error) :
        new DatabaseError('failed', `the database refused the statement${numberOf(error)}`, error);
}

/** The number of an error, which operators can look up, in brackets. */
function numberOf(error: unknown): string {

    const { errno = 0 } = error as { readonly errno?: number };
    return errno > 0 ? ` (error ${errno})` : '';
}
