/**
 * Rows of ids that stand for users and groups wherever access is granted: who holds an id, and who has named it.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** The administrator, as the author of an object. */
export const ADMIN_AUTHOR = 'admin';

/** What is known of an id. */
export interface PrincipalRow {
    /** True while an object with this id is a user or a group. */
    readonly held: boolean;
    /** The only user who has named it; null for several, for none, and where it is not known. */
    readonly owner: string | null;
}

/** Ids of users and groups in the database. */
export class PrincipalStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns what is known of an id; null when it was never named. */
    async get(id: string): Promise<PrincipalRow | null> {

        const found = await this.#sql.get.first<{ held: number; owner: string | null }>({ id });
        return found ? { held: found.held !== 0, owner: found.owner } : null;
    }

    /** Returns whether a group lists the id that another user changed last. */
    async isNamedByOthers(id: string, userId: string | null): Promise<boolean> {

        const rows = await this.#sql.listing.read({ id, userId: userId ?? '' });
        return rows.length > 0;
    }

    /** Returns the steps that record that an object with this id became a user or a group. */
    holdSteps(id: string, author: string, owner: string | null): Step[] {

        return [this.#sql.hold.step({ id, author, owner })];
    }

    /** Returns the steps that record that this user or group no longer exists; only the owner, if it is this one, may take the id again. */
    releaseSteps(id: string, owner: string): Step[] {

        return [this.#sql.release.step({ id }), this.#sql.shareOne.step({ id, owner })];
    }

    /** Returns the steps that record that a user named an id. */
    nameSteps(id: string, owner: string | null): Step[] {

        const { name, shareOne } = this.#sql;
        return [name.step({ id, owner }), shareOne.step({ id, owner: owner ?? '' })];
    }

    /** Returns the steps that record that an authentication hook assigned an id to a user or group without an object. */
    externalSteps(id: string): Step[] {

        return [this.#sql.external.step({ id })];
    }

    /** Returns those of some ids, at most 256, that are recorded as assigned by an authentication hook. */
    async externalOf(ids: readonly string[]): Promise<string[]> {

        return (await this.#sql.externals.read<{ id: string }>({ ids })).map(({ id }) => id);
    }

    /** Returns whether there are ids with a prefix, of ASCII characters, that are not recorded as assigned elsewhere. */
    async hasOwnBelow(prefix: string): Promise<boolean> {

        return Boolean(await this.#sql.ownBelow.first({ prefix, length: prefix.length }));
    }

    /** Returns the steps that record that all ids with a prefix, of ASCII characters, are assigned elsewhere. */
    externalBelowSteps(prefix: string): Step[] {

        return [this.#sql.externalBelow.step({ prefix, length: prefix.length })];
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        get: build<'id'>((knex, bind) => knex('principals').where('id', bind('id')).select('held', 'owner')),
        listing: build<'id' | 'userId'>((knex, bind) => knex('group_members').where('member_id', bind('id'))
            .join('objects', 'objects.id', 'group_members.group_id').whereNot('objects.modified_by', bind('userId')).limit(1).select(knex.raw('1'))),
        hold: build<'id' | 'author' | 'owner'>((knex, bind) => knex('principals')
            .insert({ id: bind('id'), held: 1, is_external: 0, owner: bind('owner'), author: bind('author') })
            .onConflict('id').merge(['held', 'author'])),
        release: build<'id'>((knex, bind) => knex('principals').insert({ id: bind('id'), held: 0, is_external: 0, owner: null, author: null })
            .onConflict('id').merge(['held', 'author'])),
        name: build<'id' | 'owner'>((knex, bind) => knex('principals')
            .insert({ id: bind('id'), held: 0, is_external: 0, owner: bind('owner'), author: null }).onConflict('id').ignore()),
        shareOne: build<'id' | 'owner'>((knex, bind) => knex('principals').where('id', bind('id')).whereNot('owner', bind('owner'))
            .update('owner', null)),
        externals: build.list<never, 'ids'>((knex, _bind, list) => knex('principals').whereIn('id', list('ids')).where('is_external', 1).select('id')),
        ownBelow: build<'prefix' | 'length'>((knex, bind) => knex('principals').where('is_external', 0)
            .whereRaw('substr(id, 1, ?) = ?', [bind('length'), bind('prefix')]).limit(1).select('id')),
        externalBelow: build<'prefix' | 'length'>((knex, bind) => knex('principals').where('is_external', 0)
            .whereRaw('substr(id, 1, ?) = ?', [bind('length'), bind('prefix')]).update('is_external', 1)),
        external: build<'id'>((knex, bind) => knex('principals').insert({ id: bind('id'), held: 0, is_external: 1, owner: null, author: null })
            .onConflict('id').merge(['is_external', 'owner']))
    };
}
