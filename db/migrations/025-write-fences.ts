/**
 * Fence of each node: the epoch of types below which its units are not written any more, because an upload of all objects has begun, or was taken over
 * by another process, since they were admitted.
 */

import type { Migration, Schema } from '../migration.js';

const TABLE = 'node_floors';
const COLUMN = 'fence';

export const writeFences: Migration = {
    name: '025-write-fences',

    async up({ knex, columns }: Schema) {

        if (!await knex.schema.hasColumn(TABLE, COLUMN)) {
            await knex.schema.alterTable(TABLE, (table) => void columns.number(table, COLUMN).notNullable().defaultTo(0));
        }
    },

    async down({ knex }: Schema) {

        if (await knex.schema.hasColumn(TABLE, COLUMN)) {
            await knex.schema.alterTable(TABLE, (table) => void table.dropColumn(COLUMN));
        }
    }
};
