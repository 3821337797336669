/**
 * Copy of the rows before they are migrated: the way back to the version before. It is SQL, which the command line of the server reads. Bytes of
 * payloads are not copied: migrations do not change them, and later ones are not referred to by the copy.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { type DiskRules, diskRules, freeBytes } from '../../disk-space.js';
import type { Log } from '../../log.js';
import { lastBeforeMigration, SKIPPED_BLOBS } from '../../migrator/copy.js';
import { MIGRATION_TABLE } from '../../migrator/migrate.js';
import { dumpDatabase } from './dump.js';
import type { Engine } from './server.js';
import type { MysqlAddress } from './url.js';

/** Table with the bytes of payloads. */
const BYTES_TABLE = 'blob_chunks';

/** Bytes of the dump after which the free disk space is checked again. */
const CHECK_BYTES = 16 * 1024 * 1024;

/** Milliseconds between reports of the progress. */
const REPORT_MS = 10_000;

/** Milliseconds for which a copy may be current. */
const CURRENT_MS = 60 * 60 * 1000;

/** Maximum number of copies before the same migration. */
const MAX_COPIES = 5;

const ENDING = '.sql.gz';

/** An incomplete copy before any migration. */
const DRAFT = /^rows\..*\.sql\.gz\.part$/;

/** Where the copy is made. */
export interface CopyFolder {
    readonly path: string;
    /** Bytes of its disk to keep free; default as for SQLite. */
    readonly minFree?: number | null | undefined;
}

interface CopyOptions {
    readonly engine: Engine;
    readonly folder: CopyFolder;
    /** Names of the migrations that this version knows. */
    readonly known: readonly string[];
    readonly log: Log;
}

/**
 * Copies a database with pending migrations to `rows.LAST-MIGRATION.TIME.sql.gz`. None is made while there is one of the last hour and nothing was
 * written since, as after a failed attempt. Copies are never replaced: a failed attempt may have changed tables. Of many, the first and the newest
 * stay. A copy that cannot be made is reported, and does not prevent the migration.
 */
export async function copyBeforeMigration(connection: Connection, address: MysqlAddress, { engine, folder, known, log }: CopyOptions): Promise<void> {

    const last = lastBeforeMigration(await migrationsDone(connection), known);
    if (last === null) {
        return;
    }

    const beginning = `rows.${last}.`;
    const file = `${beginning}${new Date().toISOString().replaceAll(/[-:.]/g, '')}${ENDING}`;
    const target = join(folder.path, file);
    const draft = `${target}.part`;
    try {
        await mkdir(folder.path, { recursive: true, mode: 0o700 });
        const frame = await frameOf(connection, last);
        const names = await readdir(folder.path);
        await Promise.all(names.filter((name) => DRAFT.test(name)).map((name) => rm(join(folder.path, name), { force: true })));
        const copies = names.filter((name) => name.startsWith(beginning) && name.endsWith(ENDING)).sort();
        if (await isCurrent(copies.at(-1), folder.path, frame)) {
            return;
        }

        const bytes = await writeCopy({ path: draft, rules: diskRules(folder.path, folder.minFree) }, dumpDatabase(address, { engine, omitted: [BYTES_TABLE] }), { frame, log });
        await rename(draft, target);
        await Promise.all(copies.slice(1, -(MAX_COPIES - 2)).map((name) => rm(join(folder.path, name), { force: true })));
        log.info({ event: 'database.copied', file, bytes }, 'database copied before its migration');
    }
    catch (error) {
        await rm(draft, { force: true });
        log.warn({ event: 'database.copy-skipped', err: error }, 'database not copied before its migration');
    }
}

/** Returns whether a copy is of the last hour, and nothing was written since as far as can be told. */
async function isCurrent(name: string | undefined, folder: string, { first }: Frame): Promise<boolean> {

    const path = join(folder, name ?? '');
    return name !== undefined && Date.now() - (await stat(path)).mtimeMs < CURRENT_MS && await firstLine(path) === first;
}

/** Names of the migrations that were made; none for a new database. */
async function migrationsDone(connection: Connection): Promise<string[]> {

    const [tables] = await connection.query<RowDataPacket[]>('show tables like ?', [MIGRATION_TABLE]);
    if (tables.length === 0) {
        return [];
    }

    const [rows] = await connection.query<RowDataPacket[]>(`select name from ${MIGRATION_TABLE} order by name`);
    return rows.map(({ name }) => name as string);
}

/** Lines before and after the dump. The first one changes with whatever is written. */
interface Frame {
    readonly first: string;
    readonly end: string;
}

async function frameOf(connection: Connection, last: string): Promise<Frame> {

    const query = 'select count(*) as objects, coalesce(max(txn_id), 0) as txn, (select coalesce(max(id), 0) from blobs) as last_blob from objects';
    const [[row]] = await connection.query<RowDataPacket[]>(query);
    const { objects, txn, last_blob: blob } = row as Record<'objects' | 'txn' | 'last_blob', number>;
    return {
        first: `-- rows of ${last}: ${objects} objects, last transaction ${txn}, last blob ${blob}`,
        end: `alter table blobs auto_increment = ${Number(blob) + SKIPPED_BLOBS};\n`
    };
}

/** Returns the first line of a compressed file; nothing if it is damaged. */
async function firstLine(path: string): Promise<string | undefined> {

    const unzipped = createGunzip();
    // Also errors of the file are thrown where it is read.
    pipeline(createReadStream(path), unzipped).catch(() => undefined);
    try {
        for await (const line of createInterface(unzipped)) {
            return line;
        }
    }
    catch {
        // It is replaced.
    }
    finally {
        unzipped.destroy();
    }

    return undefined;
}

/** Writes a copy, compressed; returns its bytes before compression. */
async function writeCopy(
    { path, rules }: { readonly path: string; readonly rules: DiskRules }, dump: AsyncIterable<Buffer>, { frame, log }: { readonly frame: Frame; readonly log: Log }
): Promise<number> {

    let bytes = 0;
    const report = setInterval(() => log.info({ event: 'database.copying', bytes }, 'copying the database before its migration'), REPORT_MS);
    const content = async function *(): AsyncGenerator<Buffer | string, void, undefined> {

        checkSpace(rules);
        yield `${frame.first}\n`;
        for await (const chunk of dump) {
            const checked = Math.floor(bytes / CHECK_BYTES);
            bytes += chunk.length;
            if (Math.floor(bytes / CHECK_BYTES) > checked) {
                checkSpace(rules);
            }

            yield chunk;
        }

        yield frame.end;
    };

    try {
        await pipeline(content, createGzip({ level: 1 }), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
        return bytes;
    }
    finally {
        clearInterval(report);
    }
}

function checkSpace(rules: DiskRules): void {

    if (freeBytes(rules) < rules.minFree) {
        throw new Error('the disk of DATA_DIR has no space for the copy above MIN_FREE_BYTES');
    }
}
