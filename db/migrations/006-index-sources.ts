/**
 * Sources of the index besides the objects: indexed forms made by scripts, and texts extracted from payloads. They are stored so
 * that an index can be rebuilt without running a script or opening a payload.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const indexSources: Migration = {
    name: '006-index-sources',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `txn_id` is that of the object from which the form was made; the form is valid only for this state.
            index_forms(table) {

                columns.key(table, 'object_id').notNullable().primary();
                columns.number(table, 'txn_id').notNullable();
                columns.text(table, 'content').notNullable();
                columns.text(table, 'user_metadata');
                columns.text(table, 'acl');
            },
            // Result of extracting the text of a blob in a format. Without a text there is a reason, in words.
            payload_texts(table) {

                columns.number(table, 'blob_id').notNullable();
                columns.key(table, 'format').notNullable();
                columns.number(table, 'rules').notNullable();
                columns.number(table, 'characters').notNullable();
                columns.text(table, 'text');
                columns.text(table, 'reason');
                columns.number(table, 'created_on').notNullable();
                table.primary(['blob_id', 'format']);
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['payload_texts', 'index_forms']);
    }
};
