/**
 * Lists the versions of an object, without their content.
 */

import type { Database } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { Acl } from '../doip/digital-object.js';
import type { StoredObject } from '../model/stored-object.js';
import { OBJECT_COLUMNS, toMetadata } from './objects/object-rows.js';
import type { ObjectRow } from './objects/object-rows.js';

/** A version in a list. */
export type VersionEntry = Pick<StoredObject, 'id' | 'type' | 'acl' | 'metadata'>;

/** Maximum number of versions in one read. */
const VERSIONS_PER_BATCH = 200;

/** Columns of a version, without those that can be long. */
const COLUMNS = OBJECT_COLUMNS.filter((column) => !['content', 'user_metadata', 'hashes'].includes(column));

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

            yield rows.map(toEntry);
            last = { publishedOn: end.published_on ?? 0, id: end.id };
        }
    }
}

function toEntry(found: ObjectRow): VersionEntry {

    const { id, type, acl } = found;
    return { id, type, acl: acl === null ? null : JSON.parse(acl) as Acl, metadata: toMetadata({ ...found, hashes: null }) };
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        page: build<'tipId' | 'publishedOn' | 'id'>((knex, bind) => knex('objects').select(...COLUMNS)
            .where('version_of', bind('tipId')).where('published_on', '>=', bind('publishedOn'))
            .where((later) => void later.where('published_on', '>', bind('publishedOn')).orWhere('id', '>', bind('id')))
            .orderBy('published_on').orderBy('id').limit(VERSIONS_PER_BATCH))
    };
}
