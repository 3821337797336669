/**
 * Elements of objects, the blobs that hold their bytes, and the chunks of the element store in the database. On SQLite the chunks
 * are in a file of their own, which the migrating connection has attached as `blob_file`.
 */

import type { Knex } from 'knex';
import type { Columns } from '../dialect.js';
import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const payloads: Migration = {
    name: '002-payloads',

    async up({ knex, dialect, columns }: Schema) {

        await createTables(knex, {
            payloads(table) {

                columns.key(table, 'object_id').notNullable();
                columns.key(table, 'name').notNullable();
                columns.number(table, 'position').notNullable();
                columns.text(table, 'filename');
                columns.text(table, 'media_type');
                columns.number(table, 'size').notNullable();
                columns.number(table, 'blob_id').notNullable();
                columns.key(table, 'store').notNullable();
                columns.key(table, 'hash');
                table.primary(['object_id', 'name']);
            },
            // `state` is staged or linked; `links` counts the payloads that share the blob; `unlinked_on` is set when there are
            // none.
            blobs(table) {

                columns.serial(table, 'id');
                columns.key(table, 'store').notNullable();
                columns.number(table, 'size').notNullable().defaultTo(0);
                columns.key(table, 'state').notNullable();
                columns.number(table, 'created_on').notNullable();
                columns.number(table, 'touched_on').notNullable();
                columns.number(table, 'links').notNullable().defaultTo(0);
                columns.number(table, 'unlinked_on');
                table.index(['state', 'touched_on'], 'blobs_state_touched_on');
                table.index(['unlinked_on'], 'blobs_unlinked_on');
            }
        });
        if (dialect === 'sqlite') {
            await createBlobFile(knex);
        }
        else {
            await createTables(knex, { blob_chunks: (table) => defineChunks(table, columns) });
        }
    },

    async down({ knex, dialect }: Schema) {

        await dropTables(knex, ['payloads', 'blobs']);
        if (dialect === 'sqlite') {
            await knex.raw('drop table if exists blob_file.blob_chunks');
            await knex.raw('drop table if exists blob_file.blob_seals');
        }
        else {
            await dropTables(knex, ['blob_chunks']);
        }
    }
};

function defineChunks(table: Knex.CreateTableBuilder, columns: Columns): void {

    columns.number(table, 'blob_id').notNullable();
    columns.number(table, 'n').notNullable();
    columns.bytes(table, 'bytes').notNullable();
    table.primary(['blob_id', 'n']);
}

async function createBlobFile(knex: Knex): Promise<void> {

    for (const sql of blobTables('blob_file')) {
        await knex.raw(sql);
    }
}

/** Plain SQL, because knex cannot name the file of a table. `blob_seals` has one row, written to sync the log of the file. */
export function blobTables(schema: 'blob_file' | 'main'): readonly string[] {

    return [
        `create table if not exists ${schema}.blob_chunks ` +
            '(blob_id integer not null, n integer not null, bytes blob not null, primary key (blob_id, n))',
        `create table if not exists ${schema}.blob_seals ` +
            '(id integer not null primary key, blob_id integer not null, seals integer not null default 1)'
    ];
}
