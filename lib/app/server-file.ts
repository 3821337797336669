/**
 * Server file in the data folder, by which other programs of the same user find the running server: its address and an access token that is
 * valid while it runs. Only the owner can read the file.
 */

import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Log } from '../../db/log.js';

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

/** Removes the file. Never throws: where it cannot be removed, it names no server that can be reached. */
export function removeLocalEntry(dataDir: string): void {

    try {
        rmSync(pathOf(dataDir), { force: true });
    }
    catch {
        // Commands then end with an error, as without the file.
    }
}

/** What must have happened before a server can be found, in any order. */
type Condition = 'listening' | 'started';

/** How a server offers itself to commands. */
export interface OfferOptions {
    readonly dataDir: string;
    /** Called when all conditions are fulfilled. */
    readonly entry: () => LocalEntry;
    readonly log: Log;
    /** Milliseconds after which a file that could not be written is tried again; default 30 s. */
    readonly retryMs?: number;
}

const CONDITIONS = 2;
const RETRY_MS = 30_000;

/** The server file of a server: there from when the server listens and its gateway has started, whichever comes last, until the server stops. */
export class ServerFile {

    readonly #options: Required<OfferOptions>;
    readonly #fulfilled = new Set<Condition>();
    #timer: NodeJS.Timeout | undefined;
    #state: 'waiting' | 'failed' | 'written' = 'waiting';

    constructor(options: OfferOptions) {

        this.#options = { retryMs: RETRY_MS, ...options };
    }

    /** Notes that a condition is fulfilled. Never throws. */
    fulfil(condition: Condition): void {

        this.#fulfilled.add(condition);
        if (this.#fulfilled.size === CONDITIONS && this.#state === 'waiting') {
            this.#write();
        }
    }

    /** Removes the file, before another server can have written its own: nothing is written later by a start that is still in progress. */
    remove(): void {

        clearTimeout(this.#timer);
        if (this.#state === 'written') {
            removeLocalEntry(this.#options.dataDir);
        }

        this.#fulfilled.clear();
        this.#state = 'waiting';
    }

    #write(): void {

        const { dataDir, entry, log, retryMs } = this.#options;
        try {
            writeLocalEntry(dataDir, entry());
            this.#state = 'written';
        }
        catch (error) {
            // On a full disk only commands cannot reach this server.
            if (this.#state === 'waiting') {
                log.warn({ event: 'service.server-file-failed', err: error }, 'failed to write server.json');
            }

            this.#state = 'failed';
            this.#timer = setTimeout(() => this.#write(), retryMs).unref();
        }
    }
}

function pathOf(dataDir: string): string {

    return join(resolve(dataDir), FILE);
}
