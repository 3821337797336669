/** The folder of the Unix sockets by which workers reach their primary process, and its search thread. Only this user can open it. */

import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'doip-gateway-workers-';
const SOCKET = 'primary';
const SEARCH_SOCKET = 'search';

/** Minimum age in milliseconds of a folder that is removed: a younger one may be that of a process which is about to listen. */
const MIN_AGE_MS = 60_000;
/** The same without a socket, which is made after the database was opened, and migrated if need be. */
const MIN_EMPTY_AGE_MS = 86_400_000;

/** Folders to be removed when this process ends. */
const folders = new Set<string>();
let isWatched = false;

/** A folder that is removed when the process ends, or by a later one if it was killed. */
export class SocketFolder {

    readonly socketPath: string;
    /** Where the search thread takes searches. */
    readonly searchPath: string;
    readonly #folder: string;

    private constructor(folder: string) {

        this.#folder = folder;
        this.socketPath = join(folder, SOCKET);
        this.searchPath = join(folder, SEARCH_SOCKET);
    }

    /** Creates one in the folder for temporary files, and removes those of processes that were killed. */
    static async create(): Promise<SocketFolder> {

        const parent = tmpdir();
        const names = readdirSync(parent).filter((name) => name.startsWith(PREFIX));
        await Promise.all(names.map((name) => removeUnused(join(parent, name))));
        const folder = mkdtempSync(join(parent, PREFIX));
        if (!isWatched) {
            isWatched = true;
            process.once('exit', () => folders.forEach(removeFolder));
        }

        folders.add(folder);
        return new SocketFolder(folder);
    }

    remove(): void {

        removeFolder(this.#folder);
        folders.delete(this.#folder);
    }
}

/** Removes a folder of this user at whose socket no process listens. */
async function removeUnused(folder: string): Promise<void> {

    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) {
        return;
    }

    const age = Date.now() - stats.mtimeMs;
    const error = age < MIN_AGE_MS ? null : await errorOf(join(folder, SOCKET));
    if (error === 'ECONNREFUSED' || error === 'ENOENT' && age >= MIN_EMPTY_AGE_MS) {
        removeFolder(folder);
    }
}

/** The code of the error in connecting to a socket; null if a process listens. */
async function errorOf(path: string): Promise<string | null> {

    const socket = connect(path);
    try {
        await once(socket, 'connect');
        return null;
    }
    catch (error) {
        return (error as NodeJS.ErrnoException).code ?? '';
    }
    finally {
        socket.destroy();
    }
}

function removeFolder(folder: string): void {

    rmSync(folder, { recursive: true, force: true });
}
