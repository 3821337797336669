/**
 * Rows of hashed secrets: passwords of users, and other secure properties of objects. A record is text for the identity services.
 */

import { createHash } from 'node:crypto';
import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

const CHANGED = 'credentials:changed';

/** Hashed secrets in the database. */
export class CredentialStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the record of a user's password, or null. */
    async get(userId: string): Promise<string | null> {

        const found = await this.#sql.get.first<{ record: string }>({ userId });
        return found?.record ?? null;
    }

    /** Returns the steps that set the record of a user's password. */
    putSteps(userId: string, record: string): Step[] {

        return [this.#sql.put.step({ userId, record })];
    }

    /** Returns the steps that set the record of a password once; the unit fails with `conflict` when there is one. */
    insertSteps(userId: string, record: string, conflict: string): Step[] {

        return [this.#sql.insert.step({ userId, record }, { duplicate: conflict })];
    }

    /** Replaces the record of a password by another one for the same password; false, with nothing written, when it has changed meanwhile. */
    async upgrade(userId: string, before: string, after: string): Promise<boolean> {

        const { ok } = await this.#db.commit({ steps: [this.#sql.upgrade.step({ userId, before, after }, { expect: { rows: 1, otherwise: CHANGED } })] });
        return ok;
    }

    /** Returns steps that change nothing but the count of checks; the unit fails with `changed` when the record of a user's password is a different one. */
    expectSteps(userId: string, record: string, changed: string): Step[] {

        return [this.#sql.expect.step({ userId, record }, { expect: { rows: 1, otherwise: changed } })];
    }

    /** Returns the steps that delete a user's password. */
    removeSteps(userId: string): Step[] {

        return [this.#sql.remove.step({ userId })];
    }

    /** Returns the steps that delete the password of a user id without an account. */
    removeWithoutAccountSteps(userId: string): Step[] {

        return [this.#sql.removeWithoutAccount.step({ userId })];
    }

    /** Returns the record of the secret at a JSON pointer of an object, or null. */
    async getSecret(objectId: string, pointer: string): Promise<string | null> {

        const found = await this.#sql.getSecret.first<{ record: string }>({ objectId, pointer: secretKey(pointer) });
        return found?.record ?? null;
    }

    /** Returns the records of passwords by user id; at most 256 ids. */
    async recordsOf(userIds: readonly string[]): Promise<Map<string, string>> {

        const rows = await this.#sql.records.read<{ user_id: string; record: string }>({ ids: userIds });
        return new Map(rows.map(({ user_id, record }) => [user_id, record]));
    }

    /** Returns all secrets of some objects, with the keys of their pointers; at most 256 ids. */
    async secretsOf(objectIds: readonly string[]): Promise<{ objectId: string; key: string; record: string }[]> {

        const rows = await this.#sql.secrets.read<{ object_id: string; pointer_hash: string; record: string }>({ ids: objectIds });
        return rows.map(({ object_id, pointer_hash, record }) => ({ objectId: object_id, key: pointer_hash, record }));
    }

    /** Returns the steps that set the record of a secret by the key of its pointer. */
    putSecretSteps(objectId: string, key: string, record: string): Step[] {

        return [this.#sql.putSecret.step({ objectId, pointer: key, record })];
    }

    /** Returns the steps that delete a secret of an object. */
    removeSecretSteps(objectId: string, key: string): Step[] {

        return [this.#sql.removeSecret.step({ objectId, pointer: key })];
    }

    /** Returns the steps that delete all secrets of an object. */
    removeSecretsSteps(objectId: string): Step[] {

        return [this.#sql.removeSecrets.step({ objectId })];
    }
}

/** Returns the key of the secret at a JSON pointer: a hash, because pointers can have any length. */
export function secretKey(pointer: string): string {

    return createHash('sha256').update(pointer).digest('hex');
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        get: build<'userId'>((knex, bind) => knex('credentials').where('user_id', bind('userId')).select('record')),
        put: build<'userId' | 'record'>((knex, bind) => knex('credentials')
            .insert({ user_id: bind('userId'), record: bind('record') }).onConflict('user_id').merge()),
        insert: build<'userId' | 'record'>((knex, bind) => knex('credentials')
            .insert({ user_id: bind('userId'), record: bind('record') })),
        upgrade: build<'userId' | 'before' | 'after'>((knex, bind) => knex('credentials')
            .where('user_id', bind('userId')).where('record', bind('before')).update('record', bind('after'))),
        expect: build<'userId' | 'record'>((knex, bind) => knex('credentials')
            .where('user_id', bind('userId')).where('record', bind('record')).increment('checks')),
        remove: build<'userId'>((knex, bind) => knex('credentials').where('user_id', bind('userId')).delete()),
        removeWithoutAccount: build<'userId'>((knex, bind) => knex('credentials').where('user_id', bind('userId'))
            .whereNotExists(knex('accounts').where('user_id', bind('userId')).select(knex.raw('1'))).delete()),
        getSecret: build<'objectId' | 'pointer'>((knex, bind) => knex('secrets')
            .where('object_id', bind('objectId')).where('pointer_hash', bind('pointer')).select('record')),
        putSecret: build<'objectId' | 'pointer' | 'record'>((knex, bind) => knex('secrets')
            .insert({ object_id: bind('objectId'), pointer_hash: bind('pointer'), record: bind('record') })
            .onConflict(['object_id', 'pointer_hash']).merge()),
        records: build.list<never, 'ids'>((knex, _bind, list) => knex('credentials').whereIn('user_id', list('ids'))
            .select('user_id', 'record')),
        secrets: build.list<never, 'ids'>((knex, _bind, list) => knex('secrets').whereIn('object_id', list('ids'))
            .orderBy(['object_id', 'pointer_hash']).select('object_id', 'pointer_hash', 'record')),
        removeSecret: build<'objectId' | 'pointer'>((knex, bind) => knex('secrets')
            .where('object_id', bind('objectId')).where('pointer_hash', bind('pointer')).delete()),
        removeSecrets: build<'objectId'>((knex, bind) => knex('secrets').where('object_id', bind('objectId')).delete())
    };
}
