/**
 * Reading many objects as they are: by their ids, or all of them in pages.
 */

import type { Knex } from 'knex';
import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import type { ObjectParts } from '../../model/lazy-stored-object.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { ELEMENT_COLUMNS, elementsOf, OBJECT_COLUMNS, toObject, toParts } from './object-rows.js';
import type { DatedElementRow, ObjectRow } from './object-rows.js';

/** Most objects that are read at once. */
export const OBJECTS_PER_BATCH = 100;

/** Most ids that are read at once. */
export const IDS_PER_BATCH = 1000;

/** Objects whose texts have more bytes are read one by one. */
const LONG_BYTES = 16 * 1024;

/** Bytes of texts that are read in one go; what is made of them takes several times as much. */
const PORTION_BYTES = 8 * 1024 * 1024;

/** Objects whose texts have more bytes are a page of their own; a page of others has 25 MiB at most. */
const PAGE_ALONE_BYTES = 256 * 1024;

/** What is stored of some objects. */
export interface ObjectTexts {
    readonly objects: readonly ObjectParts[];
    /** Ids of those that are so long that they are to be read one by one. */
    readonly long: readonly string[];
}

type Maker<T> = (row: ObjectRow, elements: readonly StoredElement[]) => T;

export class ObjectScan {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** The objects that exist among some ids, at most {@link OBJECTS_PER_BATCH}, in no order. */
    async byIds(ids: readonly string[]): Promise<StoredObject[]> {

        if (ids.length === 0) {
            return [];
        }

        const { statement, bindings } = this.#sql.byIds.with({ ids });
        return await this.#withElements(await this.#db.read<ObjectRow>(statement, bindings), toObject);
    }

    /** What is stored of the objects that exist among some ids, at most {@link OBJECTS_PER_BATCH}, in no order. */
    async texts(ids: readonly string[]): Promise<ObjectTexts> {

        const { statement, bindings } = this.#sql.texts.with({ ids });
        const rows = await this.#db.read<Omit<ObjectRow, 'content'> & { content: string | null }>(statement, bindings);
        const short = rows.filter((row): row is ObjectRow => row.content !== null);
        return {
            objects: await this.#withElements(short, toParts),
            long: short.length === rows.length ? [] : rows.filter(({ content }) => content === null).map(({ id }) => id)
        };
    }

    /** What is stored of one object, however long it is; null when it is not there. */
    async text(id: string): Promise<ObjectParts | null> {

        const { statement, bindings } = this.#sql.byIds.with({ ids: [id] });
        const [found] = await this.#withElements(await this.#db.read<ObjectRow>(statement, bindings), toParts);
        return found ?? null;
    }

    /** The same ids, in portions of which the objects may be in memory at once; at most {@link OBJECTS_PER_BATCH}. */
    async portions(ids: readonly string[]): Promise<string[][]> {

        if (ids.length === 0) {
            return [];
        }

        const { statement, bindings } = this.#sql.lengths.with({ ids });
        const lengths = new Map((await this.#db.read<{ id: string; length: number }>(statement, bindings)).map(({ id, length }) => [id, Number(length)]));
        const portions: string[][] = [];
        let left = 0;
        for (const id of ids) {
            const length = lengths.get(id) ?? 0;
            const portion = portions.at(-1);
            if (portion && length <= left) {
                portion.push(id);
                left -= length;
            }
            else {
                portions.push([id]);
                left = PORTION_BYTES - length;
            }
        }

        return portions;
    }

    /** The next objects by id after one, at most {@link OBJECTS_PER_BATCH}, long ones alone; from the first with an empty id. */
    async after(id: string): Promise<StoredObject[]> {

        const { after } = this.#sql;
        for (let last = id; ;) {
            const rows = await this.#db.read<Omit<ObjectRow, 'content'> & { content: string | null }>(after, after.values({ id: last }));
            const [first] = rows;
            if (!first) {
                return [];
            }

            const long = rows.findIndex(({ content }) => content === null);
            const read = rows.slice(0, long === -1 ? rows.length : Math.max(long, 1));
            const objects = long === 0 ? await this.byIds([first.id]) : await this.#withElements(read as ObjectRow[], toObject);
            if (objects.length > 0) {
                return objects;
            }

            // All of them were deleted while they were read: these are not the last ones.
            last = read.at(-1)?.id ?? last;
        }
    }

    /** The next ids after one, at most {@link IDS_PER_BATCH}; from the first with an empty id. */
    async idsAfter(id: string): Promise<string[]> {

        const { idsAfter } = this.#sql;
        return (await this.#db.read<{ id: string }>(idsAfter, idsAfter.values({ id }))).map((row) => row.id);
    }

    /** The objects of some rows, in their order. Those that are gone by then are left out. */
    async #withElements<T>(rows: readonly ObjectRow[], make: Maker<T>): Promise<T[]> {

        const made = await this.#made(rows, make);
        return rows.flatMap(({ id }) => made.get(id) ?? []);
    }

    async #made<T>(rows: readonly ObjectRow[], make: Maker<T>, reading = 1): Promise<Map<string, T>> {

        const elements = await this.#elementRows(rows.filter((row) => row.element_count > 0).map(({ id }) => id));
        const made = new Map<string, T>();
        const changed: string[] = [];
        for (const row of rows) {
            const own = row.element_count > 0 ? elementsOf(row, elements.get(row.id) ?? [], reading) : [];
            if (own) {
                made.set(row.id, make(row, own));
            }
            else {
                changed.push(row.id);
            }
        }

        if (changed.length > 0) {
            const { statement, bindings } = this.#sql.byIds.with({ ids: changed });
            const again = await this.#made(await this.#db.read<ObjectRow>(statement, bindings), make, reading + 1);
            again.forEach((object, id) => made.set(id, object));
        }

        return made;
    }

    async #elementRows(ids: readonly string[]): Promise<Map<string, DatedElementRow[]>> {

        const rows = new Map<string, DatedElementRow[]>();
        if (ids.length > 0) {
            const { statement, bindings } = this.#sql.elements.with({ ids });
            for (const row of await this.#db.read<DatedElementRow & { object_id: string }>(statement, bindings)) {
                const own = rows.get(row.object_id) ?? [];
                own.push(row);
                rows.set(row.object_id, own);
            }
        }

        return rows;
    }
}

/** Bytes of the texts of a row; told by either database without reading them. */
const LENGTH = 'octet_length(content) + coalesce(octet_length(user_metadata), 0)';

/** The columns of an object; without its texts where they have more bytes. */
function columnsUpTo(knex: Knex, bytes: number): (string | Knex.Raw)[] {

    return [
        ...OBJECT_COLUMNS.filter((column) => column !== 'content' && column !== 'user_metadata'),
        ...['content', 'user_metadata'].map((column) => knex.raw(`case when ${LENGTH} <= ${bytes} then ${column} end as ${column}`))
    ];
}

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        byIds: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(...OBJECT_COLUMNS)),
        texts: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(...columnsUpTo(knex, LONG_BYTES))),
        lengths: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select('id', knex.raw(`${LENGTH} as length`))),
        after: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(OBJECTS_PER_BATCH).select(
            ...columnsUpTo(knex, PAGE_ALONE_BYTES)
        )),
        idsAfter: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(IDS_PER_BATCH).select('id')),
        elements: build.list<never, 'ids'>((knex, _bind, list) => knex('payloads as p').join('objects as o', 'o.id', 'p.object_id')
            .whereIn('p.object_id', list('ids')).orderBy('p.object_id').orderBy('p.position')
            .select('p.object_id', 'o.txn_id', ...ELEMENT_COLUMNS.map((column) => `p.${column}`)))
    };
}
