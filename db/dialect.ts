/**
 * Differences between SQLite and MySQL that knex does not hide: column types that compare and sort byte for byte, long text and
 * bytes. Ids and names are `VARBINARY` on MySQL, because its text collations treat `a` and `a ` as the same key.
 */

import type { Knex } from 'knex';
import type { Dialect } from './database.js';

/** Adds columns to a table that is being created. All are nullable until `.notNullable()`. */
export interface Columns {
    /** An id, a name or another key: up to 255 bytes of UTF-8, compared byte for byte. */
    key(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** Text or JSON of any length; cannot be indexed. */
    text(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** An integer up to 2^53: counts, sizes, times in epoch ms. */
    number(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** Primary key assigned by the database, never reused: ascending, except where several servers of TiDB hand them out. */
    serial(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** The same, ascending everywhere: servers of TiDB ask one of them for each, so it takes longer, and waits when that one is lost. */
    ascending(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
    /** Bytes, up to 16 MiB. */
    bytes(table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder;
}

const SERIAL = 'bigint not null auto_increment primary key';

const COLUMNS: Record<Dialect, Columns> = {
    sqlite: {
        key: (table, name) => table.specificType(name, 'text'),
        text: (table, name) => table.specificType(name, 'text'),
        number: (table, name) => table.specificType(name, 'integer'),
        serial: (table, name) => table.bigIncrements(name),
        ascending: (table, name) => table.bigIncrements(name),
        bytes: (table, name) => table.specificType(name, 'blob')
    },
    mysql: {
        key: (table, name) => table.specificType(name, 'varbinary(255)'),
        text: (table, name) => table.specificType(name, 'longtext character set utf8mb4 collate utf8mb4_bin'),
        number: (table, name) => table.specificType(name, 'bigint'),
        serial: (table, name) => table.specificType(name, SERIAL),
        ascending(table, name) {

            table.engine('InnoDB /*T![auto_id_cache] auto_id_cache 1 */');   // For others than TiDB this is a comment
            return table.specificType(name, SERIAL);
        },
        bytes: (table, name) => table.specificType(name, 'mediumblob')
    }
};

/** Returns the column types of a dialect. */
export function columnsOf(dialect: Dialect): Columns {

    return COLUMNS[dialect];
}

/** Returns knex's name of a dialect. */
export function knexClient(dialect: Dialect): string {

    return dialect === 'sqlite' ? 'better-sqlite3' : 'mysql2';
}
