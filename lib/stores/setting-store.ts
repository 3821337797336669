/**
 * Named settings of the service, such as the record of the administrator's password. Not part of any object.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Step } from '../../db/database.js';
import { statements } from '../../db/statements.js';

/** Setting that exists while an upload of all objects runs on any node. Writing or deleting it must increment the epoch of types. */
export const UPLOAD_SETTING = 'upload.running';

/** Attempts to change a setting while other nodes do so, and the longest pause before the next one in ms. */
const ATTEMPTS = 50;
const PAUSE_MS = 50;

const CHANGED = 'setting:changed';

/** Settings in the database. */
export class SettingStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Returns the value of a setting, or null. */
    async get(name: string): Promise<string | null> {

        const found = await this.#sql.get.first<{ value: string }>({ name });
        return found?.value ?? null;
    }

    /** Changes the value of a setting, whatever other nodes do to it meanwhile: `change` may be called several times. @throws Error when there is none */
    async change(name: string, change: (value: string) => string): Promise<void> {

        for (let i = 0; i < ATTEMPTS; ++i) {
            const from = await this.get(name);
            if (from === null) {
                break;
            }

            const result = await this.#db.commit({ steps: this.replaceSteps(name, { from, to: change(from) }, CHANGED), essential: true });
            if (result.ok) {
                return;
            }

            await sleep(Math.random() * PAUSE_MS);
        }

        throw new Error(`the setting ${name} could not be changed`);
    }

    /** Returns the steps that set a value. */
    setSteps(name: string, value: string): Step[] {

        return [this.#sql.set.step({ name, value })];
    }

    /** Returns the steps that replace a value; the unit fails with `conflict` when there is another one. */
    replaceSteps(name: string, { from, to }: { readonly from: string; readonly to: string }, conflict: string): Step[] {

        return [this.#sql.replace.step({ name, from, to }, { expect: { rows: 1, otherwise: conflict } })];
    }

    /** Returns the steps that delete a setting with this value. */
    removeSteps(name: string, value: string): Step[] {

        return [this.#sql.remove.step({ name, value })];
    }

    /** Returns the steps that set a value once; the unit fails with `conflict` when there is one. */
    insertSteps(name: string, value: string, conflict: string): Step[] {

        return [this.#sql.insert.step({ name, value }, { duplicate: conflict })];
    }
}

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        get: build<'name'>((knex, bind) => knex('settings').where('name', bind('name')).select('value')),
        set: build<'name' | 'value'>((knex, bind) => knex('settings')
            .insert({ name: bind('name'), value: bind('value') }).onConflict('name').merge()),
        replace: build<'name' | 'from' | 'to'>((knex, bind) => knex('settings')
            .where({ name: bind('name'), value: bind('from') }).update({ value: bind('to') })),
        remove: build<'name' | 'value'>((knex, bind) => knex('settings').where({ name: bind('name'), value: bind('value') }).delete()),
        insert: build<'name' | 'value'>((knex, bind) => knex('settings').insert({ name: bind('name'), value: bind('value') }))
    };
}
