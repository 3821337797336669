/**
 * Rows of the catalog of types: unique type names, the access rules of those that are gone, the epoch that changes with the types, and the epoch at
 * which each of them changed.
 */

import type { Database, Step } from '../../db/database.js';
import type { JsonObject } from '../util/json-types.js';
import { statements } from '../../db/statements.js';

/** Failure tag of a unit computed from other types, or other script modules, than the stored ones. */
export const CATALOG_CHANGED = 'types:changed';

/** Maximum number of changed types that are listed. */
const MAX_CHANGES = 200;

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

    /** Returns the steps that keep the access rules of a type whose name is freed: for its objects, which stay. */
    keepRulesSteps(name: string, rules: JsonObject): Step[] {

        return [this.#sql.keepRules.step({ name, rules: JSON.stringify(rules) })];
    }

    /** Returns the steps that forget the rules of former types of this name. */
    forgetRulesSteps(name: string): Step[] {

        return [this.#sql.forgetRules.step({ name })];
    }

    /** Returns the access rules of types that are gone, also of those that there are again: name → entry. */
    async formerRules(): Promise<ReadonlyMap<string, JsonObject>> {

        const rows = await this.#sql.formerRules.read<{ name: string; rules: string }>({});
        return new Map(rows.map(({ name, rules }) => [name, JSON.parse(rules) as JsonObject]));
    }

    /** Returns the step that invalidates what the nodes have cached of types and design. */
    bumpStep(): Step {

        return this.#sql.bump.step({});
    }

    /** Returns the step that does the same; the unit fails with {@link CATALOG_CHANGED} when the epoch of types is another one. */
    bumpFromStep(epoch: number): Step {

        return this.#sql.bumpFrom.step({ epoch }, { expect: { rows: 1, otherwise: CATALOG_CHANGED } });
    }

    /** Returns the steps that invalidate it for a Schema object that changes. */
    changeSteps(schemaId: string): Step[] {

        // The first step locks the row of the epochs, so that the second reads the epoch of this unit, or of one in the same transaction.
        return [this.bumpStep(), this.#sql.change.step({ schemaId })];
    }

    /**
     * Returns the ids of the Schema objects that have changed since one epoch, if they are all that has changed until another; null if they are
     * too many to be listed, or something else has changed, perhaps by a node of an earlier version, which lists no changes.
     */
    async changedBetween(since: number, until: number): Promise<string[] | null> {

        const rows = await this.#sql.changed.read<{ schema_id: string; epoch: number }>({ epoch: since });
        const counted = rows.filter(({ epoch }) => epoch <= until).length;
        return rows.length > MAX_CHANGES || counted < until - since ? null : rows.map(({ schema_id }) => schema_id);
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        claim: build<'name' | 'schemaId'>((knex, bind) => knex('type_names')
            .insert({ name: bind('name'), schema_id: bind('schemaId') })),
        release: build<'schemaId'>((knex, bind) => knex('type_names').where('schema_id', bind('schemaId')).delete()),
        keepRules: build<'name' | 'rules'>((knex, bind) => knex('former_rules')
            .insert({ name: bind('name'), rules: bind('rules') }).onConflict('name').merge()),
        forgetRules: build<'name'>((knex, bind) => knex('former_rules').where('name', bind('name')).delete()),
        formerRules: build((knex) => knex('former_rules').select('name', 'rules')),
        bump: build((knex) => knex('epochs').where('id', 1).update({ types: knex.raw('types + 1') })),
        bumpFrom: build<'epoch'>((knex, bind) => knex('epochs').where('id', 1).where('types', bind('epoch')).update({ types: knex.raw('types + 1') })),
        change: build<'schemaId'>((knex, bind) => knex('type_changes')
            .insert({ schema_id: bind('schemaId'), epoch: knex('epochs').where('id', 1).select('types') }).onConflict('schema_id').merge()),
        changed: build<'epoch'>((knex, bind) => knex('type_changes').where('epoch', '>', bind('epoch'))
            .orderBy(['epoch', 'schema_id']).limit(MAX_CHANGES + 1).select('schema_id', 'epoch'))
    };
}
