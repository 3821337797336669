/**
 * Logger of the database layer; a pino logger fits.
 */

export interface Log {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
}

/** Logger that discards everything. */
export const SILENT: Log = { info() {}, warn() {}, error() {} };
