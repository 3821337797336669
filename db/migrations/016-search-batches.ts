/**
 * Change log in commit order: rows of `search_log` are moved, some hundred at a time, into numbered batches.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const searchBatches: Migration = {
    name: '016-search-batches',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // A batch is only made by a node that has seen the one before it, so that none becomes visible before a lower one.
            search_batches(table) {

                columns.number(table, 'position').notNullable().primary();
                // Array of [seq, object_id, origin, number].
                columns.text(table, 'changes').notNullable();
            }
        });
        // `covered` now is the position of a batch. What an index lacks is still in `search_log`, which becomes the first batches.
        await knex('search_manifest').whereNotNull('covered').update({ covered: 0 });
    },

    async down({ knex }: Schema) {

        // Rows in batches are no longer in `search_log`, so indexes are rebuilt.
        await knex('search_manifest').update({ covered: null });
        await dropTables(knex, ['search_batches']);
    }
};
