/**
 * Rows of references between objects, written in the unit of the referring object, and read in both directions.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { StoredObject } from '../model/stored-object.js';
import { aclColumns, LongAcls, type AclRow } from './objects/long-acls.js';
import { SHORT_COLUMNS, toListed, type ListedRow } from './objects/object-rows.js';

/** A reference from the content of an object to another object. */
export interface StoredReference {
    /** JSON pointer of the referring value. */
    readonly pointer: string;
    readonly toId: string;
}

/** A reference to an object, with what access to the referring object depends on. */
export interface Referrer {
    /** JSON pointer of the referring value. */
    readonly pointer: string;
    readonly from: Pick<StoredObject, 'id' | 'type' | 'acl' | 'metadata'>;
}

type ReferrerRow = ListedRow & AclRow & { readonly pointer: string; readonly n: number };

/** Maximum number of references in one read, which blocks the event loop on SQLite. */
const REFERENCES_PER_BATCH = 200;

/** References in the database. */
export class ReferenceStore {

    readonly #sql: ReturnType<typeof buildStatements>;
    readonly #acls: LongAcls;

    constructor(db: Database) {

        this.#acls = new LongAcls(db);
        this.#sql = buildStatements(db);
    }

    /** Returns the steps that replace all references of an object; an empty list deletes them. */
    replaceSteps(fromId: string, references: readonly StoredReference[], isNew: boolean): Step[] {

        const inserts = references.map(({ pointer, toId }, n) => this.#sql.insert.step({ fromId, n, pointer, toId }));
        return isNew ? inserts : [this.#sql.delete.step({ fromId }), ...inserts];
    }

    /** Returns the steps that copy the references of an object to a new one. */
    copySteps(fromId: string, newId: string): Step[] {

        return [this.#sql.copy.step({ fromId, newId })];
    }

    /** Returns the references of an object in blocks, in the order of its content. */
    async *outbound(fromId: string): AsyncGenerator<StoredReference[]> {

        for (let after = -1; ;) {
            const rows = await this.#sql.outbound.read<{ n: number; pointer: string; to_id: string }>({ fromId, after });
            const last = rows.at(-1);
            if (!last) {
                return;
            }

            yield rows.map(({ pointer, to_id }) => ({ pointer, toId: to_id }));
            after = last.n;
        }
    }

    /** Returns the references to an object in blocks, by the ids of the referring objects, versions included. */
    async *inbound(toId: string): AsyncGenerator<Referrer[]> {

        for (let after = { fromId: '', n: -1 }; ;) {
            const rows = await this.#sql.inbound.read<ReferrerRow>({ toId, ...after });
            const last = rows.at(-1);
            if (!last) {
                return;
            }

            for await (const block of this.#acls.blocks(rows)) {
                yield referrersOf(block);
            }

            after = { fromId: last.id, n: last.n };
        }
    }
}

/** Returns the references of rows; adjacent ones from an object share what is known of it. */
function referrersOf(rows: readonly ReferrerRow[]): Referrer[] {

    let from: Referrer['from'] | undefined;
    return rows.map((found) => {

        from = from?.id === found.id ? from : toListed(found);
        return { pointer: found.pointer, from };
    });
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        insert: build<'fromId' | 'n' | 'pointer' | 'toId'>((knex, bind) => knex('object_refs')
            .insert({ from_id: bind('fromId'), n: bind('n'), pointer: bind('pointer'), to_id: bind('toId') })),
        copy: build<'fromId' | 'newId'>((knex, bind) => knex.raw(
            'insert into object_refs (from_id, n, pointer, to_id) select ?, n, pointer, to_id from object_refs where from_id = ?',
            [bind('newId'), bind('fromId')]
        )),
        outbound: build<'fromId' | 'after'>((knex, bind) => knex('object_refs').select('n', 'pointer', 'to_id')
            .where('from_id', bind('fromId')).where('n', '>', bind('after')).orderBy('n').limit(REFERENCES_PER_BATCH)),
        inbound: build<'toId' | 'fromId' | 'n'>((knex, bind) => knex('object_refs as r').join('objects as o', 'o.id', 'r.from_id')
            .select('r.n', 'r.pointer', ...SHORT_COLUMNS.map((column) => `o.${column}`), ...aclColumns(knex, 'o'))
            .where('r.to_id', bind('toId')).where('r.from_id', '>=', bind('fromId'))
            .where((later) => void later.where('r.from_id', '>', bind('fromId')).orWhere('r.n', '>', bind('n')))
            .orderBy('r.from_id').orderBy('r.n').limit(REFERENCES_PER_BATCH)),
        delete: build<'fromId'>((knex, bind) => knex('object_refs').where('from_id', bind('fromId')).delete())
    };
}
