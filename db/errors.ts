/**
 * What can go wrong with a database apart from the expected refusals of a unit.
 */

/**
 * - `unavailable`: nothing was written; the database cannot be reached or its writer is down. Trying again may help.
 * - `unknown-outcome`: the connection or the writer was lost while it committed. The unit is written whole or not at all.
 * - `full`: nothing was written, because there is no room for it
 * - `failed`: the statement itself was refused; nothing was written.
 */
export type DatabaseErrorKind = 'unavailable' | 'unknown-outcome' | 'full' | 'failed';

/** A failed read or write. The driver's error is the `cause`: it is for the log and may hold SQL. */
export class DatabaseError extends Error {

    readonly fault: DatabaseErrorKind;

    constructor(fault: DatabaseErrorKind, message: string, cause?: unknown) {

        super(message, cause === undefined ? undefined : { cause });
        this.name = 'DatabaseError';
        this.fault = fault;
    }
}
