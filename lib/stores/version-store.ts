/**
 * Lists the versions of an object, without their content.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { StoredObject } from '../model/stored-object.js';
import { aclColumns, LongAcls, type AclRow } from './objects/long-acls.js';
import { SHORT_COLUMNS, toListed, type ListedRow } from './objects/object-rows.js';

/** A version in a list. */
export type VersionEntry = Pick<StoredObject, 'id' | 'type' | 'acl' | 'metadata'>;

/** Maximum number of versions in one read. */
const VERSIONS_PER_BATCH = 200;

/** Reads lists of versions. */
export class VersionStore {

    readonly #sql: ReturnType<typeof buildStatements>;
    readonly #acls: LongAcls;

    constructor(db: Database) {

        this.#acls = new LongAcls(db);
        this.#sql = buildStatements(db);
    }

    /** Returns all versions of a tip in blocks, oldest first. The tip need not exist any more. */
    async *versionsOf(tipId: string): AsyncGenerator<VersionEntry[]> {

        let last = { publishedOn: 0, id: '' };
        for (;;) {
            const rows = await this.#sql.page.read<ListedRow & AclRow>({ tipId, ...last });
            const end = rows.at(-1);
            if (!end) {
                return;
            }

            for await (const block of this.#acls.blocks(rows)) {
                yield block.map(toListed);
            }

            last = { publishedOn: end.published_on ?? 0, id: end.id };
            await nextTurn();       // SQLite reads at once
        }
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        page: build<'tipId' | 'publishedOn' | 'id'>((knex, bind) => knex('objects').select(...SHORT_COLUMNS, ...aclColumns(knex, 'objects'))
            .where('version_of', bind('tipId')).where('published_on', '>=', bind('publishedOn'))
            .where((later) => void later.where('published_on', '>', bind('publishedOn')).orWhere('id', '>', bind('id')))
            .orderBy('published_on').orderBy('id').limit(VERSIONS_PER_BATCH))
    };
}
