/**
 * Background jobs, each carried out by the node that holds its lease.
 */

import type { Migration, Schema } from '../migration.js';
import { createTables, dropTables } from '../migration.js';

export const jobs: Migration = {
    name: '003-jobs',

    async up({ knex, columns }: Schema) {

        await createTables(knex, {
            // At most one job for each kind and key, until it starts or ends (`dedup_until`); then the key is removed.
            jobs(table) {

                columns.serial(table, 'id');
                columns.key(table, 'kind').notNullable();
                columns.key(table, 'dedup_key');
                columns.key(table, 'dedup_until').notNullable();
                columns.key(table, 'state').notNullable();
                columns.text(table, 'payload').notNullable();
                columns.text(table, 'progress');
                columns.number(table, 'run_at').notNullable();
                columns.key(table, 'lease_owner');
                columns.number(table, 'lease_until');
                columns.number(table, 'attempts').notNullable().defaultTo(0);
                columns.text(table, 'last_error');
                columns.number(table, 'created_on').notNullable();
                columns.number(table, 'updated_on').notNullable();
                table.index(['kind', 'state', 'run_at'], 'jobs_due');
                table.index(['state', 'updated_on'], 'jobs_ended');
                table.unique(['kind', 'dedup_key'], { indexName: 'jobs_kind_dedup_key' });
            }
        });
    },

    async down({ knex }: Schema) {

        await dropTables(knex, ['jobs']);
    }
};
