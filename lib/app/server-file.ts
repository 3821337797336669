/**
 * A file in the data folder that tells other programs of its owner how to reach the server that uses the folder: its address and
 * a secret that is good as long as it runs. Nobody else can read the file.
 */

import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How to reach the server. */
export interface LocalEntry {
    readonly pid: number;
    /** Without a slash at its end. */
    readonly url: string;
    /** An access token of the administrator. */
    readonly secret: string;
    /** The certificate that the server shows (PEM); null without TLS. Whoever shows another one is not this server. */
    readonly certificate: string | null;
}

const FILE = 'server.json';

/** Writes the file, readable by its owner alone from the first moment on. */
export function writeLocalEntry(dataDir: string, entry: LocalEntry): void {

    const path = pathOf(dataDir);
    const draft = `${path}.new`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
}

/** What the file says; null when there is none, or none that can be read. A server that was killed leaves its file behind. */
export function readLocalEntry(dataDir: string): LocalEntry | null {

    try {
        const { pid, url, secret, certificate = null } = JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as Partial<LocalEntry>;
        return typeof pid === 'number' && typeof url === 'string' && typeof secret === 'string' ? { pid, url, secret, certificate } : null;
    }
    catch {
        return null;
    }
}

/** Removes the file. */
export function removeLocalEntry(dataDir: string): void {

    rmSync(pathOf(dataDir), { force: true });
}

function pathOf(dataDir: string): string {

    return join(resolve(dataDir), FILE);
}
