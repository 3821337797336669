/**
 * Read connection of one SQLite file, which detects damage of the file.
 */

import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { SqlValue } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { StatementCache, openSqliteReader } from './file.js';
import type { SqliteFile } from './file.js';

/** Error codes of a damaged file. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** Reads from one file. */
export class SqliteReader {

    readonly #db: ReturnType<typeof openSqliteReader>;
    readonly #statements: StatementCache;
    readonly #file: SqliteFile;
    /** The last read that failed because of the file. */
    #failed: { readonly sql: string; readonly bindings: readonly SqlValue[] } | null = null;

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
            if (error instanceof Sqlite.SqliteError && DAMAGE.test(error.code)) {
                this.#failed = { sql, bindings };
            }

            throw new DatabaseError('failed', 'the database could not read', error);
        }
    }

    /** Returns whether the file is damaged: the failed read fails again, or the file is shorter than its header says. */
    get isDamaged(): boolean {

        try {
            const failed = this.#failed;
            this.#failed = null;
            if (failed) {
                this.all(failed.sql, failed.bindings);
            }

            // A page that is not in the file is in its log.
            const [pages, pageSize] = ['page_count', 'page_size'].map((name) => this.#db.pragma(name, { simple: true }) as number);
            return bytesOf(this.#file.path) + bytesOf(`${this.#file.path}-wal`) < (pages ?? 0) * (pageSize ?? 0);
        }
        catch {
            return true;
        }
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

function bytesOf(path: string): number {

    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
