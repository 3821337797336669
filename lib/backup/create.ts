/**
 * Copies the embedded database as it was at one moment to the folder of a backup, beside a running server. Run it in a process of
 * its own: then the event loop of the server does no work for it. No write waits for it.
 */

import { randomBytes } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskRules } from '../../db/engines/sqlite/disk-space.js';
import { copySnapshot, NoDatabaseError, snapshotBytes } from '../../db/engines/sqlite/snapshot.js';
import { type CopyContents, SnapshotCopy } from '../../db/engines/sqlite/snapshot-copy.js';
import { DatabaseError } from '../../db/errors.js';
import { serviceId } from '../doip/ids.js';
import { DEFAULT_STORE } from '../stores/blobs/element-store.js';
import { readDesign } from '../types/design.js';
import type { JsonObject } from '../util/json-types.js';
import { implementation } from '../util/version.js';
import { BackupError, type Observer, UNOBSERVED } from './backup-error.js';
import { BACKUP_FORMAT, DATABASE_FILES, describeFile, type Manifest, sync, writeManifest } from './manifest.js';

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

    const target = resolve(folder);
    await demandEmpty(folder, target);
    const source = resolve(dataDir);
    const bytes = sizeOf(source);
    const draft = join(dirname(target), `.${basename(target).slice(0, MAX_NAME)}.${randomBytes(6).toString('hex')}.part`);
    await createDraft(folder, draft);
    try {
        demandSpace(folder, { draft, source, bytes, minFreeBytes });
        const manifest = await fill(draft, { source, bytes, prefix }, observer);
        await rename(draft, target);
        await sync(dirname(target));
        return manifest;
    }
    catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw explain(folder, error);
    }
}

interface Source {
    readonly source: string;
    readonly bytes: number;
    readonly prefix: string;
}

async function fill(draft: string, { source, bytes, prefix }: Source, observer: Observer): Promise<Manifest> {

    const createdOn = new Date().toISOString();
    observer.onPhase('copying', bytes);
    let copied = 0;
    await copySnapshot(source, draft, (done) => {

        observer.onBytes(done - copied);
        copied = done;
    });
    const { contents, incomplete } = inspect(draft);
    const lastMigration = contents.migrations.at(-1);
    if (lastMigration === undefined) {
        throw new BackupError('unreadable', `${source} holds no repository: it was never started`);
    }

    observer.onPhase('checksums', bytes);
    const files = [];
    for (const name of DATABASE_FILES) {
        await sync(join(draft, name));
        files.push(await describeFile(draft, name, observer));
    }

    const { objects, versions, elements, elementBytes, elementsElsewhere, highestTxnId } = contents;
    const { name, version } = implementation;
    const manifest: Manifest = {
        backup: BACKUP_FORMAT, program: { name, version }, createdOn, serviceId: serviceIdOf(contents, prefix), schema: lastMigration, highestTxnId,
        counts: { objects, versions, elements, elementBytes, elementsElsewhere, incompleteElements: incomplete }, files
    };
    await writeManifest(draft, manifest);
    await sync(draft);
    return manifest;
}

function inspect(draft: string): { contents: CopyContents; incomplete: number } {

    const copy = new SnapshotCopy(draft, DEFAULT_STORE);
    try {
        const contents = copy.contents();
        return { contents, incomplete: contents.migrations.length === 0 ? 0 : copy.countIncomplete() };
    }
    finally {
        copy.close();
    }
}

function serviceIdOf({ design }: CopyContents, prefix: string): string | null {

    return design === null ? null : serviceId(readDesign(JSON.parse(design) as JsonObject, prefix).prefix);
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
        throw explain(source, error);
    }
}

function explain(folder: string, error: unknown): unknown {

    if (error instanceof NoDatabaseError) {
        return new BackupError('unreadable', `there is no repository to back up: ${error.message}`);
    }

    if (error instanceof BackupError) {
        return error;
    }

    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DatabaseError && error.fault === 'full' || code === 'ENOSPC' || code === 'EDQUOT') {
        return new BackupError('unwritable', `the disk of ${folder} is full: no backup was written`);
    }

    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EBUSY') {
        return new BackupError('unwritable', `${folder} cannot be replaced by the backup (${code}): name a folder that does not exist`);
    }

    return code?.startsWith('SQLITE_') === true ? new BackupError('unreadable', `the database cannot be copied: ${message}`) : error;
}

function mebibytes(bytes: number): string {

    return `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
}
