/**
 * The connection that reads one SQLite file, and notices when the file lacks something.
 */

import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { SqlValue } from '../../database.js';
import { DatabaseError } from '../../errors.js';
import { StatementCache, openSqliteReader } from './file.js';
import type { SqliteFile } from './file.js';

/** Codes of SQLite for a file that cannot be read as it should. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** Reads from one file. */
export class SqliteReader {

    readonly #db: ReturnType<typeof openSqliteReader>;
    readonly #statements: StatementCache;
    readonly #file: SqliteFile;
    /** What could not be read because of the file. */
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

    /** Whether the file lacks something: what could not be read before still cannot be, or it has become shorter than it says. */
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

    /** Bytes of the file that hold nothing. */
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
