/**
 * `doip-gateway backup DIR`, `verify DIR` and `restore DIR`. They work on files, in this process, whether a server runs or not.
 */

import { setPriority } from 'node:os';
import type { Config } from '../config/index.js';
import { BackupError, type BackupErrorKind, type Observer, type Phase } from '../backup/backup-error.js';
import { createBackup } from '../backup/create.js';
import type { Manifest } from '../backup/manifest.js';
import { restoreBackup } from '../backup/restore.js';
import { verifyBackup } from '../backup/verify.js';
import { CommandError, EXIT } from './command-error.js';
import { Progress } from './progress.js';

/** Scheduling priority of the process: the requests of a server on the same machine come first. */
const NICE = 10;

const CODES: Readonly<Record<BackupErrorKind, number>> = {
    unsupported: EXIT.usage, unreadable: EXIT.noInput, unwritable: EXIT.cannotCreate, invalid: EXIT.data
};

/** Maximum number of incomplete payloads that are listed. */
const MAX_LISTED = 20;

/** Backs up the repository of the configuration. */
export async function backup(folder: string, { storage, service }: Config): Promise<void> {

    const { dataDir, databaseUrl, minFreeBytes } = storage;
    if (databaseUrl !== null) {
        throw new CommandError('backup copies the embedded database, but DATABASE_URL names a server: use mariadb-backup, ' +
            'or mariadb-dump --single-transaction (see Backup in docs/operating.md)', EXIT.usage);
    }

    setPriority(NICE);
    const work = new Work('backup');
    const { counts, createdOn } = await work.run((observer) => createBackup(folder, { dataDir, minFreeBytes, prefix: service.handlePrefix }, observer));
    work.end(`${described(counts)} as they were at ${createdOn}`);
    if (counts.elementsElsewhere > 0) {
        process.stderr.write(`backup: ${counts.elementsElsewhere} payloads are in element stores outside of the database, and not in the backup\n`);
    }

    if (counts.incompleteElements > 0) {
        process.stderr.write(`backup: ${counts.incompleteElements} payloads lack bytes in the repository itself; doip-gateway verify ${folder} lists them\n`);
    }
}

/** Checks a backup, and prints what it contains. */
export async function verify(folder: string): Promise<void> {

    const work = new Work('verify');
    const { counts, createdOn } = await work.run((observer) => verifyBackup(folder, observer));
    const exception = counts.incompleteElements > 0 ? ` (${counts.incompleteElements} lacked bytes in the repository itself)` : '';
    work.end(`valid, ${described(counts)}${exception} as they were at ${createdOn}`);
}

/** Restores a backup to `to`, by default the data folder of the configuration. */
export async function restore(folder: string, to: string | undefined, loadConfig: () => Config): Promise<void> {

    const target = to ?? dataDirOf(loadConfig());
    const work = new Work('restore');
    const { counts, createdOn } = await work.run((observer) => restoreBackup(folder, target, observer));
    work.end(`${described(counts)} as they were at ${createdOn} are in ${target}`);
}

function dataDirOf({ storage: { dataDir, databaseUrl } }: Config): string {

    if (databaseUrl !== null) {
        throw new CommandError('restore is for the embedded database, but DATABASE_URL names a server: name a folder with --to', EXIT.usage);
    }

    return dataDir;
}

function described({ objects, elements }: Manifest['counts']): string {

    return `${objects} objects and ${elements} payloads`;
}

const LABELS: Readonly<Record<Phase, string>> = { copying: 'copying', checksums: 'computing checksums', verifying: 'verifying', restoring: 'copying' };

/** A command in progress: prints its phases, and ends it at a signal, after what was written is removed. */
class Work implements Observer {

    readonly #name: string;
    readonly #started = performance.now();
    readonly #stop = new AbortController();
    #progress: Progress | null = null;
    #listed = 0;

    constructor(name: string) {

        this.#name = name;
    }

    async run<T>(task: (observer: Observer) => Promise<T>): Promise<T> {

        const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
        const stop = (): void => this.#stop.abort();
        signals.forEach((signal) => process.on(signal, stop));
        try {
            return await task(this);
        }
        catch (error) {
            throw this.#explain(error);
        }
        finally {
            signals.forEach((signal) => process.off(signal, stop));
        }
    }

    onPhase(phase: Phase, bytes: number): void {

        this.#progress = new Progress(`${this.#name}, ${LABELS[phase]}`, bytes);
    }

    readonly onBytes = (bytes: number): void => {

        this.#stop.signal.throwIfAborted();
        this.#progress?.add(bytes);
    };

    onIncomplete(description: string): void {

        this.#listed += 1;
        if (this.#listed <= MAX_LISTED) {
            process.stderr.write(`${this.#name}: ${description}\n`);
        }
    }

    end(text: string): void {

        this.#progress?.end(text, this.#name, this.#started);
    }

    #explain(error: unknown): unknown {

        if (this.#stop.signal.aborted) {
            return new CommandError(`${this.#name} was interrupted, and what it had written removed`, EXIT.failed);
        }

        return error instanceof BackupError ? new CommandError(error.message, CODES[error.kind]) : error;
    }
}
