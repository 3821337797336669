/**
 * Files that live no longer than a request, in a folder of their own below the data folder. Whatever a crash left there is
 * removed at the next start.
 */

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A file that is open for writing and reading. */
export interface TempFile {
    readonly handle: FileHandle;
    /** Closes and removes it. */
    remove(): Promise<void>;
}

/** The folder. */
export class TempFolder {

    readonly #path: string;

    constructor(dataDir: string) {

        this.#path = join(resolve(dataDir), 'tmp');
    }

    /** Removes what an earlier process left. Only for the one that has claimed the data folder. */
    async clear(): Promise<void> {

        await rm(this.#path, { recursive: true, force: true });
    }

    /** Makes an empty file that nobody else can read. */
    async create(): Promise<TempFile> {

        await mkdir(this.#path, { recursive: true, mode: 0o700 });
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
