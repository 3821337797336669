/**
 * Rows of group membership: the ids that a group object lists. Members need not exist, and may be groups themselves.
 */

import type { Knex } from 'knex';
import type { Database, Step } from '../../db/database.js';
import { MAX_LIST, statements } from '../../db/statements.js';
import { ADMIN_AUTHOR } from './principal-store.js';

/** Number of members inserted by one statement, and of members in a page. */
const BATCH_SIZE = 64;
const PAGE = 512;

/** Number of groups in a page. */
const GROUPS_PER_BATCH = 1_000;

/** A group that lists an id. */
export interface ListingGroup {
    readonly id: string;
    /** Who made it a group; null where that is not known. */
    readonly author: string | null;
}

type MemberName = `member${number}`;

/** Group membership in the database. */
export class GroupStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /**
     * Returns the groups that list any of the ids, in pages, with duplicates for a group that lists several. Groups to which only
     * an authentication hook may assign members are left out.
     */
    async *groupsListing(memberIds: readonly string[]): AsyncGenerator<readonly ListingGroup[]> {

        for (let i = 0; i < memberIds.length; i += MAX_LIST) {
            const members = memberIds.slice(i, i + MAX_LIST);
            const rows = await this.#sql.groups.read<ListingGroup>({ members });
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

        let rows: readonly ListingGroup[];
        let after = '';
        do {
            // Yield to the event loop between pages.
            await new Promise(setImmediate);
            rows = await this.#sql.groupsAfter.read<ListingGroup>({ member, after });
            yield rows;
            after = rows.at(-1)?.id ?? '';
        }
        while (rows.length === GROUPS_PER_BATCH);
    }

    /** Returns the next page of members of a group, ascending from `after` (exclusive; `''` for the first page). */
    async membersAfter(groupId: string, after: string): Promise<string[]> {

        const rows = await this.#sql.members.read<{ member_id: string }>({ groupId, after });
        return rows.map(({ member_id }) => member_id);
    }

    /** Returns the steps that add members, which must not be listed yet. */
    addSteps(groupId: string, memberIds: readonly string[]): Step[] {

        const { addOne, addMany } = this.#sql;
        const fullBatches = memberIds.length - memberIds.length % BATCH_SIZE;
        const steps = memberIds.slice(fullBatches).map((memberId) => addOne.step({ groupId, member0: memberId }));
        for (let i = 0; i < fullBatches; i += BATCH_SIZE) {
            const values = Object.fromEntries(memberIds.slice(i, i + BATCH_SIZE).map((id, n) => [`member${n}`, id]));
            steps.push(addMany.step({ groupId, ...values }));
        }

        return steps;
    }

    /** Returns the steps that remove members. */
    removeSteps(groupId: string, memberIds: readonly string[]): Step[] {

        const steps: Step[] = [];
        for (let i = 0; i < memberIds.length; i += MAX_LIST) {
            steps.push(this.#sql.remove.step({ groupId, members: memberIds.slice(i, i + MAX_LIST) }));
        }

        return steps;
    }

    /** Returns the steps that remove all members. */
    clearSteps(groupId: string): Step[] {

        return [this.#sql.clear.step({ groupId })];
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
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
