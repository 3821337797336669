/**
 * Rows of references between objects, kept in the unit of the referring object.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** A reference from one place in the content of an object to another object. */
export interface StoredReference {
    /** JSON pointer of the referring value. */
    readonly pointer: string;
    readonly toId: string;
}

/** References in the database. */
export class ReferenceStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Steps that replace all references of an object; an empty list removes them. */
    replaceSteps(fromId: string, references: readonly StoredReference[], isNew: boolean): Step[] {

        const inserts = references.map(({ pointer, toId }, n) => this.#sql.insert.step({ fromId, n, pointer, toId }));
        return isNew ? inserts : [this.#sql.delete.step({ fromId }), ...inserts];
    }

    /** Steps that give a new object the references of another one. */
    copySteps(fromId: string, newId: string): Step[] {

        return [this.#sql.copy.step({ fromId, newId })];
    }
}

function buildStatements(db: Database) {

    const build = statements(db.dialect);
    return {
        insert: build<'fromId' | 'n' | 'pointer' | 'toId'>((knex, bind) => knex('object_refs')
            .insert({ from_id: bind('fromId'), n: bind('n'), pointer: bind('pointer'), to_id: bind('toId') })),
        copy: build<'fromId' | 'newId'>((knex, bind) => knex.raw(
            'insert into object_refs (from_id, n, pointer, to_id) select ?, n, pointer, to_id from object_refs where from_id = ?',
            [bind('newId'), bind('fromId')]
        )),
        delete: build<'fromId'>((knex, bind) => knex('object_refs').where('from_id', bind('fromId')).delete())
    };
}
