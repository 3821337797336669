/** Temporary files of requests, in a folder below the data folder. Files left by a crash are removed at the next start. */

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../util/make-folder.js';

/** A file that is open for writing and reading. */
export interface TempFile {
    readonly handle: FileHandle;
    /** Closes and removes it. */
    remove(): Promise<void>;
}

/** Name of the folder. The data folder may have others, which are not ours. */
const FOLDER = 'gateway-tmp';

/** Names of our files. */
const OWN_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Folder for temporary files. */
export class TempFolder {

    readonly #path: string;

    constructor(dataDir: string) {

        this.#path = join(resolve(dataDir), FOLDER);
    }

    /** Removes files of an earlier process, and nothing else. Only for the process that owns the data folder. */
    async clear(): Promise<void> {

        const found = await lstat(this.#path).catch(() => null);
        if (!found?.isDirectory()) {
            return;
        }

        const entries = await readdir(this.#path, { withFileTypes: true });
        const own = entries.filter((entry) => entry.isFile() && OWN_NAME.test(entry.name));
        await Promise.all(own.map(({ name }) => rm(join(this.#path, name), { force: true })));
        if (own.length === entries.length) {
            await rmdir(this.#path).catch(() => {
                // Something has come into it meanwhile.
            });
        }
    }

    /** Creates an empty file that only its owner can read. */
    async create(): Promise<TempFile> {

        makeFolder(this.#path, 0o700);
        const path = join(this.#path, randomUUID());
        const handle = await open(path, 'wx+', 0o600);
        return {
            handle,
            async remove() {

                await handle.close();
                await rm(path, { force: true });
            }
        };
    }
}
