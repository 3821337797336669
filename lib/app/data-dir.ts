/**
 * The data folder: made on first use, used by one process at a time, and the place of `repoInit.json`, the instructions for a
 * first start.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Joi from 'joi';
import type { FolderLock } from '../../db/folder-lock.js';
import { FolderLockedError, lockFolder } from '../../db/folder-lock.js';
import type { Log } from '../../db/log.js';
import { SILENT } from '../../db/log.js';
import { acceptLostFile } from '../../db/engines/open.js';
import { closeToOthers } from '../../db/private-files.js';
import type { JsonObject } from '../util/json-types.js';
import { parseJson } from '../json/strict-parser.js';

/** Something about the data folder that its owner must change; the message says what. */
export class DataDirError extends Error {

    /** Process id of the one who uses the folder; 0 when it is not known, null when nobody does. */
    readonly holder: number | null;
    /** True when the folder may become usable without anybody changing the configuration, such as one on a disk that is away. */
    readonly mayPass: boolean;

    constructor(message: string, { cause, mayPass = false }: { readonly cause?: unknown; readonly mayPass?: boolean } = {}) {

        super(message, cause === undefined ? undefined : { cause });
        this.name = 'DataDirError';
        this.holder = cause instanceof FolderLockedError ? cause.pid : null;
        this.mayPass = mayPass;
    }
}

/** What `repoInit.json` may hold, in the names that existing installations use. */
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

/** What the service keeps in its folder; other files there are not its business. */
const OWN_FILE = /^(repository\.sqlite|blobs\.sqlite|gateway\.lock|server\.json|repoInit\.json|node-name|disk-reserve)/;

const repoInitSchema = Joi.object<RepoInit, true>({
    adminPassword: Joi.string().max(1024),
    prefix: Joi.string().pattern(/^[^/.\s][^/\s]*$/).max(100, 'utf8')
        .messages({ 'string.pattern.base': '{{#label}} must be a handle prefix such as 20.500.123' }),
    baseUri: Joi.string().uri({ scheme: ['http', 'https'] }),
    handleAdminIdentity: Joi.string().pattern(/^\d+:[^/]+\/.+$/)
        .messages({ 'string.pattern.base': '{{#label}} must look like 300:20.500.123/admin' }),
    design: Joi.object()
});

/**
 * Makes the folder when it is not there, takes it for this process, and closes its files to others. The operating system gives it free when the process
 * ends, in whatever way.
 *
 * @throws DataDirError when it cannot be made or written to, or another process has it
 */
export function claimDataDir(dataDir: string, log: Log = SILENT): FolderLock {

    const folder = resolve(dataDir);
    try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const lock = lockFolder(folder);
        closeFiles(folder, log);
        return lock;
    }
    catch (error) {
        throw explain(folder, error);
    }
}

/**
 * Makes that the next start goes on although one of the files of the embedded database was lost.
 *
 * @returns a sentence that tells what was done
 * @throws DataDirError when another process has the folder
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

/** What holds hashes of passwords, a key and everything that rights protect is nobody else's to read, whatever the folder is. */
function closeFiles(folder: string, log: Log): void {

    const open = readdirSync(folder).filter((name) => OWN_FILE.test(name) && !closeToOthers(join(folder, name)));
    if (open.length > 0) {
        log.warn({ folder, files: open }, 'others may read files of the data folder: they belong to another user');
    }
}

/**
 * The instructions for a first start; null when there are none. They stay until {@link removeRepoInit}, so that a start that
 * fails half-way can be repeated.
 *
 * @throws DataDirError when the file cannot be used; the message never shows the password
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

/** Removes the instructions, with the password in them, once they were followed. */
export function removeRepoInit(dataDir: string): void {

    rmSync(join(resolve(dataDir), REPO_INIT), { force: true });
}

/**
 * The name of this node among those that share a database: made up once and kept in the folder. A copy of the folder must not be
 * used beside it.
 */
export function nodeName(dataDir: string): string {

    const path = join(resolve(dataDir), NODE_NAME);
    const known = readIfThere(path)?.toString('utf8').trim();
    if (known) {
        return known;
    }

    const name = randomUUID();
    writeFileSync(path, `${name}\n`, { mode: 0o600 });
    return name;
}

function readIfThere(path: string): Buffer | null {

    try {
        return readFileSync(path);
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
            return null;
        }

        throw new DataDirError(`${path} cannot be read: ${codeOf(error)}`, { cause: error, mayPass: true });
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

/** A file has the name of the folder or of one above it, or there can be no such name: that does not pass. */
const NO_FOLDER: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']);

function explain(folder: string, error: unknown): DataDirError {

    if (error instanceof FolderLockedError) {
        return new DataDirError(`${error.message}: stop it, or choose another folder with DATA_DIR`, { cause: error });
    }

    const code = codeOf(error);
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
        return new DataDirError(`the file gateway.lock in ${folder} is damaged: remove it`, { cause: error });
    }

    const isNoFolder = NO_FOLDER.has(code);
    const remedy = `${isNoFolder ? 'it is no folder,' : 'make it writable, or'} choose another one with DATA_DIR`;
    return new DataDirError(`the data folder ${folder} cannot be used (${code}): ${remedy}`, { cause: error, mayPass: !isNoFolder });
}

function codeOf(error: unknown): string {

    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
