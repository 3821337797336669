/**
 * Rows of the catalog of types: unique type names, and the epoch that changes with the types.
 */

import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** Type names and the epoch of types. */
export class CatalogStore {

    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#sql = buildStatements(db);
    }

    /** Returns the steps that assign a name to a Schema object; the unit fails with `conflict` when another object has it. */
    claimSteps(name: string, schemaId: string, conflict: string): Step[] {

        return [this.#sql.claim.step({ name, schemaId }, { duplicate: conflict })];
    }

    /** Returns the steps that free the name of a Schema object. */
    releaseSteps(schemaId: string): Step[] {

        return [this.#sql.release.step({ schemaId })];
    }

    /** Returns the step that invalidates what the nodes have cached of types and design. */
    bumpStep(): Step {

        return this.#sql.bump.step({});
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        claim: build<'name' | 'schemaId'>((knex, bind) => knex('type_names')
            .insert({ name: bind('name'), schema_id: bind('schemaId') })),
        release: build<'schemaId'>((knex, bind) => knex('type_names').where('schema_id', bind('schemaId')).delete()),
        bump: build((knex) => knex('epochs').where('id', 1).update({ types: knex.raw('types + 1') }))
    };
}
