/**
 * Makes a data folder of a backup, in a folder without data. The files are copied into a folder beside their final names and moved at the
 * end. A server refuses to start with only one of them; while they are copied there is neither, and a server would begin a new repository.
 */

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { claimDataDir } from '../app/data-dir.js';
import { BackupError, invalid, type Observer, UNOBSERVED } from './backup-error.js';
import { type BackupFile, bytesOf, DATABASE_FILES, type Manifest, sync } from './manifest.js';
import { verifyBackup } from './verify.js';

/** Folder for files that are not complete yet. */
const DRAFTS = 'restore.part';

/** Entries of a folder without data: the lock, and what file systems put into their root. */
const NO_DATA: ReadonlySet<string> = new Set(['gateway.lock', 'lost+found', DRAFTS]);

/**
 * Verifies a backup and restores it to a folder that does not exist or has no data.
 *
 * @throws BackupError when the backup is not valid, or the folder contains anything
 * @throws DataDirError when a process uses the folder
 */
export async function restoreBackup(folder: string, target: string, observer = UNOBSERVED): Promise<Manifest> {

    const path = resolve(target);
    await demandNoData(target, path);
    const manifest = await verifyBackup(folder, observer);
    const isNew = await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: Error) => {

        throw new BackupError('unwritable', `${target} cannot be written: ${error.message}`);
    }) !== undefined;
    const claim = claimDataDir(path);
    try {
        await demandNoData(target, path);
        observer.onPhase('restoring', bytesOf(manifest));
        await fill(folder, manifest, { path, observer });
        return manifest;
    }
    catch (error) {
        await rm(join(path, DRAFTS), { recursive: true, force: true });
        throw explain(target, error);
    }
    finally {
        claim.release();
        await removeEmpty(path, isNew);
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
    const isLeftover = (name: string): boolean => entries.includes(DRAFTS) && name === DATABASE_FILES[0];
    const found = entries.find((name) => !NO_DATA.has(name) && !isLeftover(name));
    if (found !== undefined) {
        throw new BackupError('unwritable', `${target} is not empty, it has ${found}: restore to a new folder with --to, or move it away`);
    }
}

interface Drafts {
    readonly drafts: string;
    readonly observer: Observer;
}

async function fill(folder: string, { files }: Manifest, { path, observer }: { readonly path: string; readonly observer: Observer }): Promise<void> {

    const drafts = join(path, DRAFTS);
    await rm(drafts, { recursive: true, force: true });
    await mkdir(drafts, { mode: 0o700 });
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

/** After an error, a folder that did not exist before is removed. */
async function removeEmpty(path: string, isNew: boolean): Promise<void> {

    if (isNew && (await readdir(path)).every((name) => name === 'gateway.lock')) {
        await rm(path, { recursive: true });
    }
}

function explain(target: string, error: unknown): unknown {

    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOSPC' || code === 'EDQUOT' ? new BackupError('unwritable', `the disk of ${target} is full: nothing was restored`) : error;
}
