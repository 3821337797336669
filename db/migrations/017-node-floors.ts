/**
 * Low watermark of transaction numbers for each node, so that writers of one node never wait for those of another.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const nodeFloors: Migration = {
    name: '017-node-floors',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // The row of `number_floor` is the highest watermark that was requested; new nodes start with it.
            node_floors(table) {

                columns.key(table, 'node').notNullable().primary();
                columns.number(table, 'floor').notNullable();
                columns.number(table, 'made_on').notNullable();
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['node_floors']);
    }
};
