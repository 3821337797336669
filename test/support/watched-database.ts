/**
 * A database that tells of every reading before it is done, so that a test can have something happen in that moment.
 */

import type { Database } from '../../db/database.js';

/** @param before given the SQL; the reading waits for it */
export function watchedDatabase(db: Database, before: (sql: string) => Promise<unknown> | void): Database {

    return {
        dialect: db.dialect,
        blobs: db.blobs,
        get revision() {

            return db.revision;
        },
        read: async (statement, bindings) => {

            await before(statement.sql);
            return db.read(statement, bindings);
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
