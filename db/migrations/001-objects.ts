/**
 * Digital objects, their references to each other, names of types, epochs of caches, settings.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const objects: Migration = {
    name: '001-objects',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            objects(table) {

                columns.key(table, 'id').notNullable().primary();
                columns.key(table, 'type').notNullable();
                columns.text(table, 'content').notNullable();
                columns.text(table, 'acl');
                columns.text(table, 'user_metadata');
                columns.text(table, 'hashes');
                columns.number(table, 'created_on').notNullable();
                columns.key(table, 'created_by').notNullable();
                columns.number(table, 'modified_on').notNullable();
                columns.key(table, 'modified_by').notNullable();
                columns.number(table, 'txn_id').notNullable();
                columns.number(table, 'element_count').notNullable().defaultTo(0);
                columns.number(table, 'is_version').notNullable().defaultTo(0);
                columns.key(table, 'version_of');
                columns.key(table, 'published_by');
                columns.number(table, 'published_on');
                table.index(['type', 'id'], 'objects_type_id');
                table.index(['version_of'], 'objects_version_of');
                table.index(['txn_id'], 'objects_txn_id');
            },
            // References between objects: `n` numbers those of an object in the order of their pointers.
            object_refs(table) {

                columns.key(table, 'from_id').notNullable();
                columns.number(table, 'n').notNullable();
                columns.text(table, 'pointer').notNullable();
                columns.key(table, 'to_id').notNullable();
                table.primary(['from_id', 'n']);
                table.index(['to_id', 'from_id'], 'object_refs_to_id');
            },
            type_names(table) {

                columns.key(table, 'name').notNullable().primary();
                columns.key(table, 'schema_id').notNullable();
                table.unique(['schema_id'], { indexName: 'type_names_schema_id' });
            },
            // One row: an epoch for each kind of cache, incremented by the unit that changes the cached data.
            epochs(table) {

                columns.number(table, 'id').notNullable().primary();
                columns.number(table, 'types').notNullable().defaultTo(0);
                columns.number(table, 'identity').notNullable().defaultTo(0);
            },
            // Secrets and flags of the service, as JSON or text.
            settings(table) {

                columns.key(table, 'name').notNullable().primary();
                columns.text(table, 'value').notNullable();
            }
        });
        await knex('epochs').insert({ id: 1, types: 0, identity: 0 }).onConflict('id').ignore();
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['settings', 'epochs', 'type_names', 'object_refs', 'objects']);
    }
};
