/**
 * Index for the versions of an object in the order in which they were published.
 */

import type { Knex } from 'knex';
import type { Migration, Schema } from '../migration.js';

const NEW_INDEX = 'objects_versions';
const OLD_INDEX = 'objects_version_of';

export const versions: Migration = {
    name: '010-versions',

    async up({ knex, dialect }: Schema) {

        if (!await hasIndex(knex, dialect, NEW_INDEX)) {
            await knex.schema.alterTable('objects', (table) => void table.index(['version_of', 'published_on', 'id'], NEW_INDEX));
        }

        if (await hasIndex(knex, dialect, OLD_INDEX)) {
            await knex.schema.alterTable('objects', (table) => void table.dropIndex([], OLD_INDEX));
        }
    },

    async down({ knex, dialect }: Schema) {

        if (!await hasIndex(knex, dialect, OLD_INDEX)) {
            await knex.schema.alterTable('objects', (table) => void table.index(['version_of'], OLD_INDEX));
        }

        if (await hasIndex(knex, dialect, NEW_INDEX)) {
            await knex.schema.alterTable('objects', (table) => void table.dropIndex([], NEW_INDEX));
        }
    }
};

async function hasIndex(knex: Knex, dialect: Schema['dialect'], name: string): Promise<boolean> {

    const found: unknown = dialect === 'sqlite' ?
        await knex('sqlite_master').where({ type: 'index', name }).first('name') :
        await knex('information_schema.statistics').whereRaw('table_schema = database()')
            .where({ table_name: 'objects', index_name: name }).first('index_name');
    return found !== undefined;
}
