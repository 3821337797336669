/** Access rules of types that were deleted or renamed, which stay in force for their objects. */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

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
