/**
 * Counters of units that depend on a row without changing it: a login on the record of a password, an API key on the account, a text on its
 * blob. They change the counter, as servers of a cluster exclude each other only by rows that a unit changes.
 */

import type { Migration, Schema } from '../migration.js';

const TABLES = ['credentials', 'accounts', 'blobs'];
const COLUMN = 'checks';

export const guardedRows: Migration = {
    name: '024-guarded-rows',

    async up({ knex, columns }: Schema) {

        for (const name of TABLES) {
            if (!await knex.schema.hasColumn(name, COLUMN)) {
                await knex.schema.alterTable(name, (table) => void columns.number(table, COLUMN).notNullable().defaultTo(0));
            }
        }
    },

    async down({ knex }: Schema) {

        for (const name of TABLES) {
            if (await knex.schema.hasColumn(name, COLUMN)) {
                await knex.schema.alterTable(name, (table) => void table.dropColumn(COLUMN));
            }
        }
    }
};
