/**
 * Rows of API keys, by the hash of their value. Times are epoch milliseconds.
 */

import type { Database, Step } from '../../db/database.js';
import { row, statements } from '../../db/statements.js';
import { getOrAdd } from '../util/cache/get-or-add.js';

/** What a key is restricted to. */
export interface StoredScope {
    /** Ids of operations; null for all. */
    readonly operations: readonly string[] | null;
    /** Names of types; null for all. */
    readonly types: readonly string[] | null;
    readonly readOnly: boolean;
}

/** An API key. */
export interface StoredApiKey {
    /** SHA-256 of the value in base64url. */
    readonly hash: string;
    /** Public id. */
    readonly id: string;
    readonly userId: string;
    /** Unique among the keys of the user. */
    readonly name: string;
    readonly scope: StoredScope;
    readonly createdOn: number;
    /** Id of the user who created it. */
    readonly createdBy: string;
    /** Null for a key that does not expire. */
    readonly expiresOn: number | null;
    /** As last written; later uses are in the memory of the nodes. Null for a key that was never used. */
    readonly lastUsed: number | null;
}

interface KeyRow {
    readonly hash: string;
    readonly id: string;
    readonly user_id: string;
    readonly name: string;
    readonly scope: string;
    readonly created_on: number;
    readonly created_by: string;
    readonly expires_on: number | null;
    readonly last_used: number | null;
}

const COLUMNS = ['hash', 'id', 'user_id', 'name', 'scope', 'created_on', 'created_by', 'expires_on', 'last_used'] as const;

/** Public id and name of a key. */
export type NamedKey = Pick<StoredApiKey, 'id' | 'name'>;

/** Stands in place of the id of the user in keys that are held; no object can have this id. */
const HOLDER = 'held-for-rollback';

/** Number of expired keys deleted at once. */
const SWEEP = 256;

/** API keys in the database. */
export class ApiKeyStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the key of a hash, or null; also one that is held. */
    async get(hash: string): Promise<StoredApiKey | null> {

        const found = await this.#sql.get.first<KeyRow>({ hash });
        return found ? toKey(found) : null;
    }

    /** Returns the key of a hash, or null; null for one that is held. */
    async getActive(hash: string): Promise<StoredApiKey | null> {

        const key = await this.get(hash);
        return key?.userId === HOLDER ? null : key;
    }

    /** Returns the key of a public id, or null; also one that is held. */
    async getById(id: string): Promise<StoredApiKey | null> {

        const found = await this.#sql.getById.first<KeyRow>({ id });
        return found ? toKey(found) : null;
    }

    /** Returns the keys of a user by name, at most `limit`. */
    async ofUser(userId: string, limit: number): Promise<StoredApiKey[]> {

        return (await this.#sql.ofUser.read<KeyRow>({ userId, limit })).map(toKey);
    }

    /** Returns keys of all users by id, the first one after `after`, at most `limit`; without those that are held. */
    async all(after: string, limit: number): Promise<StoredApiKey[]> {

        return (await this.#sql.all.read<KeyRow>({ after, limit })).map(toKey);
    }

    /** Returns the number of keys of a user. */
    async countOf(userId: string): Promise<number> {

        const found = await this.#sql.count.first<{ keys: number }>({ userId });
        return Number(found?.keys ?? 0);
    }

    /** Returns the steps that insert a key; the unit fails with `conflict` if the user has one of the same name. */
    insertSteps({ hash, id, userId, name, scope, createdOn, createdBy, expiresOn }: Omit<StoredApiKey, 'lastUsed'>, conflict: string): Step[] {

        return [this.#sql.insert.step({
            hash, id, user_id: userId, name, scope: JSON.stringify(scope), created_on: createdOn, created_by: createdBy, expires_on: expiresOn,
            last_used: null
        }, { duplicate: conflict })];
    }

    /** Returns the steps that update the time of the last use, unless a later one is stored. */
    touchSteps(hash: string, lastUsed: number): Step[] {

        return [this.#sql.touch.step({ hash, lastUsed })];
    }

    /** Returns the steps that delete a key; the unit fails with `missing` if it does not exist. */
    removeSteps(hash: string, missing: string): Step[] {

        return [this.#sql.remove.step({ hash }, { expect: { rows: 1, otherwise: missing } })];
    }

    /** Returns the steps that delete all keys of a user. */
    removeOfUserSteps(userId: string): Step[] {

        return [this.#sql.removeOfUser.step({ userId })];
    }

    /** Returns the names of keys of at most 256 users, by the id of their user. */
    async namesOf(userIds: readonly string[]): Promise<Map<string, NamedKey[]>> {

        const found = new Map<string, NamedKey[]>();
        for (const { user_id: userId, id, name } of await this.#sql.names.read<Pick<KeyRow, 'user_id' | 'id' | 'name'>>({ userIds })) {
            getOrAdd(found, userId, () => []).push({ id, name });
        }

        return found;
    }

    /**
     * Returns the steps that hold all keys of a user: they stay, but log nobody in, until they are given back or dropped. Under their ids as names,
     * as those of several users are held.
     */
    holdSteps(userId: string): Step[] {

        return [this.#sql.hold.step({ userId, holder: HOLDER })];
    }

    /** Returns the steps that give held keys back to their user; those that were revoked meanwhile stay revoked. */
    giveBackSteps(userId: string, keys: readonly NamedKey[]): Step[] {

        return keys.map(({ id, name }) => this.#sql.giveBack.step({ id, name, userId, holder: HOLDER }));
    }

    /** Returns the steps that delete all keys that are held. */
    dropHeldSteps(): Step[] {

        return this.removeOfUserSteps(HOLDER);
    }

    /** Deletes some keys that expired before a time; resolves to their number. */
    async sweep(expiredBefore: number): Promise<number> {

        const rows = await this.#sql.expired.read<{ hash: string }>({ before: expiredBefore });
        if (rows.length > 0) {
            await this.#db.commit({ steps: [this.#sql.removeAll.step({ hashes: rows.map(({ hash }) => hash) })], essential: true });
        }

        return rows.length;
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        get: build<'hash'>((knex, bind) => knex('api_keys').where('hash', bind('hash')).select(COLUMNS)),
        getById: build<'id'>((knex, bind) => knex('api_keys').where('id', bind('id')).select(COLUMNS)),
        ofUser: build<'userId' | 'limit'>((knex, bind) => knex('api_keys').where('user_id', bind('userId')).orderBy('name').limit(bind('limit')).select(COLUMNS)),
        all: build<'after' | 'limit'>((knex, bind) => knex('api_keys').where('id', '>', bind('after')).whereNot('user_id', HOLDER)
            .orderBy('id').limit(bind('limit')).select(COLUMNS)),
        count: build<'userId'>((knex, bind) => knex('api_keys').where('user_id', bind('userId')).count('hash as keys')),
        insert: build<(typeof COLUMNS)[number]>((knex, bind) => knex('api_keys').insert(row(bind, COLUMNS))),
        touch: build<'hash' | 'lastUsed'>((knex, bind) => knex('api_keys').where('hash', bind('hash'))
            .where((unused) => void unused.whereNull('last_used').orWhere('last_used', '<', bind('lastUsed'))).update('last_used', bind('lastUsed'))),
        remove: build<'hash'>((knex, bind) => knex('api_keys').where('hash', bind('hash')).delete()),
        names: build.list<never, 'userIds'>((knex, _bind, list) => knex('api_keys').whereIn('user_id', list('userIds')).select('user_id', 'id', 'name')),
        hold: build<'userId' | 'holder'>((knex, bind) => knex('api_keys').where('user_id', bind('userId'))
            .update({ user_id: bind('holder'), name: knex.ref('id') })),
        giveBack: build<'id' | 'name' | 'userId' | 'holder'>((knex, bind) => knex('api_keys').where({ id: bind('id'), user_id: bind('holder') })
            .update({ user_id: bind('userId'), name: bind('name') })),
        removeOfUser: build<'userId'>((knex, bind) => knex('api_keys').where('user_id', bind('userId')).delete()),
        expired: build<'before'>((knex, bind) => knex('api_keys').where('expires_on', '<', bind('before')).orderBy('expires_on').limit(SWEEP).select('hash')),
        removeAll: build.list<never, 'hashes'>((knex, _bind, list) => knex('api_keys').whereIn('hash', list('hashes')).delete())
    };
}

function toKey(found: KeyRow): StoredApiKey {

    return {
        hash: found.hash,
        id: found.id,
        userId: found.user_id,
        name: found.name,
        scope: JSON.parse(found.scope) as StoredScope,
        createdOn: found.created_on,
        createdBy: found.created_by,
        expiresOn: found.expires_on,
        lastUsed: found.last_used
    };
}
