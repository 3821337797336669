/**
 * Objects and bytes that users and types have, where usage is counted. Rows are never deleted.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const usage: Migration = {
    name: '020-usage',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `kind` is user or type; `name` the id of the user who created the objects, or the name of the type.
            usage_totals(table) {

                columns.key(table, 'kind').notNullable();
                columns.key(table, 'name').notNullable();
                columns.number(table, 'objects').notNullable().defaultTo(0);
                columns.number(table, 'bytes').notNullable().defaultTo(0);
                table.primary(['kind', 'name']);
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['usage_totals']);
    }
};
