/**
 * Statement builder for stores: knex only builds SQL. A statement is built once, when it is first used, with names in place of values;
 * the database keeps it prepared, and every call provides the values.
 *
 * Dialects differ little here: `onConflict(…).merge()` is the upsert of both, `limit(bind('limit'))` works in both.
 */

import { knex as makeKnex } from 'knex';
import type { Knex } from 'knex';
import type { Database, Dialect, Row, SqlValue, Statement, Step } from './database.js';
import { knexClient } from './dialect.js';

/** Returns a named placeholder, for knex wherever a value can be, including `limit` and `raw`. */
export type Bind<N extends string> = (name: N) => number;

/** Returns placeholders for a named list of values, for `whereIn`. */
export type BindList<N extends string> = (name: N) => number[];

/** Values by name. */
export type Values<N extends string> = Readonly<Record<N, SqlValue>>;

/** Options of a step besides its values. */
export type StepOptions = Pick<Step, 'expect' | 'duplicate' | 'sums'>;

/** A statement with named values. */
export interface NamedStatement<N extends string> extends Statement {
    /** Returns the values in the order of the `?`. */
    values(named: Values<N>): SqlValue[];
    /** Reads rows. */
    read<R extends object = Row>(named: Values<N>): Promise<R[]>;
    /** Reads the first row; undefined when there is none. */
    first<R extends object = Row>(named: Values<N>): Promise<R | undefined>;
    /** Returns a step of a unit. */
    step(named: Values<N>, options?: StepOptions): Step;
}

/** A statement with lists, built once for each length (rounded up, so that few statements are kept prepared). */
export interface ListStatement<N extends string, L extends string> {
    /** Reads rows. Lists must have 1 to {@link MAX_LIST} entries; callers have to handle empty ones. */
    read<R extends object = Row>(named: Values<N> & Readonly<Record<L, readonly SqlValue[]>>): Promise<R[]>;
    /** Returns a step of a unit. */
    step(named: Values<N> & Readonly<Record<L, readonly SqlValue[]>>, options?: StepOptions): Step;
}

/** Builds statements for one database. */
export interface StatementBuilder {
    /**
     * @example
     * const build = statements(database);
     * const find = build<'id'>((knex, bind) => knex('objects').select('content').where('id', bind('id')));
     * const rows = await find.read({ id: 'test/1' });
     */
    <N extends string = never>(compose: (knex: Knex, bind: Bind<N>) => Composed): NamedStatement<N>;
    /**
     * @example
     * const findAll = build.list<never, 'ids'>((knex, bind, list) => knex('objects').whereIn('id', list('ids')));
     * const rows = await findAll.read({ ids });
     */
    list<N extends string, L extends string>(
        compose: (knex: Knex, bind: Bind<N>, list: BindList<L>) => Composed
    ): ListStatement<N, L>;
}

/** Anything of knex that has SQL. */
type Composed = Pick<Knex.QueryBuilder | Knex.Raw, 'toSQL'>;

/** Maximum length of a list in a {@link ListStatement}; longer ones are read in parts. */
export const MAX_LIST = 512;

/** Placeholders are numbers beyond any value in a statement, because `limit` accepts only numbers. */
const FIRST_PLACEHOLDER = Number.MAX_SAFE_INTEGER - 1_000_000;

const BUILDERS: Record<Dialect, () => Knex> = { sqlite: once('sqlite'), mysql: once('mysql') };

/** Database as far as statements need it. */
type Reader = Pick<Database, 'dialect' | 'read'>;

/** Returns the builder of a database. */
export function statements(db: Reader): StatementBuilder {

    const knex = BUILDERS[db.dialect]();
    const build = <N extends string = never>(compose: (knex: Knex, bind: Bind<N>) => Composed): NamedStatement<N> => {

        return compile<N>(compose, knex, db);
    };

    return Object.assign(build, {
        list<N extends string, L extends string>(
            compose: (knex: Knex, bind: Bind<N>, list: BindList<L>) => Composed
        ): ListStatement<N, L> {

            return listStatement<N, L>(compose, knex, db);
        }
    });
}

/** Returns placeholders for all columns of a row, for `insert` and `update`: `knex('blobs').insert(row(bind, ['id', 'size']))`. */
export function row<N extends string>(bind: Bind<N>, names: readonly N[]): Record<N, number> {

    return Object.fromEntries(names.map((name) => [name, bind(name)])) as Record<N, number>;
}

/** Source of a binding: a value by name, an entry of a list, or a constant. */
type Slot = { readonly name: string } | { readonly name: string; readonly entry: number } | { readonly constant: SqlValue };

/** Creates placeholders and finds them in compiled SQL. */
class Placeholders {

    readonly #slots: Slot[] = [];

    add(slot: Slot): number {

        this.#slots.push(slot);
        return FIRST_PLACEHOLDER + this.#slots.length - 1;
    }

    compile(composed: Composed): { sql: string; slots: Slot[] } {

        const { sql, bindings } = composed.toSQL().toNative();
        const slots = bindings.map((binding): Slot => {

            const slot = typeof binding === 'number' ? this.#slots[binding - FIRST_PLACEHOLDER] : undefined;
            return slot ?? { constant: toSqlValue(binding) };
        });
        return { sql, slots };
    }
}

/** What a statement consists of once it is built. */
interface Built<N extends string> extends Statement {
    readonly values: (named: Values<N>) => SqlValue[];
}

function compile<N extends string>(compose: (knex: Knex, bind: Bind<N>) => Composed, knex: Knex, db: Reader): NamedStatement<N> {

    let built: Built<N> | undefined;
    const use = (): Built<N> => {

        built ??= buildStatement(compose, knex);
        return built;
    };

    const read = <R extends object>(named: Values<N>): Promise<R[]> => {

        const statement = use();
        return db.read<R>(statement, statement.values(named));
    };

    return {
        get sql() {

            return use().sql;
        },
        values: (named) => use().values(named),
        read,
        first: async <R extends object>(named: Values<N>) => (await read<R>(named))[0],
        step(named, options = {}) {

            const { sql, values } = use();
            return { sql, bindings: values(named), ...options };
        }
    };
}

function buildStatement<N extends string>(compose: (knex: Knex, bind: Bind<N>) => Composed, knex: Knex): Built<N> {

    const placeholders = new Placeholders();
    const { sql, slots } = placeholders.compile(compose(knex, (name) => placeholders.add({ name })));
    const names = slots.every((slot) => 'name' in slot) ? slots.map(({ name }) => name as N) : null;
    return { sql, values: (named) => (names ? valuesOf(names, named) : slots.map((slot) => valueOf(slot, named))) };
}

function listStatement<N extends string, L extends string>(
    compose: (knex: Knex, bind: Bind<N>, list: BindList<L>) => Composed, knex: Knex, db: Reader
): ListStatement<N, L> {

    const bySize = new Map<number, { statement: Statement; slots: Slot[] }>();
    const sized = (size: number): { statement: Statement; slots: Slot[] } => {

        let built = bySize.get(size);
        if (!built) {
            const placeholders = new Placeholders();
            const list: BindList<L> = (name) => {

                return Array.from({ length: size }, (_, entry) => placeholders.add({ name, entry }));
            };

            const { sql, slots } = placeholders.compile(compose(knex, (name) => placeholders.add({ name }), list));
            built = { statement: { sql }, slots };
            bySize.set(size, built);
        }

        return built;
    };

    const bind = (named: Values<N> & Readonly<Record<L, readonly SqlValue[]>>): { statement: Statement; bindings: SqlValue[] } => {

        const { statement, slots } = sized(roundedSize(named));
        return { statement, bindings: slots.map((slot) => valueOf(slot, named)) };
    };

    return {
        read(named) {

            const { statement, bindings } = bind(named);
            return db.read(statement, bindings);
        },
        step(named, options = {}) {

            const { statement, bindings } = bind(named);
            return { sql: statement.sql, bindings, ...options };
        }
    };
}

/** Returns the next power of two that holds the longest list; shorter lists repeat their last entry, which `in (…)` ignores. */
function roundedSize(named: Readonly<Record<string, SqlValue | readonly SqlValue[]>>): number {

    let maxLength = 0;
    for (const [name, value] of Object.entries(named)) {
        if (Array.isArray(value)) {
            if (value.length === 0 || value.length > MAX_LIST) {
                throw new Error(`list ${name} must have 1 to ${MAX_LIST} entries, got ${value.length}`);
            }

            maxLength = Math.max(maxLength, value.length);
        }
    }

    return 2 ** Math.ceil(Math.log2(maxLength));
}

/** Returns the values of a statement that has neither lists nor constants, as most have. */
function valuesOf<N extends string>(names: readonly N[], named: Values<N>): SqlValue[] {

    const values: SqlValue[] = [];
    for (const name of names) {
        const value = named[name] as SqlValue | undefined;
        if (value === undefined) {
            throw missingValue(name);
        }

        values.push(value);
    }

    return values;
}

function missingValue(name: string): Error {

    return new Error(`the statement needs a value for ${name}`);
}

function valueOf(slot: Slot, named: Readonly<Record<string, SqlValue | readonly SqlValue[]>>): SqlValue {

    if ('constant' in slot) {
        return slot.constant;
    }

    const raw = named[slot.name];
    const value = 'entry' in slot && Array.isArray(raw) ? (raw as SqlValue[])[Math.min(slot.entry, raw.length - 1)] : raw;
    if (value === undefined || Array.isArray(value)) {
        throw missingValue(slot.name);
    }

    return value as SqlValue;
}

function toSqlValue(binding: unknown): SqlValue {

    if (typeof binding === 'boolean') {
        return binding ? 1 : 0;
    }

    return binding as SqlValue;
}

function once(dialect: Dialect): () => Knex {

    let knex: Knex | undefined;
    return () => {

        knex ??= makeKnex({ client: knexClient(dialect), useNullAsDefault: true });
        return knex;
    };
}

/** Some bytes of a chunk, from a 1-based position, and the size of the whole: the rest of it is neither copied nor sent. */
export const READ_PART = 'select length(bytes) as size, substr(bytes, ?, ?) as bytes from blob_chunks where blob_id = ? and n = ?';

/** Counts chunks and their bytes, which are not sent. */
export const MEASURE_CHUNKS = 'select count(*) as chunks, coalesce(sum(length(bytes)), 0) as bytes from blob_chunks where blob_id = ? and n >= ? and n < ?';

/** Lists blobs by skipping through the index, where `distinct` would visit every chunk. Works in both dialects. */
export const LIST_BLOBS = 'with recursive ids (id) as (' +
    'select min(blob_id) from blob_chunks where blob_id > ? union all ' +
    'select (select min(blob_id) from blob_chunks where blob_id > ids.id) from ids where ids.id is not null' +
    ') select id from ids where id is not null limit ?';
