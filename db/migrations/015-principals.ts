/**
 * Ids by which access control lists, groups and metadata name users and groups, whether or not such an object exists. Decides which
 * ids only the administrator may assign to a new user or group.
 */

import type { Knex } from 'knex';
import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

const PAGE = 1_000;

/** Keywords of access control lists, which name no user or group; as of this migration. */
const KEYWORDS: ReadonlySet<string> = new Set(['public', 'authenticated', 'creator', 'self', 'readers', 'writers', 'anonymous', 'admin']);

/** Maximum length of a key column, in bytes. */
const MAX_BYTES = 255;

/** A key as the driver returns it: bytes on MySQL. */
type Key = string | Buffer;

export const principals: Migration = {
    name: '015-principals',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `held`: an object with this id is a user or a group; `author` made it one. `is_external`: an authentication hook
            // assigned the id to a user or group without an object. `owner`: the only user who has named it; null for several, or
            // unknown.
            principals(table) {

                columns.key(table, 'id').notNullable().primary();
                columns.number(table, 'held').notNullable();
                columns.number(table, 'is_external').notNullable();
                columns.key(table, 'owner');
                columns.key(table, 'author');
            }
        });
        await addHeld(knex);
        await addNamed(knex);
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['principals']);
    }
};

/** Adds existing users and groups. */
async function addHeld(knex: Knex): Promise<void> {

    for (const [table, column] of [['accounts', 'user_id'], ['group_members', 'group_id']] as const) {
        let after = '';
        for (;;) {
            const rows = await knex(table).leftJoin('objects', 'objects.id', `${table}.${column}`).where(`${table}.${column}`, '>', after)
                .distinct(`${table}.${column} as id`, 'objects.created_by as author').orderBy(`${table}.${column}`)
                .limit(PAGE) as { id: Key; author: Key | null }[];
            await add(knex, rows.map(({ id, author }) => ({ id: String(id), held: 1, author: author && String(author) })));
            after = String(rows.at(-1)?.id ?? '');
            if (rows.length < PAGE) {
                break;
            }
        }
    }
}

/** Adds ids in access control lists, and authors of objects; who named them is unknown. */
async function addNamed(knex: Knex): Promise<void> {

    let after = '';
    for (;;) {
        const rows = await knex<{ id: Key; acl: string | null; created_by: Key }>('objects').where('id', '>', after).orderBy('id')
            .limit(PAGE).select('id', 'acl', 'created_by');
        const named = new Set(rows.flatMap(({ acl, created_by: author }) => [String(author), ...namedIn(acl)]));
        await add(knex, [...named].filter(isId).map((id) => ({ id, held: 0, author: null })));
        after = String(rows.at(-1)?.id ?? '');
        if (rows.length < PAGE) {
            return;
        }
    }
}

async function add(knex: Knex, rows: readonly { id: string; held: 0 | 1; author: string | null }[]): Promise<void> {

    const batch = 100;
    for (let i = 0; i < rows.length; i += batch) {
        const part = rows.slice(i, i + batch).map((row) => ({ ...row, is_external: 0, owner: null }));
        await knex('principals').insert(part).onConflict('id').ignore();
    }
}

function namedIn(acl: string | null): string[] {

    const lists = acl === null ? {} : JSON.parse(acl) as Record<string, unknown>;
    return Object.values(lists).flatMap((entries): unknown[] => (Array.isArray(entries) ? entries : []))
        .filter((entry): entry is string => typeof entry === 'string');
}

function isId(id: string): boolean {

    return id !== '' && !KEYWORDS.has(id) && Buffer.byteLength(id) <= MAX_BYTES;
}
