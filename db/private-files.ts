/**
 * Files that only their owner can read, whatever the folder and the umask.
 */

import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';

/** Mode bits of group and others. */
const OTHERS = 0o077;

/** Creates an empty file when there is none; removes the rights of others from an existing one. */
export function makePrivate(path: string): void {

    try {
        // Only a new file is opened: closing a descriptor of a file drops all locks of the process on it (a rule of POSIX).
        closeSync(openSync(path, 'wx', 0o600));
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
            throw error;
        }

        closeToOthers(path);
    }
}

/**
 * Removes the rights of group and others from a file.
 *
 * @returns false when that is not permitted, because another user owns the file
 */
export function closeToOthers(path: string): boolean {

    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || (found.mode & OTHERS) === 0) {
        return true;
    }

    try {
        chmodSync(path, found.mode & ~OTHERS & 0o7777);
        return true;
    }
    catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EPERM' || code === 'EROFS') {
            return false;
        }

        throw error;
    }
}
