/**
 * Lets one build at a time write to `dist`, such as of two `npm start` in two terminals. The lock is an exclusive one of SQLite on a small file, which the
 * operating system releases with the process, as that of the data folder is.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum time to wait for another build, in milliseconds. */
const MAX_WAIT_MS = 600_000;

/** Time before it is said: of two that ask for the lock at the same moment, neither gets it at once. */
const FIRST_WAIT_MS = 1000;

/**
 * Waits for the builds of other processes; the lock is held until this process ends.
 *
 * @param onWait called before waiting, if another build is under way
 */
export async function lockBuild(folder, onWait) {

    let Sqlite;
    try {
        ({ default: Sqlite } = await import('better-sqlite3'));
        new Sqlite(':memory:').close();
    }
    catch {
        return;                                             // Compiled for another Node, or not at all: a build does not need it otherwise
    }

    mkdirSync(folder, { recursive: true });
    const path = join(folder, '.build-lock');
    if (!take(Sqlite, path, FIRST_WAIT_MS)) {
        onWait();
        take(Sqlite, path, MAX_WAIT_MS);
    }
}

/** Keeps the garbage collector from closing the file. */
const held = [];

function take(Sqlite, path, timeout) {

    const file = new Sqlite(path, { timeout });
    try {
        file.pragma('locking_mode = EXCLUSIVE');
        file.pragma('journal_mode = MEMORY');
        file.pragma(`user_version = ${process.pid}`);
        held.push(file);
        return true;
    }
    catch (error) {
        file.close();
        if (timeout === FIRST_WAIT_MS && error.code?.startsWith('SQLITE_BUSY')) {
            return false;
        }

        throw error;
    }
}
