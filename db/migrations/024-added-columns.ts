/**
 * Columns that were added to tables: those that units change to exclude others, as servers of a cluster exclude each other only by rows that a unit
 * changes; and those that some databases lack.
 */

import type { Migration, Schema } from '../migration.js';

const COUNTED = ['credentials', 'accounts', 'blobs'];
const CHECKS = 'checks';

/** What was requested of all nodes, and what each has. */
const FENCED = ['number_floor', 'node_floors'];
const FENCE = 'fence';

/**
 * Counters of units that depend on a row without changing it: a login on the record of a password, an API key on the account, a text on its
 * blob.
 */
export const guardedRows: Migration = {
    name: '024-guarded-rows',

    async up({ knex, columns }: Schema) {

        for (const name of COUNTED) {
            if (!await knex.schema.hasColumn(name, CHECKS)) {
                await knex.schema.alterTable(name, (table) => void columns.number(table, CHECKS).notNullable().defaultTo(0));
            }
        }
    },

    async down({ knex }: Schema) {

        for (const name of COUNTED) {
            if (await knex.schema.hasColumn(name, CHECKS)) {
                await knex.schema.alterTable(name, (table) => void table.dropColumn(CHECKS));
            }
        }
    }
};

/**
 * Fence, requested and of each node: the epoch of types below which its units are not written any more, because an upload of all objects has begun, or
 * was taken over by another process, since they were admitted.
 */
export const writeFences: Migration = {
    name: '025-write-fences',

    async up({ knex, columns }: Schema) {

        for (const name of FENCED) {
            if (!await knex.schema.hasColumn(name, FENCE)) {
                await knex.schema.alterTable(name, (table) => void columns.number(table, FENCE).notNullable().defaultTo(0));
            }
        }
    },

    async down({ knex }: Schema) {

        for (const name of FENCED) {
            if (await knex.schema.hasColumn(name, FENCE)) {
                await knex.schema.alterTable(name, (table) => void table.dropColumn(FENCE));
            }
        }
    }
};

/** Added to `006-index-sources` and `025-write-fences` after versions with their first form had been in use. */
const MISSING = [['payload_texts', 'characters'], ['number_floor', FENCE]] as const;

/** Columns of former migrations that a database lacks which was migrated by their first form. */
export const missingColumns: Migration = {
    name: '026-missing-columns',
    isCompatible: true,

    async up({ knex, columns }: Schema) {

        for (const [name, column] of MISSING) {
            if (!await knex.schema.hasColumn(name, column)) {
                await knex.schema.alterTable(name, (table) => void columns.number(table, column).notNullable().defaultTo(0));
            }
        }
    },

    // The former migrations remove them.
    down: () => Promise.resolve()
};
