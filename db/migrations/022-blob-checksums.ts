/** Keys and checksums of blobs whose bytes are in an S3 store. */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const blobChecksums: Migration = {
    name: '022-blob-checksums',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // `checksums`: CRC-32 of blocks of 256 KiB, big-endian; each row has those of 4096 blocks.
            blob_checksums(table) {

                columns.number(table, 'blob_id').notNullable();
                columns.number(table, 'n').notNullable();
                columns.key(table, 'object_key').notNullable();
                columns.bytes(table, 'checksums').notNullable();
                table.primary(['blob_id', 'n']);
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['blob_checksums']);
    }
};
