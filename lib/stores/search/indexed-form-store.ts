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

    /** Returns the forms of at most 512 objects by id, without those made for another state of an object. */
    async read(objects: readonly StoredObject[]): Promise<Map<string, IndexedForm>> {

        if (objects.length === 0) {
            return new Map();
        }

        const states = new Map(objects.map(({ id, metadata: { txnId } }) => [id, txnId]));
        const rows = await this.#sql.forms.read<FormRow>({ ids: [...states.keys()] });
        return new Map(rows.filter(({ object_id, txn_id }) => states.get(object_id) === txn_id).map((found) => [found.object_id, toForm(found)]));
    }
}

function toForm({ content, user_metadata, acl }: FormRow): IndexedForm {

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
        forms: build.list<never, 'ids'>((knex, _bind, list) => knex('index_forms').whereIn('object_id', list('ids')).select(...COLUMNS))
    };
}
