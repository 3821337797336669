/**
 * Rows of group membership: which ids a group object lists. Members need not exist, and may be groups themselves.
 */

import type { Knex } from 'knex';
import type { Database, Step } from '../../db/database.js';
import { MAX_LIST, statements } from '../../db/statements.js';
import { ADMIN_AUTHOR } from './principal-store.js';

/** Members that are inserted by one statement, and read at a time. */
const BATCH_SIZE = 64;
const PAGE = 512;

/** Groups that are read at a time. */
const GROUPS_PER_BATCH = 1_000;

/** A group that lists somebody. */
export interface ListingGroup {
    readonly id: string;
    /** Who made it a group; null where that is not known. */
    readonly author: string | null;
}

type MemberName = `member${number}`;

/** Group membership in the database. */
export class GroupStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /**
     * The groups that list any of the given ids, some at a time; one that lists several of them comes several times. Groups that
     * nobody but an authentication hook may fill are left out.
     */
    async *groupsListing(memberIds: readonly string[]): AsyncGenerator<readonly ListingGroup[]> {

        for (let i = 0; i < memberIds.length; i += MAX_LIST) {
            const members = memberIds.slice(i, i + MAX_LIST);
            const { statement, bindings } = this.#sql.groups.with({ members });
            const rows = await this.#db.read<ListingGroup & object>(statement, bindings);
            if (rows.length < GROUPS_PER_BATCH) {
                yield rows;
            }
            else {
                for (const member of members) {
                    yield *this.#groupsOf(member);
                }
            }
        }
    }

    async *#groupsOf(member: string): AsyncGenerator<readonly ListingGroup[]> {

        const { groupsAfter } = this.#sql;
        let rows: readonly ListingGroup[];
        let after = '';
        do {
            // Between two pages others have their turn.
            await new Promise(setImmediate);
            rows = await this.#db.read<ListingGroup & object>(groupsAfter, groupsAfter.values({ member, after }));
            yield rows;
            after = rows.at(-1)?.id ?? '';
        }
        while (rows.length === GROUPS_PER_BATCH);
    }

    /** Members of a group that come after the given one (`''` for the first), in ascending order, a page of them. */
    async membersAfter(groupId: string, after: string): Promise<string[]> {

        const { members } = this.#sql;
        const rows = await this.#db.read<{ member_id: string }>(members, members.values({ groupId, after }));
        return rows.map(({ member_id }) => member_id);
    }

    /** Steps that add members, none of whom is listed yet. */
    addSteps(groupId: string, memberIds: readonly string[]): Step[] {

        const { addOne, addMany } = this.#sql;
        const whole = memberIds.length - memberIds.length % BATCH_SIZE;
        const steps = memberIds.slice(whole).map((memberId) => addOne.step({ groupId, member0: memberId }));
        for (let i = 0; i < whole; i += BATCH_SIZE) {
            const values = Object.fromEntries(memberIds.slice(i, i + BATCH_SIZE).map((id, n) => [`member${n}`, id]));
            steps.push(addMany.step({ groupId, ...values }));
        }

        return steps;
    }

    /** Steps that remove members. */
    removeSteps(groupId: string, memberIds: readonly string[]): Step[] {

        const steps: Step[] = [];
        for (let i = 0; i < memberIds.length; i += MAX_LIST) {
            steps.push(this.#sql.remove.step({ groupId, members: memberIds.slice(i, i + MAX_LIST) }));
        }

        return steps;
    }

    /** Steps that remove all members. */
    clearSteps(groupId: string): Step[] {

        return [this.#sql.clear.step({ groupId })];
    }
}

function buildStatements(db: Database) {

    const build = statements(db.dialect);
    const listing = (knex: Knex) => knex('group_members').leftJoin('principals', 'principals.id', 'group_members.group_id')
        .whereRaw('(principals.is_external is null or principals.is_external = 0 or principals.author = ?)', [ADMIN_AUTHOR])
        .select('group_members.group_id as id', 'principals.author as author');
    const add = (count: number) => build<'groupId' | MemberName>((knex, bind) => knex('group_members').insert(
        Array.from({ length: count }, (_, i) => ({ group_id: bind('groupId'), member_id: bind(`member${i}`) }))));
    return {
        groups: build.list<never, 'members'>((knex, _bind, list) => listing(knex)
            .whereIn('group_members.member_id', list('members')).limit(GROUPS_PER_BATCH)),
        groupsAfter: build<'member' | 'after'>((knex, bind) => listing(knex).where('group_members.member_id', bind('member'))
            .where('group_members.group_id', '>', bind('after')).orderBy('group_members.group_id').limit(GROUPS_PER_BATCH)),
        members: build<'groupId' | 'after'>((knex, bind) => knex('group_members').where('group_id', bind('groupId'))
            .where('member_id', '>', bind('after')).orderBy('member_id').limit(PAGE).select('member_id')),
        addOne: add(1),
        addMany: add(BATCH_SIZE),
        remove: build.list<'groupId', 'members'>((knex, bind, list) => knex('group_members').where('group_id', bind('groupId'))
            .whereIn('member_id', list('members')).delete()),
        clear: build<'groupId'>((knex, bind) => knex('group_members').where('group_id', bind('groupId')).delete())
    };
}
