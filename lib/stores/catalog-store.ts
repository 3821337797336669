/**
 * Rows that the catalog of types keeps: unique type names and the epoch that tells every node when types have changed.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** Type names and the epoch of types. */
export class CatalogStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Steps that make a name belong to a Schema object; the unit fails with `taken` when another object has it. */
    claimSteps(name: string, schemaId: string, taken: string): Step[] {

        return [this.#sql.claim.step({ name, schemaId }, { duplicate: taken })];
    }

    /** Steps that free the name of a Schema object. */
    releaseSteps(schemaId: string): Step[] {

        return [this.#sql.release.step({ schemaId })];
    }

    /** The step that makes every node look at types and design again. */
    bumpStep(): Step {

        return this.#sql.bump.step({});
    }
}

function buildStatements(db: Database) {

    const build = statements(db.dialect);
    return {
        claim: build<'name' | 'schemaId'>((knex, bind) => knex('type_names')
            .insert({ name: bind('name'), schema_id: bind('schemaId') })),
        release: build<'schemaId'>((knex, bind) => knex('type_names').where('schema_id', bind('schemaId')).delete()),
        bump: build((knex) => knex('epochs').where('id', 1).update({ types: knex.raw('types + 1') }))
    };
}
