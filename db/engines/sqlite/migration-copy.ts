/**
 * Copy of the file with the rows before it is migrated: the way back to the version before. Bytes of payloads are not copied: migrations
 * do not change them, and later ones are not referred to by the copy.
 */

import { readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Sqlite from 'better-sqlite3';
import type { Log } from '../../log.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { lastBeforeMigration, SKIPPED_BLOBS } from '../../migrator/copy.js';
import { MIGRATION_TABLE, type MigrateOptions } from '../../migrator/migrate.js';
import { type DiskRules, diskRules, freeBytes } from '../../disk-space.js';
import type { SqliteFile } from './file.js';
import { copyDatabaseFile } from './snapshot.js';

/** An incomplete copy, and files of SQLite beside it. */
const DRAFT = /\.part(?:-wal|-shm|-journal)?$/;

const LAST_CHANGE = 'select count(*) as objects, max(txn_id) as txn_id from objects';

interface CopyOptions extends Pick<MigrateOptions, 'migrations'> {
    readonly disk?: DiskRules | undefined;
    readonly log: Log;
}

/**
 * Copies a file with pending migrations to `NAME.LAST-MIGRATION` beside it, unless the disk lacks the space. An earlier copy is kept if the
 * file did not change since, as after a failed attempt; otherwise it is replaced.
 *
 * @returns a function to be called after the migration, which alone has written since
 */
export async function copyBeforeMigration(file: SqliteFile, { migrations = MIGRATIONS, disk, log }: CopyOptions): Promise<() => void> {

    const last = lastMigration(file, migrations.map(({ name }) => name));
    if (last === null) {
        return () => {};
    }

    removeDrafts(file);
    const target = `${file.path}.${last}`;
    // Also an attempt that fails writes to the file, but changes nothing in it.
    return isCurrent(target, file) || await copyTo(target, file, { disk, log }) ? () => stamp(target, file) : () => {};
}

/** Returns whether the copy was made. */
async function copyTo(target: string, file: SqliteFile, { disk, log }: Pick<CopyOptions, 'disk' | 'log'>): Promise<boolean> {

    const rules = disk ?? diskRules(dirname(file.path));
    const bytes = statSync(file.path).size + (statSync(`${file.path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    const free = Math.max(0, freeBytes(rules) - rules.minFree);
    const draft = `${target}.part`;
    try {
        if (free < bytes) {
            throw new Error(`the copy needs ${bytes} bytes, ${free} are free above MIN_FREE_BYTES`);
        }

        await copyDatabaseFile(file.path, draft);
        skipBlobs(draft);
        renameSync(draft, target);
        log.info({ event: 'database.copied', file: basename(target), bytes }, 'database copied before its migration');
        return true;
    }
    catch (error) {
        rmSync(draft, { force: true });
        log.warn({ event: 'database.copy-skipped', err: error }, 'database not copied before its migration');
        return false;
    }
}

/** Removes what killed processes have left, before whichever migration: free space is measured afterwards. */
function removeDrafts({ path }: SqliteFile): void {

    const [folder, beginning] = [dirname(path), `${basename(path)}.`];
    for (const name of readdirSync(folder)) {
        if (name.startsWith(beginning) && DRAFT.test(name)) {
            rmSync(join(folder, name), { force: true });
        }
    }
}

/** Makes a copy as recent as the file. */
function stamp(copy: string, file: SqliteFile): void {

    const time = new Date(Math.floor(writtenMs(file)) + 1);
    utimesSync(copy, time, time);
}

/** Returns whether a copy is at least as recent as the file, and has the same last change: the clock may have been set back since. */
function isCurrent(copy: string, file: SqliteFile): boolean {

    const made = statSync(copy, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && writtenMs(file) <= made && isDeepStrictEqual(lastChange(copy), lastChange(file.path));
}

/** Returns what differs where an object was stored or deleted; null where it cannot be read. */
function lastChange(path: string): unknown {

    const db = new Sqlite(path);
    try {
        return db.prepare(LAST_CHANGE).get();
    }
    catch {
        return null;
    }
    finally {
        db.close();
    }
}

/** Time of the last change of a file and its log (epoch ms). */
function writtenMs({ path }: SqliteFile): number {

    const found = [path, `${path}-wal`].map((each) => statSync(each, { throwIfNoEntry: false }));
    return Math.max(...found.map((each) => (each && each.size > 0 ? each.mtimeMs : 0)));
}

/** Returns the last migration of a file with pending ones; otherwise null. */
function lastMigration(file: SqliteFile, known: readonly string[]): string | null {

    const db = new Sqlite(file.path);
    try {
        if (!db.prepare('select 1 from sqlite_schema where name = ?').get(MIGRATION_TABLE)) {
            return null;
        }

        return lastBeforeMigration(db.prepare(`select name from ${MIGRATION_TABLE} order by id`).pluck().all() as string[], known);
    }
    finally {
        db.close();
    }
}

function skipBlobs(path: string): void {

    const db = new Sqlite(path);
    try {
        if (db.prepare('select 1 from sqlite_schema where name = \'blobs\'').get()) {
            const { changes } = db.prepare('update sqlite_sequence set seq = seq + ? where name = \'blobs\'').run(SKIPPED_BLOBS);
            if (changes === 0) {
                db.prepare('insert into sqlite_sequence (name, seq) values (\'blobs\', ?)').run(SKIPPED_BLOBS);     // No blob was ever stored
            }
        }
    }
    finally {
        db.close();
    }
}
