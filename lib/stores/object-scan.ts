/**
 * Reading many objects as they are: by their ids, or all of them in pages.
 */

import type { Database } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { ObjectParts } from '../objects/object-text.js';
import type { StoredElement, StoredObject } from '../objects/stored-object.js';
import { ELEMENT_COLUMNS, OBJECT_COLUMNS, toElement, toObject, toParts } from './object-rows.js';
import type { ElementRow, ObjectRow } from './object-rows.js';

/** Most objects that are read at once. */
export const OBJECTS_AT_ONCE = 100;

/** Most ids that are read at once. */
export const IDS_AT_ONCE = 1000;

/** Objects whose texts have more bytes are read one by one. */
const LONG_BYTES = 16 * 1024;

/** What is stored of some objects. */
export interface ObjectTexts {
    readonly objects: readonly ObjectParts[];
    /** Ids of those that are so long that they are to be read one by one. */
    readonly long: readonly string[];
}

export class ObjectScan {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** The objects that exist among some ids, at most {@link OBJECTS_AT_ONCE}, in no order. */
    async byIds(ids: readonly string[]): Promise<StoredObject[]> {

        if (ids.length === 0) {
            return [];
        }

        const { statement, bindings } = this.#sql.byIds.with({ ids });
        return await this.#withElements(await this.#db.read<ObjectRow>(statement, bindings), toObject);
    }

    /** What is stored of the objects that exist among some ids, at most {@link OBJECTS_AT_ONCE}, in no order. */
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

    /** The next objects by id after one, at most {@link OBJECTS_AT_ONCE}; from the first with an empty id. */
    async after(id: string): Promise<StoredObject[]> {

        const { after } = this.#sql;
        return await this.#withElements(await this.#db.read<ObjectRow>(after, after.values({ id })), toObject);
    }

    /** The next ids after one, at most {@link IDS_AT_ONCE}; from the first with an empty id. */
    async idsAfter(id: string): Promise<string[]> {

        const { idsAfter } = this.#sql;
        return (await this.#db.read<{ id: string }>(idsAfter, idsAfter.values({ id }))).map((row) => row.id);
    }

    async #withElements<T>(rows: readonly ObjectRow[], make: (row: ObjectRow, elements: readonly StoredElement[]) => T): Promise<T[]> {

        const ids = rows.filter((row) => row.element_count > 0).map(({ id }) => id);
        const elements = new Map<string, StoredElement[]>();
        if (ids.length > 0) {
            const { statement, bindings } = this.#sql.elements.with({ ids });
            for (const row of await this.#db.read<ElementRow & { object_id: string }>(statement, bindings)) {
                const list = elements.get(row.object_id) ?? [];
                list.push(toElement(row));
                elements.set(row.object_id, list);
            }
        }

        return rows.map((row) => make(row, elements.get(row.id) ?? []));
    }
}

/** Bytes of the texts of a row; told by either database without reading them. */
const LENGTH = 'octet_length(content) + coalesce(octet_length(user_metadata), 0)';

function buildStatements({ dialect }: Database) {

    const build = statements(dialect);
    return {
        byIds: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(...OBJECT_COLUMNS)),
        texts: build.list<never, 'ids'>((knex, _bind, list) => knex('objects').whereIn('id', list('ids')).select(
            ...OBJECT_COLUMNS.filter((column) => column !== 'content' && column !== 'user_metadata'),
            ...['content', 'user_metadata'].map((column) => knex.raw(`case when ${LENGTH} <= ${LONG_BYTES} then ${column} end as ${column}`))
        )),
        after: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(OBJECTS_AT_ONCE).select(...OBJECT_COLUMNS)),
        idsAfter: build<'id'>((knex, bind) => knex('objects').where('id', '>', bind('id')).orderBy('id').limit(IDS_AT_ONCE).select('id')),
        elements: build.list<never, 'ids'>((knex, _bind, list) => knex('payloads').whereIn('object_id', list('ids'))
            .orderBy('object_id').orderBy('position').select('object_id', ...ELEMENT_COLUMNS))
    };
}
