/** The data folder: created on first use, locked by one process at a time. Also reads `repoInit.json`, the instructions for a first start. */

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Joi from 'joi';
import type { FolderLock } from '../../db/folder-lock.js';
import { FolderLockedError, lockFolder } from '../../db/folder-lock.js';
import { UnusableDatabaseError } from '../../db/errors.js';
import type { Log } from '../../db/log.js';
import { SILENT } from '../../db/log.js';
import { acceptLostFile } from '../../db/engines/open.js';
import { closeToOthers } from '../../db/private-files.js';
import type { JsonObject } from '../util/json-types.js';
import { makeFolder } from '../util/make-folder.js';
import { parseJson } from '../json/strict-parser.js';
import { removeLocalEntry } from './server-file.js';
import { rejectUnfinishedRestore, UnfinishedRestoreError } from './unfinished-restore.js';

/** An error about the data folder that the operator must fix; the message says how. */
export class DataDirError extends Error {

    /** Id of the process that holds the lock; 0 when unknown, null when the folder is not locked. */
    readonly holder: number | null;
    /** True when the error may go away without a change of configuration, such as an unmounted disk. */
    readonly mayPass: boolean;

    constructor(message: string, { cause, mayPass = false }: { readonly cause?: unknown; readonly mayPass?: boolean } = {}) {

        super(message, cause === undefined ? undefined : { cause });
        this.name = 'DataDirError';
        this.holder = cause instanceof FolderLockedError ? cause.pid : null;
        this.mayPass = mayPass;
    }
}

/** Contents of `repoInit.json`; the names are those of existing installations. */
export interface RepoInit {
    readonly adminPassword?: string;
    /** Prefix of generated ids. */
    readonly prefix?: string;
    readonly baseUri?: string;
    /** `index:handle` that administers new handles. */
    readonly handleAdminIdentity?: string;
    /** Members of the design object. */
    readonly design?: JsonObject;
}

const REPO_INIT = 'repoInit.json';
const NODE_NAME = 'node-name';

/** Files that the service owns; others in the folder are ignored. */
const GATEWAY_FILE = /^(repository\.sqlite|blobs\.sqlite|gateway\.lock|server\.json|repoInit\.json|node-name|disk-reserve)/;

const repoInitSchema = Joi.object<RepoInit, true>({
    adminPassword: Joi.string().max(1024),
    prefix: Joi.string().pattern(/^[^/.\s][^/\s]*$/).max(100, 'utf8')
        .messages({ 'string.pattern.base': '{{#label}} must be a handle prefix such as 20.500.123' }),
    baseUri: Joi.string().uri({ scheme: ['http', 'https'] }),
    handleAdminIdentity: Joi.string().pattern(/^\d+:[^/]+\/.+$/)
        .messages({ 'string.pattern.base': '{{#label}} must look like 300:20.500.123/admin' }),
    design: Joi.object()
});

/** Options of {@link claimDataDir}. */
interface ClaimOptions {
    readonly log?: Log;
    /** True to write the files of a backup to the folder. */
    readonly isRestoring?: boolean;
}

/**
 * Creates the folder if missing, locks it for this process, and restricts access to its files. The operating system releases the lock when
 * the process ends for any reason.
 *
 * @throws DataDirError when it cannot be created or written, or another process holds the lock
 * @throws UnusableDatabaseError when SQLite cannot be loaded
 * @throws UnfinishedRestoreError unless `isRestoring`, when a restore to it was interrupted
 */
export function claimDataDir(dataDir: string, { log = SILENT, isRestoring = false }: ClaimOptions = {}): FolderLock {

    const folder = resolve(dataDir);
    let lock: FolderLock | null = null;
    try {
        makeFolder(folder, 0o700);
        lock = lockFolder(folder);
        if (!isRestoring) {
            rejectUnfinishedRestore(folder);
        }

        closeFiles(folder, log);
        // A server that was killed has left it: its secret is valid no more, but its process id may be that of this process.
        removeLocalEntry(folder);
        return lock;
    }
    catch (error) {
        lock?.release();
        throw explain(folder, error);
    }
}

/**
 * Lets the next start succeed although a file of the embedded database was lost.
 *
 * @returns a message that says what was done
 * @throws DataDirError when another process holds the lock
 * @throws UnusableDatabaseError when a file was cut
 */
export function acceptLoss(dataDir: string): string {

    const claim = claimDataDir(dataDir);
    try {
        return acceptLostFile(resolve(dataDir));
    }
    finally {
        claim.release();
    }
}

/** Removes access of other users, whatever the mode of the folder: the files hold password hashes, a private key and protected data. */
function closeFiles(folder: string, log: Log): void {

    const open = readdirSync(folder).filter((name) => GATEWAY_FILE.test(name) && !closeToOthers(join(folder, name)));
    if (open.length > 0) {
        log.warn({ event: 'data-dir.readable', folder, files: open }, 'data directory has files readable by others, owned by another user');
    }
}

/**
 * Reads the instructions for a first start; null without any. They stay until {@link removeRepoInit}, so that a failed start can be
 * repeated.
 *
 * @throws DataDirError for an invalid file; the message never shows the password
 */
export function readRepoInit(dataDir: string): RepoInit | null {

    const path = join(resolve(dataDir), REPO_INIT);
    const bytes = readIfThere(path);
    if (!bytes) {
        return null;
    }

    const checked: Joi.ValidationResult<RepoInit> = repoInitSchema.validate(parse(path, bytes), {
        abortEarly: false, allowUnknown: true, errors: { wrap: { label: false } }
    });
    if (checked.error) {
        throw new DataDirError(`${path}: ${checked.error.details.map(({ message }) => message).join('; ')}`);
    }

    return checked.value;
}

/** Deletes the instructions, including the password, after they were carried out; logs a warning where it cannot. */
export function removeRepoInit(dataDir: string, log: Log = SILENT): void {

    const path = join(resolve(dataDir), REPO_INIT);
    try {
        rmSync(path, { force: true });
    }
    catch (error) {
        log.warn({ event: 'data-dir.instructions-left', path, err: error }, 'repoInit.json was carried out and cannot be removed: it may have the first password');
    }
}

/**
 * Name of this node among those that share a database: generated once and stored in the folder. A copy of the folder must not run at the
 * same time.
 */
export function nodeName(dataDir: string): string {

    const path = join(resolve(dataDir), NODE_NAME);
    const stored = readIfThere(path)?.toString('utf8').trim();
    if (stored) {
        return stored;
    }

    const name = randomUUID();
    try {
        writeFileSync(path, `${name}\n`, { mode: 0o600 });
    }
    catch (error) {
        throw explain(resolve(dataDir), error);
    }

    return name;
}

/** Returns whether a folder is that of a node: it was used with a database server. */
export function isOfNode(dataDir: string): boolean {

    return existsSync(join(resolve(dataDir), NODE_NAME));
}

function readIfThere(path: string): Buffer | null {

    try {
        return readFileSync(path);
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
            return null;
        }

        throw new DataDirError(`${path} cannot be read: ${codeOf(error)}`, { cause: error, mayPass: !FORBIDDEN.has(codeOf(error)) });
    }
}

function parse(path: string, bytes: Buffer): unknown {

    try {
        return parseJson(bytes, { name: REPO_INIT });
    }
    catch (error) {
        throw new DataDirError(`${path} is not valid JSON`, { cause: error });
    }
}

/** Error codes for missing permissions; waiting does not help. */
const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/** Error codes for a path that cannot be a folder; neither does it here. */
const NO_FOLDER: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']);

function explain(folder: string, error: unknown): DataDirError | UnfinishedRestoreError | UnusableDatabaseError {

    if (error instanceof UnfinishedRestoreError || error instanceof UnusableDatabaseError) {
        return error;
    }

    if (error instanceof FolderLockedError) {
        return new DataDirError(`${error.message}: stop it, or choose another folder with DATA_DIR`, { cause: error });
    }

    const code = codeOf(error);
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
        return new DataDirError(`the file gateway.lock in ${folder} is damaged: remove it`, { cause: error });
    }

    const isNoFolder = NO_FOLDER.has(code);
    const remedy = `${isNoFolder ? 'it is no folder,' : 'make it writable, or'} choose another one with DATA_DIR`;
    return new DataDirError(`the data folder ${folder} cannot be used (${code}): ${remedy}`, { cause: error, mayPass: !isNoFolder && !FORBIDDEN.has(code) });
}

function codeOf(error: unknown): string {

    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
