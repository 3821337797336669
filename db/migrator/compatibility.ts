/**
 * Which programs may use a database that a newer one has migrated: those that know the migration which the database requires. It is stored beside
 * the tables, so that also programs that know fewer migrations can tell.
 */

import type { Knex } from 'knex';
import type { Migration } from '../migration.js';

/** Name of the setting with the newest migration that a program must know. */
const REQUIRED_MIGRATION = 'schema.required';

/** Reads the setting; for connections without knex. */
export const READ_REQUIRED = `(select value from settings where name = '${REQUIRED_MIGRATION}')`;

/** Returns the name of the newest migration that a program must know to use a database with these. */
export function requiredOf(migrations: readonly Migration[]): string | null {

    return migrations.findLast(({ isCompatible }) => isCompatible !== true)?.name ?? null;
}

/** Returns the migration that a program must know; null when nothing is known of it. */
export async function readRequired(knex: Knex): Promise<string | null> {

    if (!await knex.schema.hasTable('settings')) {
        return null;
    }

    const found = await knex('settings').where({ name: REQUIRED_MIGRATION }).first<{ value: string } | undefined>('value');
    return found?.value ?? null;
}

/** Stores what is required, unless a newer program requires more. */
export async function raiseRequired(knex: Knex, migrations: readonly Migration[]): Promise<void> {

    const required = requiredOf(migrations);
    if (required !== null && await knex.schema.hasTable('settings') && (await readRequired(knex) ?? '') < required) {
        await storeRequired(knex, required);
    }
}

/** Stores what is required, also if it is less than before. */
export async function storeRequired(knex: Knex, required: string): Promise<void> {

    await knex('settings').insert({ name: REQUIRED_MIGRATION, value: required }).onConflict('name').merge();
}
