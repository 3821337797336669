/** Where commands write: a file that appears only when it is complete, or standard output. */

import { randomBytes } from 'node:crypto';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CommandError, EXIT } from './command-error.js';

/** Throws a CommandError for an existing file unless `force`; `-` is standard output. */
export async function demandNew(file: string, force: boolean): Promise<void> {

    if (file !== '-' && await stat(file).then((found) => found.isDirectory(), () => false)) {
        throw new CommandError(`${file} is a folder: name a file in it`, EXIT.cannotCreate);
    }

    if (file !== '-' && !force && await exists(file)) {
        throw new CommandError(`${file} exists already: choose another name, or --force`, EXIT.cannotCreate);
    }
}

/** Writes everything; `-` is standard output, which {@link flushOutput} waits for. */
export async function writeOutput(file: string, body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {

    if (file !== '-') {
        await writeFile(file, body);
        return;
    }

    await pipeline(body, process.stdout, { end: false });
}

/** Resolves when the reader of standard output has taken everything: only then may the process exit. */
export async function flushOutput(): Promise<void> {

    await new Promise<void>((resolve, reject) => {

        process.stdout.once('error', reject);
        process.stdout.write('', (error) => (error ? reject(error) : resolve()));
    });
}

async function exists(file: string): Promise<boolean> {

    return access(file).then(() => true, () => false);
}

/** Maximum length of what a temporary file has of the name, so that it is not too long for the file system. */
const MAX_NAME = 100;

/** Writes to a temporary file beside it, which is renamed when it is on disk. Mode 0600, since exports contain password hashes. */
async function writeFile(file: string, body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {

    const draft = join(dirname(file), `.${basename(file).slice(0, MAX_NAME)}.${randomBytes(6).toString('hex')}.part`);
    const handle = await open(draft, 'wx', 0o600).catch((error: Error) => {

        throw new CommandError(`${file} cannot be written: ${error.message}`, EXIT.cannotCreate);
    });
    try {
        for await (const chunk of body) {
            await handle.appendFile(chunk);
        }

        await handle.sync();
        await handle.close();
        await rename(draft, file);
    }
    catch (error) {
        await handle.close().catch(() => {
            // It may be closed already.
        });
        await rm(draft, { force: true });
        throw error;
    }
}
