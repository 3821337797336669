/**
 * Reads many objects in their current state: by id, or all of them in pages.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import type { ObjectParts } from '../../model/lazy-stored-object.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import { ELEMENT_COLUMNS, elementsOf, LONG_COLUMNS, OBJECT_COLUMNS, SHORT_COLUMNS, toObject, toParts } from './object-rows.js';
import type { DatedElementRow, ObjectRow } from './object-rows.js';

/** Maximum number of objects in one read. */
export const OBJECTS_PER_BATCH = 100;

/** Maximum number of ids in one read. */
export const IDS_PER_BATCH = 1000;

/** Bytes of texts above which an object is read separately. */
const LONG_BYTES = 16 * 1024;

/** Bytes of texts in a portion; parsed they take several times as much memory. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Bytes of texts above which an object is a page of its own; other pages have at most 25 MiB. */
const PAGE_ALONE_BYTES = 256 * 1024;

/** Stored texts of objects. */
export interface ObjectTexts {
    readonly objects: readonly ObjectParts[];
    /** Ids of long objects, which have to be read one by one. */
    readonly long: readonly string[];
}

type Maker<T> = (row: ObjectRow, elements: readonly StoredElement[]) => T;

export class ObjectScan {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns the objects that exist among at most {@link OBJECTS_PER_BATCH} ids, in no order. */
    async byIds(ids: readonly string[]): Promise<StoredObject[]> {

        if (ids.length === 0) {
            return [];
        }

        return await this.#withElements(await this.#sql.byIds.read<ObjectRow>({ ids }), toObject);
    }

    /** Returns the stored texts of the objects that exist among at most {@link OBJECTS_PER_BATCH} ids, in no order. */
    async texts(ids: readonly string[]): Promise<ObjectTexts> {

        const rows = await this.#sql.texts.read<Omit<ObjectRow, 'content'> & { content: string | null }>({ ids });
        const short = rows.filter((row): row is ObjectRow => row.content !== null);
        return {
            objects: await this.#withElements(short, toParts),
            long: short.length === rows.length ? [] : rows.filter(({ content }) => content === null).map(({ id }) => id)
        };
    }

    /** Returns the stored texts of one object of any length; null when it does not exist. */
    async text(id: string): Promise<ObjectParts | null> {

        const [found] = await this.#withElements(await this.#sql.byIds.read<ObjectRow>({ ids: [id] }), toParts);
        return found ?? null;
    }

    /** Returns the types of the objects that exist among at most {@link OBJECTS_PER_BATCH} ids, in no order. */
    async typesOf(ids: readonly string[]): Promise<string[]> {

        return ids.length === 0 ? [] : (await this.#sql.types.read<{ type: string }>({ ids })).map(({ type }) => type);
    }

    /** Splits ids, at most {@link OBJECTS_PER_BATCH}, into portions whose objects fit into memory together. */
    async portions(ids: readonly string[]): Promise<string[][]> {

        if (ids.length === 0) {
            return [];
        }

        const lengths = new Map((await this.#sql.lengths.read<{ id: string; length: number }>({ ids })).map(({ id, length }) => [id, Number(length)]));
        const portions: string[][] = [];
        let left = 0;
        for (const id of ids) {
            const length = lengths.get(id) ?? 0;
            const batch = portions.at(-1);
            if (batch && length <= left) {
                batch.push(id);
                left -= length;
            }
            else {
                portions.push([id]);
                left = BATCH_BYTES - length;
            }
        }

        return portions;
    }

    /** Reads the objects that exist among any number of ids, in their order: in pages that fit into memory, each in a turn of the event loop. */
    async *pages(ids: readonly string[]): AsyncGenerator<StoredObject[]> {

        for (let start = 0; start < ids.length; start += OBJECTS_PER_BATCH) {
            for (const batch of await this.portions(ids.slice(start, start + OBJECTS_PER_BATCH))) {
                const found = new Map((await this.byIds(batch)).map((object) => [object.id, object]));
                yield batch.flatMap((id) => found.get(id) ?? []);
                await nextTurn();       // SQLite reads at once
            }
        }
    }

    /** Returns the next objects by id after one, at most {@link OBJECTS_PER_BATCH}, long ones alone; from the first with an empty id. */
    async after(id: string): Promise<StoredObject[]> {

        for (let last = id; ;) {
            const rows = await this.#sql.after.read<Omit<ObjectRow, 'content'> & { content: string | null }>({ id: last });
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

            // All of them were deleted while they were read, so this is not the end.
            last = read.at(-1)?.id ?? last;
        }
    }

    /** Returns the next ids after one, at most {@link IDS_PER_BATCH}; from the first with an empty id. */
    async idsAfter(id: string): Promise<string[]> {

        return (await this.#sql.idsAfter.read<{ id: string }>({ id })).map((row) => row.id);
    }

    /** Returns the next ids of objects of a type after one, at most `limit`; from the first with an empty id. */
    async idsOfTypeAfter(type: string, id: string, limit: number): Promise<string[]> {

        return (await this.#sql.idsOfTypeAfter.read<{ id: string }>({ type, id, limit })).map((row) => row.id);
    }

    /** Returns the objects of rows, in order, without those that were deleted meanwhile. */
    async #withElements<T>(rows: readonly ObjectRow[], make: Maker<T>): Promise<T[]> {

        const made = await this.#makeAll(rows, make);
        return rows.flatMap(({ id }) => made.get(id) ?? []);
    }

    async #makeAll<T>(rows: readonly ObjectRow[], make: Maker<T>, reading = 1): Promise<Map<string, T>> {

        const elements = await this.#elementRows(rows.filter((row) => row.element_count > 0).map(({ id }) => id));
        const made = new Map<string, T>();
        const changed: string[] = [];
        for (const row of rows) {
            const ownElements = row.element_count > 0 ? elementsOf(row, elements.get(row.id) ?? [], reading) : [];
            if (ownElements) {
                made.set(row.id, make(row, ownElements));
            }
            else {
                changed.push(row.id);
            }
        }

        if (changed.length > 0) {
            const again = await this.#makeAll(await this.#sql.byIds.read<ObjectRow>({ ids: changed }), make, reading + 1);
            again.forEach((object, id) => made.set(id, object));
        }

        return made;
    }

    async #elementRows(ids: readonly string[]): Promise<Map<string, DatedElementRow[]>> {

        const rows = new Map<string, DatedElementRow[]>();
        if (ids.length > 0) {
            for (const row of await this.#sql.elements.read<DatedElementRow & { object_id: string }>({ ids })) {
                const ownElements = rows.get(row.object_id) ?? [];
                ownElements.push(row);
                rows.set(row.object_id, ownElements);
            }
        }

        return rows;
    }
}

/** Estimated bytes of an element: its texts, which are not read for it, have at most 255 each. */
const ELEMENT_BYTES = 256;

/** Bytes of the texts of a row and its elements, which all databases compute without reading the texts. */
const LENGTH = `${LONG_COLUMNS.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')} + element_count * ${ELEMENT_BYTES}`;

/** Returns the columns of an object; its texts only up to a number of bytes. */
function columnsUpTo(knex: Knex, bytes: number): (string | Knex.Raw)[] {

    return [
        ...SHORT_COLUMNS,
        ...LONG_COLUMNS.map((column) => knex.raw(`case when ${LENGTH} <= ${bytes} then ${column} end as ${column}`))
    ];
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        byIds: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(...OBJECT_COLUMNS)),
        texts: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(...columnsUpTo(knex, LONG_BYTES))),
        types: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select('type')),
        lengths: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select('id', knex.raw(`${LENGTH} as length`))),
        after: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(OBJECTS_PER_BATCH).select(
            ...columnsUpTo(knex, PAGE_ALONE_BYTES)
        )),
        idsAfter: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(IDS_PER_BATCH).select('id')),
        idsOfTypeAfter: build<'type' | 'id' | 'limit'>((knex, bind) => knex('objects').where('type', bind('type')).where('id', '>', bind('id'))
            .orderBy('id').limit(bind('limit')).select('id')),
        elements: build.list<never, 'ids'>((knex, _bind, list) => knex('payloads as p').join('objects as o', 'o.id', 'p.object_id')
            .whereIn('p.object_id', list('ids')).orderBy('p.object_id').orderBy('p.position')
            .select('p.object_id', 'o.txn_id', ...ELEMENT_COLUMNS.map((column) => `p.${column}`)))
    };
}
