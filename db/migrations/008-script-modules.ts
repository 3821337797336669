/**
 * Objects whose payloads are modules for scripts, with the names of their directories, by which `require` finds them.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const scriptModules: Migration = {
    name: '008-script-modules',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            script_modules(table) {

                columns.key(table, 'object_id').notNullable().primary();
                columns.text(table, 'directory').notNullable();
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['script_modules']);
    }
};
