/**
 * The folder of a backup: copies of the two files of the embedded database, `backup.json`, which describes them, and `SHA256SUMS`, the
 * checksums of all three in the format of `sha256sum`. It is written last, so a folder without it is no backup.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Joi from 'joi';
import { parseJson } from '../json/strict-parser.js';
import { BackupError, invalid, type Observer, UNOBSERVED } from './backup-error.js';

/** Version of the format; raised when older programs cannot restore a backup. */
export const BACKUP_FORMAT = 1;

/** Files of the database. */
export const DATABASE_FILES = ['blobs.sqlite', 'repository.sqlite'] as const;

const MANIFEST = 'backup.json';
const SUMS = 'SHA256SUMS';

/** Bytes that are read at once, and the size that neither the manifest nor the sums reach. */
const READ_BYTES = 1024 * 1024;

/** A file of a backup. */
export interface BackupFile {
    readonly name: string;
    /** Bytes. */
    readonly size: number;
    /** Lower-case hex. */
    readonly sha256: string;
}

/** Contents of `backup.json`. */
export interface Manifest {
    readonly backup: number;
    /** The program that wrote the backup. */
    readonly program: { readonly name: string; readonly version: string };
    /** Time of the snapshot, RFC 3339. */
    readonly createdOn: string;
    /** Null for a repository that was never started. */
    readonly serviceId: string | null;
    /** The last migration of the database. */
    readonly schema: string;
    readonly highestTxnId: number;
    readonly counts: {
        readonly objects: number;
        /** Those of the objects that are versions. */
        readonly versions: number;
        readonly elements: number;
        readonly elementBytes: number;
        /** Elements whose bytes are in another store, which the backup does not contain. */
        readonly elementsElsewhere: number;
        /** Elements that lacked bytes in the repository itself. */
        readonly incompleteElements: number;
        /** Elements that had another hash in the repository itself than when they were stored. */
        readonly changedElements: number;
    };
    readonly files: readonly BackupFile[];
}

const natural = Joi.number().integer().min(0).required();

const schema = Joi.object<Manifest>({
    backup: Joi.number().valid(BACKUP_FORMAT).required(),
    program: Joi.object({ name: Joi.string().required(), version: Joi.string().required() }).required(),
    createdOn: Joi.string().isoDate().required(),
    serviceId: Joi.string().allow(null).required(),
    schema: Joi.string().required(),
    highestTxnId: natural,
    counts: Joi.object({
        objects: natural, versions: natural, elements: natural, elementBytes: natural, elementsElsewhere: natural, incompleteElements: natural,
        changedElements: Joi.number().integer().min(0).default(0)
    }).required(),
    files: Joi.array().length(DATABASE_FILES.length).items(...DATABASE_FILES.map((name) => Joi.object({
        name: Joi.string().valid(name).required(), size: natural, sha256: Joi.string().hex().length(64).required()
    }).required())).required()
});

/** Describes a file, reading it to its end. */
export async function describeFile(folder: string, name: string, observer: Pick<Observer, 'onBytes'> = UNOBSERVED): Promise<BackupFile> {

    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(join(folder, name), { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.byteLength;
        observer.onBytes(chunk.byteLength);
    }

    return { name, size, sha256: hash.digest('hex') };
}

/** Writes the manifest, then the checksums, each to the disk. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {

    const text = `${JSON.stringify(manifest, null, 4)}\n`;
    const files = [...manifest.files, { name: MANIFEST, sha256: createHash('sha256').update(text).digest('hex') }];
    await writeDurably(join(folder, MANIFEST), text);
    await writeDurably(join(folder, SUMS), files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
}

async function writeDurably(path: string, text: string): Promise<void> {

    const handle = await open(path, 'wx', 0o600);
    try {
        await handle.writeFile(text);
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}

/** Returns the sum of the sizes of the files. */
export function bytesOf({ files }: Manifest): number {

    return files.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Reads the manifest, which must be the one that the checksums were written for.
 *
 * @throws BackupError when the folder is no backup, was changed, or has a newer format
 */
export async function readManifest(folder: string): Promise<Manifest> {

    const found = await stat(folder).catch((error: Error) => {

        throw new BackupError('unreadable', `${folder} cannot be read: ${error.message}`);
    });
    if (!found.isDirectory()) {
        throw new BackupError('unreadable', `${folder} is no folder with a backup`);
    }

    const sums = readSums(folder, (await readSmall(folder, SUMS)).toString('latin1'));
    const bytes = await readSmall(folder, MANIFEST);
    if (createHash('sha256').update(bytes).digest('hex') !== sums.get(MANIFEST)) {
        throw invalid(folder, `${MANIFEST} was changed`);
    }

    const manifest = checkManifest(folder, parse(folder, bytes));
    if (!manifest.files.every(({ name, sha256 }) => sums.get(name) === sha256) || sums.size !== manifest.files.length + 1) {
        throw invalid(folder, `${SUMS} was changed`);
    }

    return manifest;
}

function parse(folder: string, bytes: Buffer): unknown {

    try {
        return parseJson(bytes, { name: MANIFEST });
    }
    catch {
        throw invalid(folder, `${MANIFEST} is no JSON`);
    }
}

function checkManifest(folder: string, value: unknown): Manifest {

    const format = (value as { backup?: unknown } | null)?.backup;
    if (typeof format === 'number' && format > BACKUP_FORMAT) {
        throw invalid(folder, `it has format ${format}, and this version reads only format ${BACKUP_FORMAT}: use a newer version`);
    }

    const checked = schema.validate(value, { convert: false, allowUnknown: true });
    if (checked.error) {
        throw invalid(folder, `${MANIFEST}: ${checked.error.message}`);
    }

    return checked.value;
}

async function readSmall(folder: string, name: string): Promise<Buffer> {

    const path = join(folder, name);
    try {
        const found = await stat(path);
        if (!found.isFile() || found.size > READ_BYTES) {
            throw invalid(folder, `${name} was changed`);
        }

        return await readFile(path);
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
            throw invalid(folder, `${name} is missing`);
        }

        throw error;
    }
}

function readSums(folder: string, text: string): Map<string, string> {

    const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : [];
    const entries = lines.map((line) => /^([0-9a-f]{64}) {2}([a-zA-Z0-9.]+)$/.exec(line));
    const sums = new Map(entries.flatMap((found) => (found ? [[String(found[2]), String(found[1])] as const] : [])));
    if (entries.length === 0 || sums.size !== entries.length) {
        throw invalid(folder, `${SUMS} was changed`);
    }

    return sums;
}
