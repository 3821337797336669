/**
 * Read connection of one SQLite file, which detects damage of the file.
 */

import Sqlite from 'better-sqlite3';
import type { SqlValue } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { bytesOf, isCutAt, measure } from './cut-file.js';
import type { DatabaseLength } from './cut-file.js';
import { StatementCache, openSqliteReader } from './file.js';
import type { SqliteFile } from './file.js';

/** Error codes of a damaged file. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

function isDamage(error: unknown): boolean {

    return error instanceof Sqlite.SqliteError ? DAMAGE.test(error.code) : (error as NodeJS.ErrnoException).code === 'EIO';
}

/** Reads from one file. */
export class SqliteReader {

    readonly #db: ReturnType<typeof openSqliteReader>;
    readonly #statements: StatementCache;
    readonly #file: SqliteFile;
    /** The last read that failed because of the file. */
    #failed: { readonly sql: string; readonly bindings: readonly SqlValue[] } | null = null;
    /** The last length for which no page was missing. */
    #complete: DatabaseLength | null = null;
    #wasCut = false;

    constructor(file: SqliteFile) {

        this.#file = file;
        this.#db = openSqliteReader(file);
        this.#statements = new StatementCache(this.#db);
    }

    all(sql: string, bindings: readonly SqlValue[]): unknown[] {

        if (!this.#db.open) {
            throw new DatabaseError('unavailable', 'the database is closed');
        }

        try {
            return this.#statements.get(sql).all(bindings);
        }
        catch (error) {
            if (isDamage(error)) {
                this.#failed = { sql, bindings };
            }

            throw new DatabaseError('failed', 'the database could not read', error);
        }
    }

    /** Returns whether the file is damaged: the failed read fails again, or the file is missing or was cut; false where that is not known. */
    get isDamaged(): boolean {

        const failed = this.#failed;
        this.#failed = null;
        try {
            if (failed) {
                this.all(failed.sql, failed.bindings);
            }
        }
        catch {
            return true;
        }

        try {
            return bytesOf(this.#file.path) === 0 || this.#checkLength();
        }
        catch (error) {
            // Without a free file descriptor, for example, the log cannot be read.
            return isDamage(error);
        }
    }

    /** Returns whether pages are lost because the file was cut; false where that is not known. */
    get isCut(): boolean {

        try {
            return this.#checkLength();
        }
        catch {
            return false;
        }
    }

    /** Returns whether pages are lost. Remembered, as the next checkpoint fills the gap with zeros. */
    #checkLength(): boolean {

        this.#wasCut ||= this.#db.transaction(() => this.#lacksPages())();
        return this.#wasCut;
    }

    #lacksPages(): boolean {

        const { path } = this.#file;
        const [pages = 0, pageSize = 0] = ['page_count', 'page_size'].map((name) => this.#db.pragma(name, { simple: true }) as number);
        const length = measure(path, { pages, pageSize });
        if (length.fileBytes === 0 || this.#isKnown(length) || !isCutAt(path, length)) {
            this.#complete = length;
            return false;
        }

        // Its folder may have been moved away meanwhile, with the log.
        return bytesOf(path) === length.fileBytes;
    }

    /** Returns whether neither the file nor the log can lack more than at the last time. */
    #isKnown({ pages, fileBytes, logBytes }: DatabaseLength): boolean {

        const last = this.#complete;
        return last?.pages === pages && last.fileBytes === fileBytes && last.logBytes <= logBytes;
    }

    /** Bytes of free pages in the file. */
    get unusedBytes(): number {

        const [pages, pageSize] = ['freelist_count', 'page_size'].map((name) => this.#db.pragma(name, { simple: true }) as number);
        return (pages ?? 0) * (pageSize ?? 0);
    }

    close(): void {

        this.#db.close();
    }
}
