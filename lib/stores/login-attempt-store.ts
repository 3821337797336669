/**
 * Rows that protect logins across all nodes: used assertions (JWT), and consecutive failures. Keys are hashes made by the identity
 * services; times are epoch milliseconds.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** Consecutive failed logins. */
export interface Failures {
    readonly count: number;
    /** Time of the last one. */
    readonly last: number;
}

const USED = 'used';
const SWEEP = 256;

/** Login protection in the database. */
export class LoginStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Records the use of an assertion until it expires; resolves to false when it was used before. */
    async useOnce(hash: string, expiresOn: number): Promise<boolean> {

        const result = await this.#db.commit({ steps: [this.#sql.use.step({ hash, expiresOn }, { duplicate: USED })], essential: true });
        return result.ok;
    }

    /** Returns the failures under some keys. */
    async failures(hashes: readonly string[]): Promise<Map<string, Failures>> {

        const rows = await this.#sql.failures.read<{ hash: string; failures: number; last_failure: number }>({ hashes });
        return new Map(rows.map((found) => [found.hash, { count: found.failures, last: found.last_failure }]));
    }

    /** Adds a failure under each key. Counts whose last failure was at `since` or before are reset. */
    async addFailure(hashes: readonly string[], now: number, since: number): Promise<void> {

        const { expire, add } = this.#sql;
        const steps: Step[] = hashes.flatMap((hash) => [expire.step({ hash, since }), add.step({ hash, now })]);
        await this.#db.commit({ steps, essential: true });
    }

    /** Deletes the failures under some keys. */
    async forget(hashes: readonly string[]): Promise<void> {

        await this.#db.commit({ steps: hashes.map((hash) => this.#sql.forget.step({ hash })), essential: true });
    }

    /** Deletes some expired assertions, and some failures whose last one was before a time; resolves to their number. */
    async sweep(now: number, failuresBefore: number): Promise<number> {

        const used = await this.#sql.expired.read<{ hash: string }>({ now });
        const failed = await this.#sql.old.read<{ hash: string }>({ before: failuresBefore });
        const steps: Step[] = [];
        if (used.length > 0) {
            steps.push(this.#sql.removeExpired.step({ hashes: used.map(({ hash }) => hash), now }));
        }

        if (failed.length > 0) {
            steps.push(this.#sql.removeOld.step({ hashes: failed.map(({ hash }) => hash), before: failuresBefore }));
        }

        if (steps.length > 0) {
            await this.#db.commit({ steps, essential: true });
        }

        return used.length + failed.length;
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        use: build<'hash' | 'expiresOn'>((knex, bind) => knex('jti').insert({ hash: bind('hash'), expires_on: bind('expiresOn') })),
        failures: build.list<never, 'hashes'>((knex, _bind, list) => knex('back_off').whereIn('hash', list('hashes'))
            .select('hash', 'failures', 'last_failure')),
        expire: build<'hash' | 'since'>((knex, bind) => knex('back_off').where('hash', bind('hash'))
            .where('last_failure', '<=', bind('since')).delete()),
        add: build<'hash' | 'now'>((knex, bind) => knex('back_off')
            .insert({ hash: bind('hash'), failures: 1, last_failure: bind('now') })
            .onConflict('hash').merge({ failures: knex.raw('back_off.failures + 1'), last_failure: bind('now') })),
        forget: build<'hash'>((knex, bind) => knex('back_off').where('hash', bind('hash')).delete()),
        expired: build<'now'>((knex, bind) => knex('jti').where('expires_on', '<', bind('now'))
            .orderBy('expires_on').limit(SWEEP).select('hash')),
        removeExpired: build.list<'now', 'hashes'>((knex, bind, list) => knex('jti').whereIn('hash', list('hashes'))
            .where('expires_on', '<', bind('now')).delete()),
        old: build<'before'>((knex, bind) => knex('back_off').where('last_failure', '<', bind('before'))
            .orderBy('last_failure').limit(SWEEP).select('hash')),
        removeOld: build.list<'before', 'hashes'>((knex, bind, list) => knex('back_off').whereIn('hash', list('hashes'))
            .where('last_failure', '<', bind('before')).delete())
    };
}
