/**
 * Where the database layer reports; a pino logger fits.
 */

export interface Log {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
}

/** For programs and tests that do not want to know. */
export const SILENT: Log = { info() {}, warn() {}, error() {} };
