/**
 * Low watermark: the transaction number up to which objects were reported as complete. No object may be stored with such a number.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const numberFloor: Migration = {
    name: '014-number-floor',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // One row. Only needed where several nodes share the database.
            number_floor(table) {

                columns.number(table, 'id').notNullable().primary();
                columns.number(table, 'floor').notNullable();
            }
        });
        await knex('number_floor').insert({ id: 1, floor: 0 }).onConflict('id').ignore();
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['number_floor']);
    }
};
