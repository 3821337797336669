/**
 * `doip-gateway backup DIR`, `verify DIR` and `restore DIR`. They work on files, in this process, whether a server runs or not.
 */

import { getPriority, setPriority } from 'node:os';
import type { Config } from '../config/index.js';
import { BackupError, type BackupErrorKind, type Observer, type Phase } from '../backup/backup-error.js';
import { createBackup } from '../backup/create.js';
import type { Manifest } from '../backup/manifest.js';
import { restoreBackup } from '../backup/restore.js';
import { verifyBackup } from '../backup/verify.js';
import { CommandError, EXIT } from './command-error.js';
import { shown } from './remote.js';
import { Progress } from './terminal/progress.js';
import { SIGNALS } from './terminal/signals.js';

/** Scheduling priority of the process: the requests of a server on the same machine come first. */
const NICE = 10;

const CODES: Readonly<Record<BackupErrorKind, number>> = {
    unsupported: EXIT.usage, unreadable: EXIT.noInput, unwritable: EXIT.cannotCreate, damaged: EXIT.lost, invalid: EXIT.data
};

/** Maximum number of damaged payloads that are listed. */
const MAX_LISTED = 20;

/**
 * Backs up the repository of the configuration.
 *
 * @throws CommandError also after the backup was written, if payloads are damaged in the repository itself
 */
export async function backup(folder: string, { storage, service }: Config): Promise<void> {

    const { dataDir, databaseUrl, minFreeBytes } = storage;
    if (databaseUrl !== null) {
        throw new CommandError('backup copies the embedded database, but DATABASE_URL names a server: use mariadb-backup, ' +
            'or mariadb-dump --single-transaction (see Backup in docs/operating.md)', EXIT.usage);
    }

    yieldToOthers();
    const work = new Work('backup');
    const { counts, createdOn } = await work.run((observer) => createBackup(folder, { dataDir, minFreeBytes, prefix: service.handlePrefix }, observer));
    work.end(`${described(counts)} as they were at ${createdOn}`);
    if (counts.elementsElsewhere > 0) {
        process.stderr.write(`backup: ${counts.elementsElsewhere} payloads are in element stores outside of the database, such as PAYLOAD_STORE, and not in the backup\n`);
    }

    const damaged = damagedIn(counts);
    if (damaged > 0) {
        throw new CommandError(`${folder} was written, but ${damaged} payloads are damaged in the repository itself: take them from an older backup`, EXIT.lost);
    }
}

/** Raises the niceness of the process, unless it is higher already: only root may lower it. */
function yieldToOthers(): void {

    if (getPriority() < NICE) {
        setPriority(NICE);
    }
}

function damagedIn({ incompleteElements, changedElements }: Manifest['counts']): number {

    return incompleteElements + changedElements;
}

/** Checks a backup, and prints what it contains. */
export async function verify(folder: string): Promise<void> {

    const work = new Work('verify');
    const { counts, createdOn } = await work.run((observer) => verifyBackup(folder, observer));
    const damaged = damagedIn(counts);
    const exception = damaged > 0 ? ` (${damaged} were damaged in the repository itself)` : '';
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

/** Phases without anything to remove, which a signal simply ends: parts of them occupy the event loop. */
const READING: ReadonlySet<Phase> = new Set(['verifying']);

/** A command in progress: prints its phases, and ends it at a signal, after what was written is removed. */
class Work implements Observer {

    readonly #name: string;
    readonly #started = performance.now();
    readonly #stop = new AbortController();
    readonly #onSignal = (): void => this.#stop.abort();
    #isWriting = false;
    #progress: Progress | null = null;
    #damaged = 0;

    constructor(name: string) {

        this.#name = name;
    }

    async run<T>(task: (observer: Observer) => Promise<T>): Promise<T> {

        try {
            return await task(this);
        }
        catch (error) {
            throw this.#explain(error);
        }
        finally {
            SIGNALS.forEach((signal) => process.off(signal, this.#onSignal));
            if (this.#damaged > MAX_LISTED) {
                process.stderr.write(`${this.#name}: ${this.#damaged - MAX_LISTED} further payloads are damaged\n`);
            }
        }
    }

    onPhase(phase: Phase, bytes: number): void {

        if (!this.#isWriting && !READING.has(phase)) {
            this.#isWriting = true;
            SIGNALS.forEach((signal) => process.on(signal, this.#onSignal));
        }

        this.#progress = new Progress(`${this.#name}, ${LABELS[phase]}`, bytes);
    }

    readonly onBytes = (bytes: number): void => {

        this.#stop.signal.throwIfAborted();
        this.#progress?.add(bytes);
    };

    onDamaged(description: string): void {

        this.#damaged += 1;
        if (this.#damaged <= MAX_LISTED) {
            process.stderr.write(`${this.#name}: ${shown(description)}\n`);
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
