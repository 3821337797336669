/**
 * What a migration is.
 *
 * MySQL cannot undo a change of tables, so a migration may be found half done after a crash: whatever it does must be
 * harmless when it is done again. {@link createTables} sees to that.
 */

import type { Knex } from 'knex';
import type { Columns } from '../dialect.js';
import type { Dialect } from '../database.js';

/** What a migration works with. */
export interface Schema {
    readonly knex: Knex;
    readonly dialect: Dialect;
    readonly columns: Columns;
}

/** One step of the tables' history. Once released it is never edited. */
export interface Migration {
    /** Unique, without file extension, in the order of the list: `001-objects`. */
    readonly name: string;
    up(schema: Schema): Promise<void>;
    down(schema: Schema): Promise<void>;
}

/** Makes the tables that are not there yet, in the order given. */
export async function createTables(
    knex: Knex, tables: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>>
): Promise<void> {

    for (const [name, define] of Object.entries(tables)) {
        if (!await knex.schema.hasTable(name)) {
            await knex.schema.createTable(name, define);
        }
    }
}

/** Removes tables, as far as they are there. */
export async function dropTables(knex: Knex, names: readonly string[]): Promise<void> {

    for (const name of names) {
        await knex.schema.dropTableIfExists(name);
    }
}
