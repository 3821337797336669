/**
 * Applies and reverts migrations, with the migration table of knex. Nodes that start at the same time are serialised.
 */

import type { Knex } from 'knex';
import type { Dialect } from '../database.js';
import { columnsOf } from '../dialect.js';
import { UnusableDatabaseError } from '../errors.js';
import type { Log } from '../log.js';
import { MIGRATIONS } from '../migrations/index.js';
import type { Migration } from '../migration.js';
import { raiseRequired, readRequired, requiredOf, storeRequired } from './compatibility.js';

/** Up to the newest migration, or down to the named one, which stays; `null` reverts all. */
export type MigrationTarget = 'newest' | { readonly downTo: string | null };

/** Options of a migration run. `migrations` is for tests. */
export interface MigrateOptions {
    readonly target?: MigrationTarget;
    readonly migrations?: readonly Migration[];
}

/** Context of a migration run. */
export interface Setting {
    readonly dialect: Dialect;
    readonly log: Log;
    /** Called before each migration. @throws Error when another node may be migrating */
    readonly check?: () => Promise<void>;
}

export const MIGRATION_TABLE = 'migrations';
/** Timeout for the lock under which migrations run, in milliseconds. */
export const LOCK_WAIT_MS = 60_000;

/** Runs under a lock that ends with its holder, so a lock in the table of knex is left from a process that died. */
export async function migrate(knex: Knex, setting: Setting, options: MigrateOptions): Promise<void> {

    const { log } = setting;
    const list = options.migrations ?? MIGRATIONS;
    const config: Knex.MigratorConfig = { migrationSource: sourceOf(list, setting), tableName: MIGRATION_TABLE, disableMigrationsListValidation: true };
    await rejectNewer(knex, list, log);
    await setting.check?.();
    await knex.migrate.forceFreeMigrationsLock(config);

    const target = options.target ?? 'newest';
    if (target === 'newest') {
        // Before the change, so that older programs stop; and after it, as the first one makes the table.
        await raiseRequired(knex, list);
        const [, names] = await knex.migrate.latest(config) as [number, string[]];
        await raiseRequired(knex, list);
        if (names.length > 0) {
            log.info({ event: 'database.migrated', migrations: names }, 'database migrated');
        }

        return;
    }

    await migrateDown(knex, config, { list, last: target.downTo, log });
}

/** The newest migration is the last one by name; knex would go by the ids of its table, which several servers of TiDB hand out in any order. */
async function migrateDown(
    knex: Knex, config: Knex.MigratorConfig, { list, last, log }: { list: readonly Migration[]; last: string | null; log: Log }
): Promise<void> {

    for (;;) {
        const done = await knex.schema.hasTable(MIGRATION_TABLE) ? await knex(MIGRATION_TABLE).select<{ name: string }[]>('name') : [];
        const newest = done.map(({ name }) => name).sort().at(-1);
        if (newest === undefined || last !== null && newest <= last) {
            const required = requiredOf(list.filter(({ name }) => done.some((each) => each.name === name)));
            if (required !== null) {
                await storeRequired(knex, required);
            }

            return;
        }

        await knex.migrate.down(config);
        log.info({ event: 'database.rolled-back', migration: newest }, 'database migration rolled back');
    }
}

/** Rejects a database that a newer program has migrated, unless this one can use it all the same. */
async function rejectNewer(knex: Knex, list: readonly Migration[], log: Log): Promise<void> {

    if (!await knex.schema.hasTable(MIGRATION_TABLE)) {
        return;
    }

    const names = new Set(list.map(({ name }) => name));
    const done = await knex(MIGRATION_TABLE).select<{ name: string }[]>('name').orderBy('id');
    const unknown = done.map(({ name }) => name).filter((name) => !names.has(name));
    if (unknown.length > 0 && names.has(await readRequired(knex) ?? '')) {
        log.info({ event: 'database.newer', migrations: unknown }, 'the database was migrated by a newer version, with which this one is compatible');
    }
    else if (unknown.length > 0) {
        throw new UnusableDatabaseError('newer', 'the database was changed by a newer version of this program: it has the migrations ' +
            `${unknown.join(', ')}, which this version does not know; start that version, or restore a backup`);
    }
}

function sourceOf(list: readonly Migration[], { dialect, check = async () => {} }: Setting): Knex.MigrationSource<Migration> {

    const columns = columnsOf(dialect);
    return {
        async getMigrations() {

            return [...list];
        },
        getMigrationName(migration) {

            return migration.name;
        },
        async getMigration(migration) {

            return {
                async up(knex) {

                    await check();
                    await migration.up({ knex, dialect, columns });
                },
                async down(knex) {

                    await check();
                    await migration.down({ knex, dialect, columns });
                }
            };
        }
    };
}

/** Returns a logger for knex, which reports warnings and errors only. */
export function knexLog(log: Log): Knex.Logger {

    const report = (message: string): void => log.warn({ event: 'database.migration-warning', knex: message }, 'migration');
    return { warn: report, error: report, deprecate() {}, debug() {} };
}
