/**
 * Rows of accounts and their login names, and the epoch that changes with everything about identity.
 */

import type { Database, Step } from '../../db/database.js';
import { row, statements } from '../../db/statements.js';
import type { JsonObject } from '../util/json-types.js';
import { EpochHistory, type EpochRow, type Epochs } from './objects/epoch-history.js';
import { ADMIN_AUTHOR } from './principal-store.js';

/** Account data of a user object. */
export interface Account {
    /** Id of the user object. */
    readonly userId: string;
    /** As written in the object; null when it has none. */
    readonly username: string | null;
    readonly active: boolean;
    readonly mustChangePassword: boolean;
    /** A JWK. */
    readonly publicKey: JsonObject | null;
}

/** Kinds of identity rows that an object has. */
export interface Footprint {
    readonly account: boolean;
    readonly credential: boolean;
    /** True when it lists members. */
    readonly group: boolean;
    /** True when hashes of its secure properties are stored. */
    readonly secrets: boolean;
    /** True when it is registered as a user or a group. */
    readonly held: boolean;
}

interface AccountRow {
    readonly user_id: string;
    readonly username: string | null;
    readonly active: number;
    readonly must_change_password: number;
    readonly public_key: string | null;
}

const COLUMNS = ['user_id', 'username', 'active', 'must_change_password', 'public_key'] as const;

/** Accounts in the database. */
export class AccountStore {

    readonly #sql: ReturnType<typeof buildStatements>;
    readonly #history: EpochHistory;

    /** @param history shared by all that read epochs in this process */
    constructor(db: Database, history = new EpochHistory()) {

        this.#history = history;
        this.#sql = buildStatements(db);
    }

    /** Returns the account of a user object, or null. */
    async get(userId: string): Promise<Account | null> {

        const found = await this.#sql.get.first<AccountRow>({ userId });
        return found ? toAccount(found) : null;
    }

    /** Returns the account of a login name, or null. The name must be in lower case. */
    async getByName(name: string): Promise<Account | null> {

        const found = await this.#sql.getByName.first<AccountRow>({ name });
        return found ? toAccount(found) : null;
    }

    /**
     * Returns whether an authentication hook assigned the id of an account to a user without an object: the access of that user is
     * not for an account with the same id, unless the administrator made it.
     */
    async isOfElsewhere(userId: string): Promise<boolean> {

        return (await this.#sql.elsewhere.read({ userId })).length > 0;
    }

    /** Returns which kinds of identity rows an object has, so that objects without any cost one read. */
    async footprint(objectId: string): Promise<Footprint> {

        const found = await this.#sql.footprint.first<Record<keyof Footprint, number>>({ objectId });
        return {
            account: found?.account === 1,
            credential: found?.credential === 1,
            group: found?.group === 1,
            secrets: found?.secrets === 1,
            held: found?.held === 1
        };
    }

    /** Returns the steps that insert or update an account. */
    putSteps({ userId, username, active, mustChangePassword, publicKey }: Account): Step[] {

        return [this.#sql.put.step({
            user_id: userId, username, active: Number(active), must_change_password: Number(mustChangePassword),
            public_key: publicKey === null ? null : JSON.stringify(publicKey)
        })];
    }

    /** Returns steps that change nothing but the count of checks; the unit fails with `missing` when there is no such account. */
    expectSteps(userId: string, missing: string): Step[] {

        return [this.#sql.expect.step({ userId }, { expect: { rows: 1, otherwise: missing } })];
    }

    /** Returns the steps that delete an account. */
    removeSteps(userId: string): Step[] {

        return [this.#sql.remove.step({ userId })];
    }

    /** Returns the steps that assign a login name to an account; the unit fails with `conflict` when another account has it. */
    claimNameSteps(name: string, userId: string, conflict: string): Step[] {

        return [this.#sql.claimName.step({ name, userId }, { duplicate: conflict })];
    }

    /** Returns the steps that free the login name of an account. */
    releaseNameSteps(userId: string): Step[] {

        return [this.#sql.releaseName.step({ userId })];
    }

    /** Returns the current epochs, for work without a target object. */
    async epochs(): Promise<Epochs> {

        const { epochs } = await this.#history.read(async () => await this.#sql.epochs.first<EpochRow>({}) ?? { epoch_types: 0, epoch_identity: 0 });
        return epochs;
    }

    /** Returns the step that invalidates what the nodes have cached of accounts, groups, credentials and tokens. */
    bumpStep(): Step {

        return this.#sql.bump.step({});
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        footprint: build<'objectId'>((knex, bind) => {

            const exists = (table: string, column: string, name: keyof Footprint) => knex.raw('exists ? as ??',
                [knex(table).where(column, bind('objectId')).select(knex.raw('1')), name]);
            return knex.select(exists('accounts', 'user_id', 'account'), exists('credentials', 'user_id', 'credential'),
                exists('group_members', 'group_id', 'group'), exists('secrets', 'object_id', 'secrets'),
                knex.raw('exists ? as ??', [knex('principals').where({ id: bind('objectId') as unknown, held: 1 }).select(knex.raw('1')), 'held']));
        }),
        get: build<'userId'>((knex, bind) => knex('accounts').where('user_id', bind('userId')).select(COLUMNS)),
        getByName: build<'name'>((knex, bind) => knex('usernames').where('usernames.name', bind('name'))
            .join('accounts', 'accounts.user_id', 'usernames.user_id').select(COLUMNS.map((column) => `accounts.${column}`))),
        elsewhere: build<'userId'>((knex, bind) => knex('principals').where({ id: bind('userId') as unknown, is_external: 1 })
            .where((other) => void other.whereNull('author').orWhereNot('author', ADMIN_AUTHOR)).select(knex.raw('1'))),
        put: build<(typeof COLUMNS)[number]>((knex, bind) => knex('accounts').insert(row(bind, COLUMNS)).onConflict('user_id').merge()),
        expect: build<'userId'>((knex, bind) => knex('accounts').where('user_id', bind('userId')).increment('checks')),
        remove: build<'userId'>((knex, bind) => knex('accounts').where('user_id', bind('userId')).delete()),
        claimName: build<'name' | 'userId'>((knex, bind) => knex('usernames').insert({ name: bind('name'), user_id: bind('userId') })),
        releaseName: build<'userId'>((knex, bind) => knex('usernames').where('user_id', bind('userId')).delete()),
        epochs: build((knex) => knex('epochs').where('id', 1).select('types as epoch_types', 'identity as epoch_identity')),
        bump: build((knex) => knex('epochs').where('id', 1).update({ identity: knex.raw('identity + 1') }))
    };
}

function toAccount(found: AccountRow): Account {

    return {
        userId: found.user_id,
        username: found.username,
        active: found.active !== 0,
        mustChangePassword: found.must_change_password !== 0,
        publicKey: found.public_key === null ? null : JSON.parse(found.public_key) as JsonObject
    };
}
