/**
 * What is indexed besides the objects themselves: forms that scripts gave them, and texts found in payloads. Kept, so that an
 * index is built anew without running a script or opening a payload.
 */

import type { Migration, Schema } from './migration.js';
import { createTables, dropTables } from './migration.js';

export const indexSources: Migration = {
    name: '006-index-sources',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `txn_id` is that of the object for which the form was made; with another one it no longer counts.
            index_forms(table) {

                columns.key(table, 'object_id').notNullable().primary();
                columns.number(table, 'txn_id').notNullable();
                columns.text(table, 'content').notNullable();
                columns.text(table, 'user_metadata');
                columns.text(table, 'acl');
            },
            // What came of reading the bytes of a blob as a format. Without a text there is a reason, in words.
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
