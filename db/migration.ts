/**
 * Interface of a migration.
 *
 * MySQL cannot roll back changes of tables, so a crash may leave a migration half done: every part of it must be harmless when it
 * is repeated. {@link createTables} ensures that for tables.
 */

import type { Knex } from 'knex';
import type { Columns } from './dialect.js';
import type { Dialect } from './database.js';

/** Context of a migration. */
export interface Schema {
    readonly knex: Knex;
    readonly dialect: Dialect;
    readonly columns: Columns;
}

/** One migration. Once released it is never edited. */
export interface Migration {
    /** Unique, without file extension, in the order of the list: `001-objects`. */
    readonly name: string;
    /**
     * True when programs that do not know it can go on using the database, so that both run side by side during a rolling upgrade: it only adds
     * tables, indexes, or columns that need no value from them, and nothing that they write becomes wrong by it. Without it they refuse the database.
     */
    readonly isCompatible?: boolean;
    up(schema: Schema): Promise<void>;
    down(schema: Schema): Promise<void>;
}

/** Creates the tables that do not exist yet, in the given order. */
export async function createTables(
    knex: Knex, tables: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>>
): Promise<void> {

    for (const [name, define] of Object.entries(tables)) {
        if (!await knex.schema.hasTable(name)) {
            await knex.schema.createTable(name, define);
        }
    }
}

/** Drops the tables that exist. */
export async function dropTables(knex: Knex, names: readonly string[]): Promise<void> {

    for (const name of names) {
        await knex.schema.dropTableIfExists(name);
    }
}
