/** What is known of types beside their Schema objects. */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

/** Epoch at which each Schema object changed last, so that a process reads the types that have changed since it has read them. */
export const typeChanges: Migration = {
    name: '023-type-changes',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // Also for objects that were deleted, or define no type any more.
            type_changes(table) {

                columns.key(table, 'schema_id').notNullable().primary();
                columns.number(table, 'epoch').notNullable();
                table.index(['epoch', 'schema_id'], 'type_changes_epoch');
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['type_changes']);
    }
};

/** Access rules of types that were deleted or renamed, which stay in force for their objects. */
export const formerRules: Migration = {
    name: '027-former-rules',
    isCompatible: true,

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            former_rules(table) {

                columns.key(table, 'name').notNullable().primary();
                columns.text(table, 'rules').notNullable();
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['former_rules']);
    }
};
