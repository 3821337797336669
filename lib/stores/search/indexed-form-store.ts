/**
 * Rows of the indexed forms of objects, where these differ from the objects.
 */

import type { Database, Step } from '../../../db/database.js';
import { row, statements } from '../../../db/statements.js';
import { readStored, writeStored } from '../../json/serializer.js';
import type { Acl } from '../../doip/digital-object.js';
import type { JsonObject } from '../../util/json-types.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';
import type { ObjectRow } from '../objects/object-rows.js';

type FormRow = Pick<ObjectRow, 'txn_id' | 'content' | 'user_metadata' | 'acl'> & { readonly object_id: string };

/** An object, and its form: nulls where it has none. */
type StateRow = { readonly object_id: string; readonly txn_id: number; readonly form_txn_id: number | null } & Omit<FormRow, 'object_id' | 'txn_id'>;

/** The indexed forms of objects that were read. */
export interface IndexedForms {
    readonly byId: ReadonlyMap<string, IndexedForm>;
    /** Ids of objects that were changed or deleted since they were read: whether that state had a form is not known. */
    readonly changed: ReadonlySet<string>;
}

/** Indexed forms in the database. */
export class IndexFormStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns the step that stores the form of an object, for the state that the unit writes. */
    saveStep({ id, metadata: { txnId } }: StoredObject, { content, userMetadata, acl }: IndexedForm): Step {

        return this.#sql.save.step({
            object_id: id, txn_id: txnId, content: writeStored(content),
            user_metadata: userMetadata === null ? null : writeStored(userMetadata),
            acl: acl === null ? null : JSON.stringify(acl)
        });
    }

    /** Returns the steps that replace or delete the form of a stored object; the unit fails with `changed` when it is in another state. */
    replaceSteps(object: StoredObject, form: IndexedForm | null, changed: string): Step[] {

        const { id, metadata: { txnId } } = object;
        return [
            this.#sql.guard.step({ id, txnId }, { expect: { rows: 1, otherwise: changed } }),
            form ? this.saveStep(object, form) : this.removeStep(id)
        ];
    }

    /** Returns the step that deletes the form of an object, if it has one. */
    removeStep(id: string): Step {

        return this.#sql.remove.step({ id });
    }

    /** Returns those of at most 512 ids that have a form, for whatever state of the object. */
    async held(ids: readonly string[]): Promise<ReadonlySet<string>> {

        const rows = ids.length === 0 ? [] : await this.#sql.held.read<Pick<FormRow, 'object_id'>>({ ids });
        return new Set(rows.map(({ object_id }) => object_id));
    }

    /** Returns the forms of at most 512 objects. */
    async read(objects: readonly StoredObject[]): Promise<IndexedForms> {

        const ids = objects.map(({ id }) => id);
        const rows = ids.length === 0 ? [] : await this.#sql.states.read<StateRow>({ ids });
        const found = new Map(rows.map((state) => [state.object_id, state]));
        const byId = new Map<string, IndexedForm>();
        const changed = new Set<string>();
        for (const { id, metadata: { txnId } } of objects) {
            const state = found.get(id);
            if (state?.txn_id !== txnId) {
                changed.add(id);
            }
            else if (state.form_txn_id !== null) {
                byId.set(id, toForm(state));
            }
        }

        return { byId, changed };
    }
}

function toForm({ content, user_metadata, acl }: Omit<FormRow, 'object_id' | 'txn_id'>): IndexedForm {

    return {
        content: readStored(content) as JsonObject,
        userMetadata: user_metadata === null ? null : readStored(user_metadata) as JsonObject,
        acl: acl === null ? null : JSON.parse(acl) as Acl
    };
}

const COLUMNS = ['object_id', 'txn_id', 'content', 'user_metadata', 'acl'] as const;

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        save: build<(typeof COLUMNS)[number]>((knex, bind) => knex('index_forms').insert(row(bind, COLUMNS)).onConflict('object_id').merge()),
        guard: build<'id' | 'txnId'>((knex, bind) => knex('objects').where({ id: bind('id'), txn_id: bind('txnId') })
            .update({ txn_id: knex.ref('txn_id') })),
        remove: build<'id'>((knex, bind) => knex('index_forms').where('object_id', bind('id')).delete()),
        held: build.list<never, 'ids'>((knex, _bind, list) => knex('index_forms').whereIn('object_id', list('ids')).select('object_id')),
        states: build.list<never, 'ids'>((knex, _bind, list) => knex('objects as o')
            .leftJoin('index_forms as f', (on) => void on.on('f.object_id', 'o.id').andOn('f.txn_id', 'o.txn_id'))
            .whereIn('o.id', list('ids')).select('o.id as object_id', 'o.txn_id', 'f.txn_id as form_txn_id', 'f.content', 'f.user_metadata', 'f.acl'))
    };
}
