/** Temporary files of requests, in a folder below the data folder. Files left by a crash are removed at the next start. */

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../util/make-folder.js';

/** A file that is open for writing and reading. */
export interface TempFile {
    readonly handle: FileHandle;
    /** Closes and removes it. */
    remove(): Promise<void>;
}

/** Folder for temporary files. */
export class TempFolder {

    readonly #path: string;

    constructor(dataDir: string) {

        this.#path = join(resolve(dataDir), 'tmp');
    }

    /** Removes files of an earlier process. Only for the process that owns the data folder. */
    async clear(): Promise<void> {

        await rm(this.#path, { recursive: true, force: true });
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
