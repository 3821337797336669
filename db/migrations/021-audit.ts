/**
 * The audit log: entries, and the seals that chain them by hashes.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const audit: Migration = {
    name: '021-audit',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // Written with what it records, and never changed: `entry` is JSON. No further indexes, since each would cost more than the entry.
            audit_entries(table) {

                columns.ascending(table, 'id');
                columns.number(table, 'at').notNullable();
                columns.text(table, 'entry').notNullable();
            },
            // Numbered without gaps. `ids`: JSON, null if the entries are all from `first_id` to `last_id`. `previous`: the hash of the seal before.
            // `terms`: hashes of the users and objects in its entries, ascending, four bytes each.
            audit_seals(table) {

                columns.number(table, 'seal').notNullable().primary();
                columns.number(table, 'first_id').notNullable();
                columns.number(table, 'last_id').notNullable();
                columns.text(table, 'ids');
                columns.bytes(table, 'terms').notNullable();
                columns.number(table, 'entries').notNullable();
                columns.number(table, 'sealed_on').notNullable();
                columns.key(table, 'previous').notNullable();
                columns.key(table, 'hash').notNullable();
                table.index(['last_id'], 'audit_seals_last_id');
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['audit_seals', 'audit_entries']);
    }
};
