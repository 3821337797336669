/**
 * Files that nobody but their owner may read, whatever the folder and the umask.
 */

import { chmodSync, closeSync, lstatSync, openSync } from 'node:fs';

/** What others may do. */
const OTHERS = 0o077;

/** Makes an empty file when there is none, and closes an older one to others. */
export function makePrivate(path: string): void {

    try {
        // Only a new file is opened: closing a descriptor of a file drops the locks that its process has on it (a rule of POSIX).
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
 * Takes the rights of others to a file away.
 *
 * @returns false when they keep them, because the file belongs to somebody else
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
