/**
 * Makes a data folder of a backup, in a folder without data. The files are copied into a folder beside their final names and moved at the
 * end. While that folder is there, no server starts.
 */

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, realpath, rename, rm, rmdir, statfs } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { claimDataDir } from '../app/data-dir.js';
import { RESTORE_DRAFTS } from '../app/unfinished-restore.js';
import { makeFolder } from '../util/make-folder.js';
import { sync } from '../util/sync.js';
import { BackupError, invalid, mebibytes, type Observer, UNOBSERVED } from './backup-error.js';
import { type BackupFile, bytesOf, DATABASE_FILES, type Manifest } from './manifest.js';
import { verifyBackup } from './verify.js';

/** Entries of a folder without data: the lock, and what file systems put into their root. */
const NO_DATA: ReadonlySet<string> = new Set(['gateway.lock', 'lost+found', RESTORE_DRAFTS]);

/**
 * Verifies a backup and restores it to a folder that does not exist or has no data.
 *
 * @throws BackupError when the backup is not valid, the folder contains anything or is in the backup, or its disk has too little space
 * @throws DataDirError when a process uses the folder
 */
export async function restoreBackup(folder: string, target: string, observer = UNOBSERVED): Promise<Manifest> {

    const path = resolve(target);
    await demandOutside(target, path, folder);
    await demandNoData(target, path);
    const manifest = await verifyBackup(folder, observer);
    const isNew = makeTarget(target, path);
    const claim = claimDataDir(path, { isRestoring: true });
    try {
        await demandNoData(target, path);
        await demandSpace(target, path, bytesOf(manifest));
        observer.onPhase('restoring', bytesOf(manifest));
        await fill(folder, manifest, { path, observer }).catch(async (error: unknown) => {

            // The folder that marks it stays: a server that started here now would begin an empty repository.
            await clearFiles(path);
            throw explain(target, error);
        });
        return manifest;
    }
    finally {
        // While it is locked: another process may begin a repository in it afterwards.
        await removeEmpty(path, isNew).finally(() => claim.release());
    }
}

/** A backup with a repository inside would be removed with it, or the other way round. */
async function demandOutside(target: string, path: string, folder: string): Promise<void> {

    const [inside, outside] = [await realFolder(path), await realFolder(resolve(folder))];
    if (`${inside}${sep}`.startsWith(`${outside}${sep}`)) {
        throw new BackupError('unwritable', `${target} is in the backup ${folder}: restore to a folder outside of it with --to`);
    }
}

/** Returns the path of a folder without symbolic links, whether it exists or not. */
async function realFolder(path: string): Promise<string> {

    try {
        return await realpath(path);
    }
    catch {
        const parent = dirname(path);
        return parent === path ? path : join(await realFolder(parent), basename(path));
    }
}

/** Returns whether it was missing. */
function makeTarget(target: string, path: string): boolean {

    try {
        return makeFolder(path, 0o700);
    }
    catch (error) {
        throw new BackupError('unwritable', `${target} cannot be written: ${(error as Error).message}`);
    }
}

async function demandNoData(target: string, path: string): Promise<void> {

    const entries = await readdir(path).catch((error: NodeJS.ErrnoException): string[] => {

        if (error.code === 'ENOENT') {
            return [];
        }

        throw new BackupError('unwritable', error.code === 'ENOTDIR' ? `${target} is no folder` : `${target} cannot be used: ${error.message}`);
    });
    // Of an interrupted restore, one file may have its final name already.
    const isLeftover = (name: string): boolean => entries.includes(RESTORE_DRAFTS) && name === DATABASE_FILES[0];
    const found = entries.find((name) => !NO_DATA.has(name) && !isLeftover(name));
    if (found !== undefined) {
        throw new BackupError('unwritable', `${target} is not empty, it has ${found}: restore to a new folder with --to, or move it away`);
    }
}

async function demandSpace(target: string, path: string, bytes: number): Promise<void> {

    const { bavail, bsize } = await statfs(path);
    if (bavail * bsize < bytes) {
        throw new BackupError('unwritable', `${target} needs ${mebibytes(bytes)}, but its disk has only ${mebibytes(bavail * bsize)}`);
    }
}

interface Drafts {
    readonly drafts: string;
    readonly observer: Observer;
}

async function fill(folder: string, { files }: Manifest, { path, observer }: { readonly path: string; readonly observer: Observer }): Promise<void> {

    const drafts = join(path, RESTORE_DRAFTS);
    makeFolder(drafts, 0o700);
    await clearFiles(path);
    for (const file of files) {
        await copy(folder, file, { drafts, observer });
    }

    for (const name of DATABASE_FILES) {
        await rename(join(drafts, name), join(path, name));
    }

    await sync(path);
    await rmdir(drafts);
    await sync(dirname(path)).catch(() => {
        // A parent folder that is not readable; the files are on the disk.
    });
}

/** Removes what was written. */
async function clearFiles(path: string): Promise<void> {

    for (const name of DATABASE_FILES) {
        await rm(join(path, name), { force: true });
        await rm(join(path, RESTORE_DRAFTS, name), { force: true });
    }
}

/** Copies a file, and compares what it has read with the checksum again. */
async function copy(folder: string, { name, sha256 }: BackupFile, { drafts, observer }: Drafts): Promise<void> {

    const hash = createHash('sha256');
    const target = join(drafts, name);
    await pipeline(createReadStream(join(folder, name)), async function *(body: AsyncIterable<Buffer>) {

        for await (const chunk of body) {
            hash.update(chunk);
            observer.onBytes(chunk.byteLength);
            yield chunk;
        }
    }, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    if (hash.digest('hex') !== sha256) {
        throw invalid(folder, `${name} was changed`);
    }

    await sync(target);
}

/** After an error before anything was copied, a folder that did not exist before is removed. */
async function removeEmpty(path: string, isNew: boolean): Promise<void> {

    if (isNew && (await readdir(path)).every((name) => name === 'gateway.lock')) {
        await rm(path, { recursive: true });
    }
}

function explain(target: string, error: unknown): unknown {

    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOSPC' || code === 'EDQUOT' ? new BackupError('unwritable', `the disk of ${target} is full: nothing was restored`) : error;
}
