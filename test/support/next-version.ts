/**
 * Program: the service in a later version, whose database has one migration more.
 *
 *     node next-version.js compatible|incompatible
 */

import { MIGRATIONS } from '../../db/migrations/index.js';
import { createTables, dropTables, type Migration } from '../../db/migration.js';

/** What a compatible migration may do: a table, and a column that former versions leave empty. */
export const COMPATIBLE: Migration = {
    name: '998-next-version',
    isCompatible: true,
    async up({ knex, columns }) {

        await createTables(knex, { next_things: (table) => void columns.key(table, 'name').notNullable().primary() });
        if (!await knex.schema.hasColumn('objects', 'next_note')) {
            await knex.schema.alterTable('objects', (table) => void columns.text(table, 'next_note'));
        }
    },
    async down({ knex }) {

        await knex.schema.alterTable('objects', (table) => void table.dropColumn('next_note'));
        await dropTables(knex, ['next_things']);
    }
};

/** One that former versions must not meet. It changes nothing that they use, so that a test can tell who refuses what. */
export const INCOMPATIBLE: Migration = { name: '999-from-the-future', up: () => Promise.resolve(), down: () => Promise.resolve() };

// Lab loads every file below test; this one acts only as a program.
if (require.main === module) {
    (MIGRATIONS as Migration[]).push(COMPATIBLE, ...process.argv[2] === 'incompatible' ? [INCOMPATIBLE] : []);
    void import('../../lib/run.js').then(({ run }) => run());
}
