/**
 * Lists the versions of an object, without their content.
 */

import type { Database } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { StoredObject } from '../model/stored-object.js';
import { SHORT_COLUMNS, toListed } from './objects/object-rows.js';
import type { ObjectRow } from './objects/object-rows.js';

/** A version in a list. */
export type VersionEntry = Pick<StoredObject, 'id' | 'type' | 'acl' | 'metadata'>;

/** Maximum number of versions in one read. */
const VERSIONS_PER_BATCH = 200;

/** Reads lists of versions. */
export class VersionStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns all versions of a tip in blocks, oldest first. The tip need not exist any more. */
    async *versionsOf(tipId: string): AsyncGenerator<VersionEntry[]> {

        let last = { publishedOn: 0, id: '' };
        for (;;) {
            const rows = await this.#sql.page.read<ObjectRow>({ tipId, ...last });
            const end = rows.at(-1);
            if (!end) {
                return;
            }

            yield rows.map(toListed);
            last = { publishedOn: end.published_on ?? 0, id: end.id };
        }
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        page: build<'tipId' | 'publishedOn' | 'id'>((knex, bind) => knex('objects').select(...SHORT_COLUMNS)
            .where('version_of', bind('tipId')).where('published_on', '>=', bind('publishedOn'))
            .where((later) => void later.where('published_on', '>', bind('publishedOn')).orWhere('id', '>', bind('id')))
            .orderBy('published_on').orderBy('id').limit(VERSIONS_PER_BATCH))
    };
}
