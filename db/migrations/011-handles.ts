/**
 * Outbox of handle records to be registered with a handle server: one row per handle, for any number of changes.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const handles: Migration = {
    name: '011-handles',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            handle_outbox(table) {

                columns.key(table, 'handle').notNullable().primary();
                // Changes with every write: a delivered row is removed only if it is still current.
                columns.number(table, 'revision').notNullable();
                columns.number(table, 'run_at').notNullable();
                columns.number(table, 'attempts').notNullable().defaultTo(0);
                columns.number(table, 'failed_on');
                columns.text(table, 'last_error');
                // The update of all handles that waits for this one, if any.
                columns.number(table, 'update_id');
                table.index(['run_at', 'handle'], 'handle_outbox_run_at');
                table.index(['update_id', 'failed_on'], 'handle_outbox_update_id');
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['handle_outbox']);
    }
};
