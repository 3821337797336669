/**
 * Rows of the objects whose payloads are modules for scripts.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';
import type { StoredElement } from '../model/stored-object.js';
import type { ElementRow } from './objects/object-rows.js';
import { ELEMENT_COLUMNS, toElement } from './objects/object-rows.js';

/** A payload of such an object. */
export interface ModuleFile {
    readonly objectId: string;
    /** As given in the object. */
    readonly directory: string;
    readonly element: StoredElement;
}

/** Directories of modules in the database. */
export class ScriptModuleStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns the step that stores the directory of an object. */
    saveStep(objectId: string, directory: string): Step {

        return this.#sql.save.step({ objectId, directory });
    }

    /** Returns the step that deletes the directory of an object. */
    removeStep(objectId: string): Step {

        return this.#sql.remove.step({ objectId });
    }

    /** Returns the names of directories by object id. */
    async directories(): Promise<Map<string, string>> {

        const rows = await this.#sql.directories.read<{ object_id: string; directory: string }>({});
        return new Map(rows.map(({ object_id, directory }) => [object_id, directory]));
    }

    /** Returns all payloads of these objects, by object id and in the order of each object. */
    async files(): Promise<ModuleFile[]> {

        const rows = await this.#sql.files.read<ElementRow & { object_id: string; directory: string }>({});
        return rows.map((found) => ({ objectId: found.object_id, directory: found.directory, element: toElement(found) }));
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        save: build<'objectId' | 'directory'>((knex, bind) => knex('script_modules')
            .insert({ object_id: bind('objectId'), directory: bind('directory') }).onConflict('object_id').merge()),
        remove: build<'objectId'>((knex, bind) => knex('script_modules').where('object_id', bind('objectId')).delete()),
        directories: build((knex) => knex('script_modules').orderBy('object_id').select('object_id', 'directory')),
        files: build((knex) => knex('script_modules as m').join('payloads as p', 'p.object_id', 'm.object_id')
            .orderBy(['m.object_id', 'p.position'])
            .select('m.object_id', 'm.directory', ...ELEMENT_COLUMNS.map((column) => `p.${column}`)))
    };
}
