/**
 * API keys of users, of which only hashes are stored.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const apiKeys: Migration = {
    name: '018-api-keys',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `hash`: SHA-256 of the value. `scope`: JSON with `operations` and `types` (arrays, or null for all) and `readOnly`.
            api_keys(table) {

                columns.key(table, 'hash').notNullable().primary();
                columns.key(table, 'id').notNullable();
                columns.key(table, 'user_id').notNullable();
                columns.key(table, 'name').notNullable();
                columns.text(table, 'scope').notNullable();
                columns.number(table, 'created_on').notNullable();
                columns.key(table, 'created_by').notNullable();
                columns.number(table, 'expires_on');
                columns.number(table, 'last_used');
                table.unique(['id'], { indexName: 'api_keys_id' });
                table.unique(['user_id', 'name'], { indexName: 'api_keys_name' });
                table.index(['expires_on'], 'api_keys_expires_on');
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['api_keys']);
    }
};
