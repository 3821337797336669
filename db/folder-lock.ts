/**
 * Lock on a folder that is released with the process that holds it, however it ends: an exclusive lock of SQLite on a small file,
 * which the operating system releases. The header of the file has the process id of the holder, for messages only.
 */

import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { demandDriver } from './sqlite-driver.js';
import { makePrivate } from './private-files.js';

/** A held lock. */
export interface FolderLock {
    release(): void;
}

/** Another process, or this one, holds the lock. */
export class FolderLockedError extends Error {

    /** Process id of the holder, 0 when it is not known. */
    readonly pid: number;

    constructor(folder: string, pid: number) {

        super(`the folder ${folder} is in use by ${pid === 0 ? 'another process' : `process ${pid}`}`);
        this.name = 'FolderLockedError';
        this.pid = pid;
    }
}

const FILE = 'gateway.lock';
/** Offset of `user_version` in an SQLite file, a big-endian integer for applications. */
const USER_VERSION_OFFSET = 60;

/**
 * Folders locked by this process. The reference keeps the garbage collector from closing the file; and the check before opening is
 * needed because opening and closing a file drops all locks of the process on it (a rule of POSIX).
 */
const held = new Map<string, Sqlite.Database>();

/**
 * Locks an existing folder; does not wait.
 *
 * @throws FolderLockedError when another process, or this one, has locked it
 * @throws UnusableDatabaseError when SQLite cannot be loaded
 */
export function lockFolder(folder: string): FolderLock {

    const key = realpathSync(folder);
    const path = join(key, FILE);
    if (held.has(key)) {
        throw new FolderLockedError(folder, process.pid);
    }

    demandDriver();
    makePrivate(path);
    const file = new Sqlite(path, { timeout: 0 });
    try {
        // In this mode the lock taken by the first write is held until the file is closed.
        file.pragma('locking_mode = EXCLUSIVE');
        file.pragma('journal_mode = MEMORY');
        file.pragma('synchronous = OFF');
        file.pragma(`user_version = ${process.pid}`);
    }
    catch (error) {
        file.close();
        throw isBusy(error) ? new FolderLockedError(folder, readHolder(path)) : error;
    }

    held.set(key, file);
    return {
        release() {

            file.close();
            held.delete(key);
        }
    };
}

function isBusy(error: unknown): boolean {

    return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Reads the file without SQLite, which would wait for the lock. */
function readHolder(path: string): number {

    const bytes = Buffer.alloc(4);
    const descriptor = openSync(path, 'r');
    try {
        return readSync(descriptor, bytes, 0, bytes.length, USER_VERSION_OFFSET) === bytes.length ? bytes.readInt32BE() : 0;
    }
    finally {
        closeSync(descriptor);
    }
}
