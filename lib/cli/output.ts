/** Where commands write: a file that appears only when it is complete, a device or a pipe, or standard output. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sync } from '../util/sync.js';
import { CommandError, EXIT, incomplete } from './command-error.js';
import { InterruptedError, Interruption } from './terminal/signals.js';

type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Throws a CommandError for an existing file unless `force`, and for a link that exists, wherever it leads; `-` is standard output. */
export async function demandNew(file: string, force: boolean): Promise<void> {

    if (file === '-') {
        return;
    }

    if (file.endsWith('/') || (await stat(file).catch(() => null))?.isDirectory()) {
        throw new CommandError(`${file} is a folder: name a file in it`, EXIT.cannotCreate);
    }

    if (!force && await lstat(file).catch(() => null)) {
        alreadyThere(file);
    }
}

function alreadyThere(file: string): never {

    throw new CommandError(`${file} exists already: choose another name, or --force`, EXIT.cannotCreate);
}

/**
 * Writes everything; `-` is standard output, which {@link flushOutput} waits for. Links stay, and so do devices and pipes. Without `force`, a file that
 * has come since {@link demandNew} stays as well.
 *
 * @throws CommandError also at a signal, when what there was of a file is removed
 */
export async function writeOutput(file: string, body: Body, force = false): Promise<void> {

    if (file === '-') {
        await print(body);
        return;
    }

    const found = await stat(file).catch(() => null);
    await (found && !found.isFile() ? writeThrough(file, body) : writeFile(file, body, force));
}

/** Prints a text on standard output. @throws CommandError when it cannot be printed */
export async function printText(text: string): Promise<void> {

    await print([Buffer.from(text)]).then(flush).catch(incomplete);
}

/** Resolves when the reader of standard output has taken everything: only then may the process exit. @throws CommandError when it has not */
export async function flushOutput(): Promise<void> {

    await flush().catch(incomplete);
}

/** The first error of standard output, which may come after the write that has caused it. */
let failure: Error | null = null;

async function print(body: Body): Promise<void> {

    listen();
    await pipeline(body, process.stdout, { end: false });
}

async function flush(): Promise<void> {

    listen();
    await new Promise<void>((resolve) => {

        process.stdout.once('error', () => resolve());
        process.stdout.write('', (error) => {

            failure ??= process.stdout.errored ?? error ?? null;
            resolve();
        });
    });
    if (failure) {
        throw failure;
    }
}

function listen(): void {

    if (!process.stdout.listeners('error').includes(onFailure)) {
        process.stdout.on('error', onFailure);
    }
}

function onFailure(error: Error): void {

    failure ??= error;
}

/** Writes to something that is no file. Opening a pipe waits for its reader. */
async function writeThrough(file: string, body: Body): Promise<void> {

    const handle = await open(file, constants.O_WRONLY).catch((error: Error) => unwritable(file, error));
    try {
        await copy(body, handle);
    }
    finally {
        await handle.close();
    }
}

/** Maximum length of what a temporary file has of the name, so that it is not too long for the file system. */
const MAX_NAME = 100;

/** Writes to a temporary file beside it, which is renamed when it is on disk. Mode 0600, since exports contain password hashes. */
async function writeFile(file: string, body: Body, force: boolean): Promise<void> {

    const target = await resolveLinks(file).catch((error: Error) => unwritable(file, error));
    const draft = join(dirname(target), `.${basename(target).slice(0, MAX_NAME)}.${randomBytes(6).toString('hex')}.part`);
    const interruption = new Interruption();
    let handle: FileHandle | null = null;
    try {
        handle = await open(draft, 'wx', 0o600).catch((error: Error) => unwritable(file, error));
        await interruption.during(copy(body, handle).then(() => handle?.sync()));
        await handle.close();
        interruption.check();
        await (force ? rename(draft, target) : publish(draft, target)).catch((error: NodeJS.ErrnoException) => {

            return error.code === 'EEXIST' ? alreadyThere(file) : unwritable(file, error);
        });
        await sync(dirname(target)).catch(() => {
            // A folder that cannot be read; the file is on the disk.
        });
    }
    catch (error) {
        await handle?.close().catch(() => {
            // It may be closed already.
        });
        await rm(draft, { force: true });
        throw error instanceof InterruptedError ? new CommandError(`interrupted: what there was of ${file} is removed`, EXIT.failed) : error;
    }
    finally {
        interruption.close();
    }
}

/** Gives a file its name, unless there is one by now. Where the file system has no links, it is renamed. */
async function publish(draft: string, target: string): Promise<void> {

    try {
        await link(draft, target);
    }
    catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
            throw error;
        }

        await rename(draft, target);
        return;
    }

    await rm(draft);
}

async function copy(body: Body, handle: FileHandle): Promise<void> {

    for await (const chunk of body) {
        await handle.appendFile(chunk);
    }
}

/** Links that lead to one another, at most; as of Linux. */
const MAX_LINKS = 40;

/** Returns where a file is, or will be, as its name may be a link, also one that leads to no file. */
async function resolveLinks(file: string): Promise<string> {

    let path = file;
    for (let links = 0; links < MAX_LINKS; ++links) {
        path = join(await realpath(dirname(path)), basename(path));
        const next = await readlink(path).catch(() => null);
        if (next === null) {
            return path;
        }

        path = isAbsolute(next) ? next : `${dirname(path)}/${next}`;
    }

    throw new Error('too many links');
}

function unwritable(file: string, error: Error): never {

    throw new CommandError(`${file} cannot be written: ${error.message}`, EXIT.cannotCreate);
}
