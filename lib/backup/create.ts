/**
 * Copies the embedded database as it was at one moment to the folder of a backup, beside a running server. Run it in a process of
 * its own: then the event loop of the server does no work for it. No write waits for it.
 */

import { randomBytes } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskRules } from '../../db/disk-space.js';
import { copySnapshot, NoDatabaseError, snapshotBytes } from '../../db/engines/sqlite/snapshot.js';
import { type CopyContents, SnapshotCopy } from '../../db/engines/sqlite/snapshot-copy.js';
import { DatabaseError, UnusableDatabaseError } from '../../db/errors.js';
import { serviceId } from '../doip/ids.js';
import { DEFAULT_STORE } from '../stores/blobs/element-store.js';
import { readDesign } from '../types/design.js';
import type { JsonObject } from '../util/json-types.js';
import { implementation } from '../util/version.js';
import { sync } from '../util/sync.js';
import { BackupError, mebibytes, type Observer, UNOBSERVED } from './backup-error.js';
import { checkElements, type Damages } from './check-elements.js';
import { BACKUP_FORMAT, DATABASE_FILES, describeFile, type Manifest, writeManifest } from './manifest.js';

/** Maximum length of what the draft folder has of the name. */
const MAX_NAME = 100;

/** What is copied. */
export interface BackupSource {
    readonly dataDir: string;
    /** Disk space to keep free on the disk of the repository, in bytes; default as for the service. */
    readonly minFreeBytes?: number | null | undefined;
    /** Prefix of generated ids, where the design object has none. */
    readonly prefix: string;
}

/**
 * Writes a backup to a folder that does not exist or is empty. The folder appears only when the backup is complete.
 *
 * @throws BackupError when the folder cannot be used, or there is no space or no repository
 */
export async function createBackup(folder: string, { dataDir, minFreeBytes, prefix }: BackupSource, observer = UNOBSERVED): Promise<Manifest> {

    const target = await targetOf(folder);
    await demandEmpty(folder, target);
    const source = resolve(dataDir);
    const bytes = sizeOf(source);
    const draft = join(dirname(target), `.${basename(target).slice(0, MAX_NAME)}.${randomBytes(6).toString('hex')}.part`);
    observer.onPhase('copying', bytes);         // From here on there is something to remove
    await createDraft(folder, draft);
    try {
        demandSpace(folder, { draft, source, bytes, minFreeBytes });
        const manifest = await fill(draft, { source, bytes, prefix }, observer);
        await rename(draft, target);
        await sync(dirname(target)).catch(() => {
            // A parent folder that is not readable; the files are on the disk.
        });
        return manifest;
    }
    catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw explain(folder, source, error);
    }
}

interface Source {
    readonly source: string;
    readonly bytes: number;
    readonly prefix: string;
}

async function fill(draft: string, { source, bytes, prefix }: Source, observer: Observer): Promise<Manifest> {

    const createdOn = new Date().toISOString();
    let copied = 0;
    await copySnapshot(source, draft, (done) => {

        observer.onBytes(done - copied);
        copied = done;
    });
    const { contents, damages } = await inspect(draft, source, observer);
    observer.onPhase('checksums', bytes);
    const files = [];
    for (const name of DATABASE_FILES) {
        await sync(join(draft, name));
        files.push(await describeFile(draft, name, observer));
    }

    const { objects, versions, elements, elementBytes, elementsElsewhere, highestTxnId, migrations } = contents;
    const { name, version } = implementation;
    const manifest: Manifest = {
        backup: BACKUP_FORMAT, program: { name, version }, createdOn, serviceId: serviceIdOf(contents, prefix), schema: migrations.at(-1) ?? '', highestTxnId,
        counts: { objects, versions, elements, elementBytes, elementsElsewhere, ...damages }, files
    };
    await writeManifest(draft, manifest);
    await sync(draft);
    return manifest;
}

/** Reads what a copy contains, and checks it as a verification does: it is the database that is checked, before older backups are given up. */
async function inspect(draft: string, source: string, observer: Observer): Promise<{ contents: CopyContents; damages: Damages }> {

    const copy = new SnapshotCopy(draft, DEFAULT_STORE);
    try {
        const contents = copy.contents();
        if (contents.migrations.length === 0) {
            throw new BackupError('unreadable', `${source} holds no repository: it was never started`);
        }

        const [damage] = copy.damage();
        if (damage !== undefined) {
            throw damaged(source, damage);
        }

        return { contents, damages: await checkElements(copy, observer) };
    }
    finally {
        copy.close();
    }
}

/** A backup that cannot be restored would only take the place of older ones. */
function damaged(source: string, why: string): BackupError {

    return new BackupError('damaged', `the database in ${source} is damaged, and no backup was written, so keep the older ones: ${why.replaceAll('\n', ' ')}`);
}

function serviceIdOf({ design }: CopyContents, prefix: string): string | null {

    return design === null ? null : serviceId(readDesign(JSON.parse(design) as JsonObject, prefix).prefix);
}

/** The folder appears by a rename, which neither follows symbolic links nor replaces the root of a disk. */
async function targetOf(folder: string): Promise<string> {

    const path = resolve(folder);
    const found = await lstat(path).catch(() => null);
    const target = found?.isSymbolicLink() === true ? await realpath(path).catch(() => null) : path;
    if (target === null) {
        throw new BackupError('unwritable', `${folder} is a symbolic link to nothing`);
    }

    const [own, parent] = await Promise.all([target, dirname(target)].map((each) => stat(each).catch(() => null)));
    if (own && parent && own.dev !== parent.dev) {
        throw new BackupError('unwritable', `${folder} is the root of a disk: name a new folder in it`);
    }

    return target;
}

async function demandEmpty(folder: string, target: string): Promise<void> {

    const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {

        if (error.code === 'ENOENT') {
            return [];
        }

        throw new BackupError('unwritable', error.code === 'ENOTDIR' ? `${folder} is no folder` : `${folder} cannot be used: ${error.message}`);
    });
    if (entries.length > 0) {
        throw new BackupError('unwritable', `${folder} is not empty: name a new folder for each backup`);
    }
}

async function createDraft(folder: string, draft: string): Promise<void> {

    await mkdir(draft, { mode: 0o700 }).catch((error: Error) => {

        throw new BackupError('unwritable', `${folder} cannot be written: ${error.message}`);
    });
}

/** On the disk of the repository, a backup leaves the space that the service keeps free. */
function demandSpace(
    folder: string, { draft, source, bytes, minFreeBytes }: Pick<Source, 'source' | 'bytes'> & Pick<BackupSource, 'minFreeBytes'> & { readonly draft: string }
): void {

    const { bavail, bsize } = statfsSync(draft);
    const isSameDisk = statSync(draft).dev === statSync(source).dev;
    const free = bavail * bsize - (isSameDisk ? diskRules(source, minFreeBytes).minFree : 0);
    if (free < bytes) {
        throw new BackupError('unwritable', `${folder} needs ${mebibytes(bytes)}, but its disk has only ${mebibytes(Math.max(0, free))}${isSameDisk ? ' above MIN_FREE_BYTES' : ''}`);
    }
}

function sizeOf(source: string): number {

    try {
        return snapshotBytes(source);
    }
    catch (error) {
        throw explain(source, source, error);
    }
}

/** Codes of a file that SQLite cannot make sense of. */
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

function explain(folder: string, source: string, error: unknown): unknown {

    if (error instanceof NoDatabaseError) {
        return new BackupError('unreadable', `there is no repository to back up: ${error.message}`);
    }

    if (error instanceof BackupError) {
        return error;
    }

    if (error instanceof UnusableDatabaseError && error.reason === 'damaged') {
        return damaged(source, error.message);
    }

    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DatabaseError && error.fault === 'full' || code === 'ENOSPC' || code === 'EDQUOT') {
        return new BackupError('unwritable', `the disk of ${folder} is full: no backup was written`);
    }

    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EBUSY') {
        return new BackupError('unwritable', `${folder} cannot be replaced by the backup (${code}): name a folder that does not exist`);
    }

    if (code !== undefined && DAMAGED.has(code.split('_', 2).join('_'))) {
        return damaged(source, message);
    }

    return code?.startsWith('SQLITE_') === true ? new BackupError('unreadable', `the database cannot be copied: ${message}`) : error;
}
