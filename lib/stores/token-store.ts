/**
 * Rows of access tokens and sessions, by the hash of their value. Times are epoch milliseconds.
 */

import type { Database, Step } from '../../db/database.js';
import { DatabaseError } from '../../db/errors.js';
import { MAX_LIST, row, statements } from '../../db/statements.js';
import type { JsonObject } from '../util/json-types.js';

/** An access token, or a session of a cookie. */
export interface StoredToken {
    /** SHA-256 of the token in base64url. */
    readonly hash: string;
    readonly kind: 'token' | 'session';
    readonly userId: string;
    /** SHA-256 of the value that must accompany the cookie of a session; null for tokens. */
    readonly csrf: string | null;
    readonly createdOn: number;
    /** As last written; later uses are in the memory of the nodes. */
    readonly lastUsed: number;
    /** Absolute expiry; null when the token only expires by disuse. */
    readonly expiresOn: number | null;
    /** Facts about the user from an authenticate hook; null for none. */
    readonly facts: JsonObject | null;
}

interface TokenRow {
    readonly hash: string;
    readonly kind: string;
    readonly user_id: string;
    readonly csrf: string | null;
    readonly created_on: number;
    readonly last_used: number;
    readonly expires_on: number | null;
    readonly facts: string | null;
}

const COLUMNS = ['hash', 'kind', 'user_id', 'csrf', 'created_on', 'last_used', 'expires_on', 'facts'] as const;

/** Number of old tokens deleted at once. */
const SWEEP = 256;

/** Maximum number of tokens that are read of a user. */
const MAX_OF_USER = 1000;

/** Tokens and sessions in the database. */
export class TokenStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the token of a hash, or null. */
    async get(hash: string): Promise<StoredToken | null> {

        const found = await this.#sql.get.first<TokenRow>({ hash });
        return found ? toToken(found) : null;
    }

    /** Returns the steps that insert a token. */
    insertSteps(token: StoredToken): Step[] {

        return [this.#sql.insert.step({
            hash: token.hash, kind: token.kind, user_id: token.userId, csrf: token.csrf, created_on: token.createdOn,
            last_used: token.lastUsed, expires_on: token.expiresOn, facts: token.facts === null ? null : JSON.stringify(token.facts)
        })];
    }

    /**
     * Inserts a token; false when a precondition fails.
     *
     * @throws DatabaseError `unavailable` also where the outcome is unknown, as nobody knows the value of a token that is not returned
     */
    async insert(token: StoredToken, preconditions: readonly Step[]): Promise<boolean> {

        const { ok } = await this.#db.commit({ steps: [...preconditions, ...this.insertSteps(token)], essential: true }).catch(asNotStored);
        return ok;
    }

    /** Returns the steps that update the time of the last use, unless a later one is stored. */
    touchSteps(hash: string, lastUsed: number): Step[] {

        return [this.#sql.touch.step({ hash, lastUsed })];
    }

    /** Returns the steps that delete a token. */
    removeSteps(hash: string): Step[] {

        return [this.#sql.remove.step({ hash })];
    }

    /** Returns the steps that delete all tokens of a user. */
    removeOfUserSteps(userId: string): Step[] {

        return [this.#sql.removeOfUser.step({ userId })];
    }

    /** Returns the steps that delete some tokens, at most 512. */
    removeAllSteps(hashes: readonly string[]): Step[] {

        return hashes.length > 0 ? [this.#sql.removeAll.step({ hashes })] : [];
    }

    /** Returns the tokens of a user, the last used first, 1000 at most. */
    async ofUser(userId: string): Promise<StoredToken[]> {

        return (await this.#sql.ofUser.read<TokenRow>({ userId })).map(toToken);
    }

    /** Counts the tokens that were used since a time, up to a number of them. */
    async countUsed(since: number, limit: number): Promise<number> {

        return Number((await this.#sql.countUsed.first<{ tokens: number }>({ since, limit }))?.tokens ?? 0);
    }

    /** Returns the hashes of the least recently used tokens of a user beyond `limit`, as many as can be deleted at once. */
    async surplusOf(userId: string, limit: number): Promise<string[]> {

        const found = await this.#sql.count.first<{ tokens: number }>({ userId });
        if (Number(found?.tokens ?? 0) <= limit) {
            return [];
        }

        // Counted again within one statement, because other nodes may be deleting the same ones.
        return (await this.#sql.surplus.read<{ hash: string }>({ userId, kept: limit })).map(({ hash }) => hash);
    }

    /** Deletes some tokens that were last used before a time; resolves to their number. */
    async sweep(lastUsedBefore: number): Promise<number> {

        const rows = await this.#sql.old.read<{ hash: string }>({ before: lastUsedBefore });
        if (rows.length > 0) {
            await this.#db.commit({ steps: [this.#sql.removeOld.step({ hashes: rows.map(({ hash }) => hash), before: lastUsedBefore })], essential: true });
        }

        return rows.length;
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        get: build<'hash'>((knex, bind) => knex('tokens').where('hash', bind('hash')).select(COLUMNS)),
        insert: build<(typeof COLUMNS)[number]>((knex, bind) => knex('tokens').insert(row(bind, COLUMNS))),
        touch: build<'hash' | 'lastUsed'>((knex, bind) => knex('tokens').where('hash', bind('hash'))
            .where('last_used', '<', bind('lastUsed')).update('last_used', bind('lastUsed'))),
        remove: build<'hash'>((knex, bind) => knex('tokens').where('hash', bind('hash')).delete()),
        ofUser: build<'userId'>((knex, bind) => knex('tokens').where('user_id', bind('userId'))
            .orderByRaw('last_used desc, created_on desc, hash').limit(MAX_OF_USER).select(COLUMNS)),
        removeOfUser: build<'userId'>((knex, bind) => knex('tokens').where('user_id', bind('userId')).delete()),
        removeAll: build.list<never, 'hashes'>((knex, _bind, list) => knex('tokens').whereIn('hash', list('hashes')).delete()),
        count: build<'userId'>((knex, bind) => knex('tokens').where('user_id', bind('userId')).count('hash as tokens')),
        countUsed: build<'since' | 'limit'>((knex, bind) =>
            knex(knex('tokens').where('last_used', '>=', bind('since')).limit(bind('limit')).select('hash').as('some')).count('* as tokens')),
        surplus: build<'userId' | 'kept'>((knex, bind) => knex('tokens').where('user_id', bind('userId'))
            .orderByRaw('last_used desc, created_on desc, hash').limit(MAX_LIST).offset(bind('kept')).select('hash')),
        old: build<'before'>((knex, bind) => knex('tokens').where('last_used', '<', bind('before'))
            .orderBy('last_used').limit(SWEEP).select('hash')),
        removeOld: build.list<'before', 'hashes'>((knex, bind, list) => knex('tokens').whereIn('hash', list('hashes'))
            .where('last_used', '<', bind('before')).delete())
    };
}

function asNotStored(error: unknown): never {

    throw error instanceof DatabaseError && error.fault === 'unknown-outcome' ? new DatabaseError('unavailable', error.message, error) : error;
}

function toToken(found: TokenRow): StoredToken {

    return {
        hash: found.hash,
        kind: found.kind === 'session' ? 'session' : 'token',
        userId: found.user_id,
        csrf: found.csrf,
        createdOn: found.created_on,
        lastUsed: found.last_used,
        expiresOn: found.expires_on,
        facts: found.facts === null ? null : JSON.parse(found.facts) as JsonObject
    };
}
