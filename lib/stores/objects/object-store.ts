/**
 * Rows of objects and of their elements. Reads return whole objects; writes return steps for the unit of a change.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Step } from '../../../db/database.js';
import type { Acl } from '../../doip/digital-object.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import type { CacheUsage } from '../../util/cache/cache-usage.js';
import { turnFor } from '../../util/concurrency/event-loop-yielder.js';
import { row, statements } from '../../../db/statements.js';
import { aclColumns, LongAcls, type AclRow } from './long-acls.js';
import { ObjectCache } from './object-cache.js';
import { ELEMENT_COLUMNS, elementsOf, lengthOf, OBJECT_COLUMNS, objectValues, toObject } from './object-rows.js';
import type { DatedElementRow, ObjectRow } from './object-rows.js';
import type { Subject } from '../../model/access-subject.js';
import { EpochHistory, type EpochRow, type Epochs } from './epoch-history.js';

export type { Epochs } from './epoch-history.js';

/** An object, or null for none, with the epochs of the same moment. */
export interface ObjectView {
    readonly object: StoredObject | null;
    readonly epochs: Epochs;
}

/** When a cached object was last validated, and the epochs of that moment. */
interface Checked {
    readonly revision: number | null;
    readonly epochs: Epochs;
}

/** Default size of the cache, in bytes: room for some 10,000 objects of 2 KB. */
const CACHE_BYTES = 64 * 1024 * 1024;

type Column = (typeof OBJECT_COLUMNS)[number];

type ElementColumn = 'object_id' | 'position' | (typeof ELEMENT_COLUMNS)[number];

/** Objects in the database. */
export class ObjectStore {

    readonly #db: Database;
    readonly #cache: ObjectCache<Checked>;
    readonly #acls: LongAcls;
    readonly #history: EpochHistory;
    readonly #sql: ReturnType<typeof buildStatements>;
    /** The epochs as {@link epochs} last read them. */
    #epochs: Checked | null = null;

    /**
     * @param history shared by all that read epochs in this process
     * @param cacheBytes size of the cache of objects
     */
    constructor(db: Database, history = new EpochHistory(), cacheBytes = CACHE_BYTES) {

        this.#db = db;
        this.#history = history;
        this.#cache = new ObjectCache(cacheBytes);
        this.#acls = new LongAcls(db);
        this.#sql = buildStatements(db);
    }

    /** Returns an object with the epochs of the same moment. A change that is committed, but not reported to this process yet, may be missing. */
    async view(id: string): Promise<ObjectView> {

        return this.recall(id) ?? this.freshView(id);
    }

    /** Returns the result of {@link view} if it is cached; null if it has to be read. */
    recall(id: string): ObjectView | null {

        const { revision } = this.#db;
        const cached = revision === null ? undefined : this.#cache.get(id);
        if (!cached || cached.facts.revision !== revision) {
            return null;
        }

        this.#cache.hits += 1;
        return { object: cached.object, epochs: cached.facts.epochs };
    }

    /** Returns the current epochs, cached until the next commit. A commit that is not reported to this process yet may be missing. */
    async epochs(): Promise<Epochs> {

        // Taken before the read: what is committed during it counts as later.
        const { revision } = this.#db;
        if (revision === null || this.#epochs?.revision !== revision) {
            const { epochs: sql } = this.#sql;
            const { epochs } = await this.#history.read(async () => single(await this.#db.read<EpochRow & object>(sql, sql.values({}))));
            this.#epochs = { revision, epochs };
            return epochs;
        }

        return this.#epochs.epochs;
    }

    /**
     * Returns an object as the database has it, including changes whose commit was not reported to this process yet. For callers
     * that have seen a newer epoch and need what came with it, which {@link view} might not return.
     */
    async freshView(id: string): Promise<ObjectView> {

        const cached = this.#cache.get(id);
        if (cached) {
            const { revision } = this.#db;
            const { found, epochs } = await this.#history.read(async () => single(await this.#sql.check.read<EpochRow & { txn_id: number | null }>({ id })));
            if (found.txn_id === cached.object.metadata.txnId) {
                cached.facts = { revision, epochs };
                this.#cache.touch(id);
                this.#cache.hits += 1;
                return { object: cached.object, epochs };
            }

            this.#cache.delete(id);
        }

        this.#cache.misses += 1;
        return this.#read(id);
    }

    /** Counters of the cache of objects. */
    get cacheUsage(): CacheUsage {

        return this.#cache.usage;
    }

    /** Drops an object that was written from the cache: the next read would find it outdated. */
    forget(id: string): void {

        this.#cache.delete(id);
    }

    async #read(id: string, reading = 1): Promise<ObjectView> {

        // Taken before the read: what is committed during it counts as later.
        const { revision } = this.#db;
        const { found, epochs } = await this.#history.read(async () => single(await this.#sql.view.read<EpochRow &(ObjectRow | { id: null })>({ id })));
        if (found.id === null) {
            return { object: null, epochs };
        }

        const ownElements = found.element_count > 0 ? elementsOf(found, await this.#sql.elements.read<DatedElementRow>({ id }), reading) : [];
        if (!ownElements) {
            return this.#read(id, reading + 1);
        }

        const object = toObject(found, ownElements);
        const length = lengthOf(found, ownElements);
        await turnFor(length);
        this.#cache.put(object, { revision, epochs }, length);
        return { object, epochs };
    }

    /** Returns the types of the objects that exist among the ids. */
    async typesOf(ids: readonly string[]): Promise<Map<string, string>> {

        const found = new Map<string, string>();
        for (let start = 0; start < ids.length; start += TYPES_PER_BATCH) {
            await (start > 0 ? nextTurn() : undefined);
            const rows = await this.#sql.types.read<{ id: string; type: string }>({ ids: ids.slice(start, start + TYPES_PER_BATCH) });
            for (const { id, type } of rows) {
                found.set(id, type);
            }
        }

        return found;
    }

    /**
     * Returns what a rule decides on each of the objects that exist among the ids, by what access depends on. Only the decisions are kept, as
     * access control lists may be long.
     */
    async decideOn<T>(ids: readonly string[], rule: (subject: Subject) => T): Promise<Map<string, T>> {

        const decisions = new Map<string, T>();
        for (let start = 0; start < ids.length; start += TYPES_PER_BATCH) {
            await (start > 0 ? nextTurn() : undefined);     // SQLite reads at once
            const rows = await this.#sql.subjects.read<SubjectRow>({ ids: ids.slice(start, start + TYPES_PER_BATCH) });
            for await (const block of this.#acls.blocks(rows)) {
                block.forEach((found) => decisions.set(found.id, rule(toSubject(found))));
            }
        }

        return decisions;
    }

    /** Returns ids and transaction numbers of up to 500 tips of a type, ascending by id from `after` (exclusive). */
    async listTips(type: string, after: string): Promise<{ id: string; txnId: number }[]> {

        const rows = await this.#sql.listTips.read<{ id: string; txn_id: number }>({ type, after });
        return rows.map(({ id, txn_id }) => ({ id, txnId: txn_id }));
    }

    /** Returns the highest transaction number in use, 0 when there is no object. */
    async highestTxnId(): Promise<number> {

        const found = await this.#sql.highestTxnId.first<{ highest: number | null }>({});
        return found?.highest ?? 0;
    }

    /** Returns the steps that insert an object; the unit fails with `conflict` when its id is in use. */
    insertSteps(object: StoredObject, conflict: string): Step[] {

        return [
            this.#sql.insert.step(objectValues(object), { duplicate: conflict }),
            ...object.elements.map((element, position) => this.#insertElement(object.id, element, position))
        ];
    }

    /** Returns the steps that replace an object; the unit fails with `changed` when it is not in the state that was read. */
    updateSteps(before: StoredObject, after: StoredObject, changed: string): Step[] {

        const expected = before.metadata.txnId;
        const values = { ...objectValues(after), expected };
        const steps = [this.#sql.update.step(values, { expect: { rows: 1, otherwise: changed } })];
        if (before.elements !== after.elements && !sameElements(before.elements, after.elements)) {
            steps.push(this.#sql.deleteElements.step({ id: before.id }));
            steps.push(...after.elements.map((element, position) => this.#insertElement(after.id, element, position)));
        }

        return steps;
    }

    /** Returns a step without a change; the unit fails with `changed` when the object is not in the state that was read. */
    holdStep({ id, metadata: { txnId } }: StoredObject, changed: string): Step {

        return this.#sql.hold.step({ id, expected: txnId }, { expect: { rows: 1, otherwise: changed } });
    }

    /** Returns the steps that delete an object; the unit fails with `changed` when it is not in the state that was read. */
    deleteSteps(before: StoredObject, changed: string): Step[] {

        const { id, metadata: { txnId } } = before;
        const steps = [this.#sql.delete.step({ id, expected: txnId }, { expect: { rows: 1, otherwise: changed } })];
        if (before.elements.length > 0) {
            steps.push(this.#sql.deleteElements.step({ id }));
        }

        return steps;
    }

    #insertElement(id: string, element: StoredElement, position: number): Step {

        return this.#sql.insertElement.step({
            object_id: id, position, name: element.name, filename: element.filename, media_type: element.mediaType,
            size: element.size, blob_id: element.blobId, store: element.store, hash: element.hash
        });
    }
}

const TYPES_PER_BATCH = 256;

type SubjectRow = Pick<ObjectRow, 'type' | 'created_by'> & AclRow;

function toSubject({ id, type, acl, created_by: createdBy }: SubjectRow): Subject {

    return { id, type, acl: acl === null ? null : JSON.parse(acl) as Acl, metadata: { createdBy } };
}

function single<R>([row]: readonly R[]): R {

    if (!row) {
        throw new Error('the epochs row is missing; was the database migrated?');
    }

    return row;
}

function sameElements(before: readonly StoredElement[], after: readonly StoredElement[]): boolean {

    return before.length === after.length && before.every((element, index) => element === after[index]);
}

function buildStatements(db: Database) {

    const build = statements(db);
    const objectColumns = OBJECT_COLUMNS.map((column) => `o.${column}`);
    return {
        view: build<'id'>((knex, bind) => knex('epochs as e')
            .leftJoin('objects as o', (on) => on.on('o.id', '=', knex.raw('?', [bind('id')])))
            .where('e.id', 1)
            .select('e.types as epoch_types', 'e.identity as epoch_identity', ...objectColumns)),
        check: build<'id'>((knex, bind) => knex('epochs as e')
            .leftJoin('objects as o', (on) => on.on('o.id', '=', knex.raw('?', [bind('id')])))
            .where('e.id', 1)
            .select('e.types as epoch_types', 'e.identity as epoch_identity', 'o.txn_id')),
        epochs: build((knex) => knex('epochs').where('id', 1).select('types as epoch_types', 'identity as epoch_identity')),
        elements: build<'id'>((knex, bind) => knex('payloads as p').join('objects as o', 'o.id', 'p.object_id')
            .where('p.object_id', bind('id')).orderBy('p.position').select('o.txn_id', ...ELEMENT_COLUMNS.map((column) => `p.${column}`))),
        types: build.list<never, 'ids'>((knex, _bind, list) => knex('objects')
            .whereIn('id', list('ids')).select('id', 'type')),
        subjects: build.list<never, 'ids'>((knex, _bind, list) => knex('objects')
            .whereIn('id', list('ids')).select('id', 'type', 'created_by', ...aclColumns(knex, 'objects'))),
        listTips: build<'type' | 'after'>((knex, bind) => knex('objects')
            .where('type', bind('type')).where('id', '>', bind('after')).where('is_version', 0)
            .orderBy('id').limit(500).select('id', 'txn_id')),
        highestTxnId: build((knex) => knex('objects').max('txn_id as highest')),
        insert: build<Column>((knex, bind) => knex('objects').insert(row(bind, OBJECT_COLUMNS))),
        update: build<Column | 'expected'>((knex, bind) => knex('objects')
            .where('id', bind('id')).where('txn_id', bind('expected')).update(row(bind, OBJECT_COLUMNS))),
        hold: build<'id' | 'expected'>((knex, bind) => knex('objects')
            .where('id', bind('id')).where('txn_id', bind('expected')).update('txn_id', bind('expected'))),
        delete: build<'id' | 'expected'>((knex, bind) => knex('objects')
            .where('id', bind('id')).where('txn_id', bind('expected')).delete()),
        insertElement: build<ElementColumn>((knex, bind) => knex('payloads')
            .insert(row(bind, ['object_id', 'position', ...ELEMENT_COLUMNS]))),
        deleteElements: build<'id'>((knex, bind) => knex('payloads').where('object_id', bind('id')).delete())
    };
}
