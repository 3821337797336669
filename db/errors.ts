/**
 * Errors of a database, in contrast to the expected rejections of a unit.
 */

/**
 * - `unavailable`: nothing was written; the database cannot be reached or its writer is down. A retry may succeed.
 * - `unknown-outcome`: the connection or the writer was lost during the commit. The unit was written as a whole or not at all.
 * - `full`: nothing was written, for lack of disk space.
 * - `stalled`: nothing was written; the server answers, but has completed no writes for some time, as when its disk is full.
 * - `too-large`: nothing was written, as a value exceeds a limit of the server.
 * - `failed`: the statement was rejected; nothing was written.
 */
export type DatabaseErrorKind = 'unavailable' | 'unknown-outcome' | 'full' | 'stalled' | 'too-large' | 'failed';

/** A failed read or write. The error of the driver is the `cause`: it is for the log and may contain SQL. */
export class DatabaseError extends Error {

    readonly fault: DatabaseErrorKind;

    constructor(fault: DatabaseErrorKind, message: string, cause?: unknown) {

        super(message, cause === undefined ? undefined : { cause });
        this.name = 'DatabaseError';
        this.fault = fault;
    }
}

/**
 * - `damaged`: a file is no database, or not readable as one
 * - `forbidden`: the user of the process may not read or write a file
 * - `no-driver`: the driver is not compiled, or for another version of Node
 * - `newer`: a newer version of the program has changed the tables
 * - `rejected`: the server rejects the user, the password or the name of the database, or the user lacks a right
 * - `unsuitable`: version or settings of the server do not suffice
 */
export type UnusableReason = 'damaged' | 'forbidden' | 'no-driver' | 'newer' | 'rejected' | 'unsuitable';

/** The database cannot be opened until an operator changes something; waiting does not help. The message is one sentence, with the remedy. */
export class UnusableDatabaseError extends Error {

    readonly reason: UnusableReason;

    constructor(reason: UnusableReason, message: string, cause?: unknown) {

        super(message, cause === undefined ? undefined : { cause });
        this.name = 'UnusableDatabaseError';
        this.reason = reason;
    }
}
