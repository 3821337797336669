/** Creates folders, on every file system. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder with those above it; returns whether it was missing.
 *
 * `mkdir` of Node with `recursive` does not return where a file system says that a folder is missing although it exists, as Linux does for new ones
 * in /proc: it tries again for ever, and no signal ends it.
 *
 * @throws the error of `mkdir`, also when there is a file of this name
 */
export function makeFolder(path: string, mode = 0o777): boolean {

    const missing: string[] = [];
    for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
        missing.unshift(folder);
    }

    for (const folder of missing) {
        makeOne(folder, mode);
    }

    mkdirSync(path, { recursive: true, mode });             // An error for a file
    return missing.length > 0;
}

function makeOne(folder: string, mode: number): void {

    try {
        mkdirSync(folder, { mode });
    }
    catch (error) {
        // Another process may have made it.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
            throw error;
        }
    }
}
