/**
 * Totals of objects and bytes by user and by type, and the facts from which they are counted.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** Whose usage is counted: of users what they created, of types their objects. */
export type UsageKind = 'user' | 'type';

/** Objects, and bytes of their content, user metadata and payloads. */
export interface Usage {
    readonly objects: number;
    readonly bytes: number;
}

/** Maximum values; null for no limit. */
export interface UsageLimits {
    readonly objects: number | null;
    readonly bytes: number | null;
}

/** The user or type whose usage is counted. */
export interface UsageKey {
    readonly kind: UsageKind;
    readonly name: string;
}

/** The usage of one stored object. */
export interface ObjectUsage {
    readonly id: string;
    readonly type: string;
    readonly createdBy: string;
    readonly bytes: number;
}

/** Objects in one read. */
const OBJECTS_PER_READ = 1000;

/** Bindings of {@link UsageStore.addSteps} that may be added up: the first two are the amounts, which the conditions repeat. */
const SUMS_PLAIN: readonly number[] = [0, 1];
const SUMS_LIMITED: readonly number[] = [0, 1, 4, 6];

/** Totals in the database. */
export class UsageStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the usage of a user or type. */
    async get({ kind, name }: UsageKey): Promise<Usage> {

        return await this.#sql.get.first<Usage>({ kind, name }) ?? { objects: 0, bytes: 0 };
    }

    /** Returns the step that makes sure that there is a row. */
    createStep({ kind, name }: UsageKey): Step {

        return this.#sql.create.step({ kind, name });
    }

    /** Returns the step that adds to a row, which exists. */
    addStep({ kind, name }: UsageKey, { objects, bytes }: Usage): Step {

        return this.#sql.add.step({ kind, name, objects, bytes }, { sums: SUMS_PLAIN });
    }

    /** Like {@link addStep}; the unit fails with `exceeded` if one of the totals would be above its limit. */
    addWithinStep({ kind, name }: UsageKey, { objects, bytes }: Usage, { limits, exceeded }: { limits: UsageLimits; exceeded: string }): Step {

        const values = { kind, name, objects, bytes, maxObjects: limits.objects ?? NO_LIMIT, maxBytes: limits.bytes ?? NO_LIMIT };
        return this.#sql.addWithin.step(values, { expect: { rows: 1, otherwise: exceeded }, sums: SUMS_LIMITED });
    }

    /** Reads the usage of all objects in blocks, ascending by id. */
    async *ofObjects(): AsyncGenerator<ObjectUsage[]> {

        let after = '';
        for (;;) {
            const objects = await this.#sql.objects.read<{ id: string; type: string; created_by: string; bytes: number }>({ after });
            const last = objects.at(-1)?.id;
            if (last === undefined) {
                return;
            }

            const rows = await this.#sql.payloads.read<{ object_id: string; bytes: number | string }>({ after, last });
            const payloads = new Map(rows.map(({ object_id: id, bytes }) => [id, Number(bytes)]));
            yield objects.map(({ id, type, created_by: createdBy, bytes }) => ({ id, type, createdBy, bytes: Number(bytes) + (payloads.get(id) ?? 0) }));
            after = last;
        }
    }

    /** Sets all totals to zero. */
    async clear(): Promise<void> {

        await this.#db.commit({ steps: [this.#sql.clear.step({})], isRepeatable: true });
    }

    /** Sets some totals. */
    async set(totals: readonly (UsageKey & Usage)[]): Promise<void> {

        await this.#db.commit({ steps: totals.map(({ kind, name, objects, bytes }) => this.#sql.set.step({ kind, name, objects, bytes })) });
    }
}

/** As a number that both databases compare exactly. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

function buildStatements(db: Database) {

    const build = statements(db);
    const table = 'usage_totals';
    return {
        get: build<'kind' | 'name'>((knex, bind) => knex(table).where({ kind: bind('kind'), name: bind('name') }).select('objects', 'bytes')),
        create: build<'kind' | 'name'>((knex, bind) => knex(table)
            .insert({ kind: bind('kind'), name: bind('name'), objects: 0, bytes: 0 }).onConflict(['kind', 'name']).ignore()),
        add: build<'kind' | 'name' | 'objects' | 'bytes'>((knex, bind) => knex(table)
            .update({ objects: knex.raw('?? + ?', ['objects', bind('objects')]), bytes: knex.raw('?? + ?', ['bytes', bind('bytes')]) })
            .where('kind', bind('kind')).where('name', bind('name'))),
        addWithin: build<'kind' | 'name' | 'objects' | 'bytes' | 'maxObjects' | 'maxBytes'>((knex, bind) => knex(table)
            .update({ objects: knex.raw('?? + ?', ['objects', bind('objects')]), bytes: knex.raw('?? + ?', ['bytes', bind('bytes')]) })
            .where('kind', bind('kind')).where('name', bind('name'))
            .whereRaw('?? + ? <= ?', ['objects', bind('objects'), bind('maxObjects')])
            .whereRaw('?? + ? <= ?', ['bytes', bind('bytes'), bind('maxBytes')])),
        objects: build<'after'>((knex, bind) => knex('objects').where('id', '>', bind('after')).orderBy('id').limit(OBJECTS_PER_READ).select(
            'id', 'type', 'created_by', knex.raw('octet_length(??) + coalesce(octet_length(??), 0) + coalesce(octet_length(??), 0) as ??',
                ['content', 'user_metadata', 'acl', 'bytes'])
        )),
        payloads: build<'after' | 'last'>((knex, bind) => knex('payloads').where('object_id', '>', bind('after')).where('object_id', '<=', bind('last'))
            .groupBy('object_id').orderBy('object_id').select('object_id', knex.raw(
                'sum(?? + octet_length(??) + coalesce(octet_length(??), 0) + coalesce(octet_length(??), 0)) as ??', ['size', 'name', 'filename', 'media_type', 'bytes']
            ))),
        clear: build((knex) => knex(table).update({ objects: 0, bytes: 0 })),
        set: build<'kind' | 'name' | 'objects' | 'bytes'>((knex, bind) => knex(table)
            .insert({ kind: bind('kind'), name: bind('name'), objects: bind('objects'), bytes: bind('bytes') }).onConflict(['kind', 'name']).merge())
    };
}
