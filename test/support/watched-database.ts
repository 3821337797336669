/**
 * A database that tells of every reading before it is done, so that a test can have something happen in that moment.
 */

import type { Database, Row, SqlValue, Statement } from '../../db/database.js';

/**
 * @param before given the SQL; the reading waits for it
 * @param after given the rows that were read; the result waits for it
 */
export function watchedDatabase(
    db: Database, before: (sql: string) => Promise<unknown> | void, after: (rows: readonly Row[]) => Promise<unknown> | void = () => {}
): Database {

    return {
        dialect: db.dialect,
        blobs: db.blobs,
        get revision() {

            return db.revision;
        },
        read: async <R extends object>(statement: Statement, bindings: readonly SqlValue[]) => {

            await before(statement.sql);
            const rows = await db.read<R>(statement, bindings);
            await after(rows as unknown as readonly Row[]);
            return rows;
        },
        commit: (unit) => db.commit(unit),
        migrate: () => db.migrate(),
        now: () => db.now(),
        ping: () => db.ping(),
        usage: () => db.usage(),
        size: () => db.size(),
        close: () => db.close()
    };
}
