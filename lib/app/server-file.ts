/**
 * Server file in the data folder, by which other programs of the same user find the running server: its address and an access token that is
 * valid while it runs. Only the owner can read the file.
 */

import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Contents of the server file. */
export interface LocalEntry {
    readonly pid: number;
    /** Without trailing slash. */
    readonly url: string;
    /** An access token of the administrator. */
    readonly secret: string;
    /** The server's certificate (PEM); null without TLS. A server with another certificate must not be trusted. */
    readonly certificate: string | null;
}

const FILE = 'server.json';

/** Writes the file atomically, readable by its owner only. */
export function writeLocalEntry(dataDir: string, entry: LocalEntry): void {

    const path = pathOf(dataDir);
    const draft = `${path}.new`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
}

/** Reads the file; null when it is missing or invalid. A killed server leaves a stale file behind. */
export function readLocalEntry(dataDir: string): LocalEntry | null {

    try {
        const { pid, url, secret, certificate = null } = JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as Partial<LocalEntry>;
        return typeof pid === 'number' && typeof url === 'string' && typeof secret === 'string' ? { pid, url, secret, certificate } : null;
    }
    catch {
        return null;
    }
}

export function removeLocalEntry(dataDir: string): void {

    rmSync(pathOf(dataDir), { force: true });
}

function pathOf(dataDir: string): string {

    return join(resolve(dataDir), FILE);
}
