/**
 * Change log for the search index, and the segments of the index. Every node has its own index in the same tables; all nodes share
 * the log.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const search: Migration = {
    name: '005-search',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // Written with the object. By `origin` and `number` a running node recognises its own changes.
            search_log(table) {

                columns.serial(table, 'seq');
                columns.key(table, 'object_id').notNullable();
                columns.key(table, 'origin').notNullable();
                columns.number(table, 'number').notNullable();
            },
            // One row per node. Its segments include the log up to `covered`; null while the index is being built.
            search_manifest(table) {

                columns.key(table, 'owner').notNullable().primary();
                columns.number(table, 'layout').notNullable();
                columns.number(table, 'covered');
                columns.number(table, 'seen_on').notNullable();
            },
            search_segments(table) {

                columns.serial(table, 'id');
                columns.key(table, 'owner').notNullable();
                columns.number(table, 'documents').notNullable();
                // Segments that are being written are not part of the index yet.
                columns.number(table, 'live').notNullable().defaultTo(0);
                table.index(['owner', 'id'], 'search_segments_owner');
            },
            search_sections(table) {

                columns.number(table, 'segment_id').notNullable();
                columns.key(table, 'name').notNullable();
                columns.number(table, 'part').notNullable();
                columns.number(table, 'crc').notNullable();
                columns.bytes(table, 'bytes').notNullable();
                table.primary(['segment_id', 'name', 'part']);
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['search_sections', 'search_segments', 'search_manifest', 'search_log']);
    }
};
