/**
 * The log of changes in the order of its commits: rows of `search_log` are taken out of it, some hundred at a time, into numbered batches.
 */

import type { Migration, Schema } from './migration.js';
import { createTables, dropTables } from './migration.js';

export const searchBatches: Migration = {
    name: '016-search-batches',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // A batch is only made by who has seen the one before it, so that none becomes visible before a lower one.
            search_batches(table) {

                columns.number(table, 'position').notNullable().primary();
                // Array of [seq, object_id, origin, number].
                columns.text(table, 'changes').notNullable();
            }
        });
        // From now on it is the position of a batch. What an index lacks is still in `search_log`, which becomes the first batches.
        await knex('search_manifest').whereNotNull('covered').update({ covered: 0 });
    },

    async down({ knex }: Schema) {

        // Rows of batches are not in `search_log` any more, so indexes are built anew.
        await knex('search_manifest').update({ covered: null });
        await dropTables(knex, ['search_batches']);
    }
};
