/** `doip-gateway export FILE`: writes the whole repository to a file or to standard output. The file appears only when it is complete. */

import { access, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Op } from '../doip/operation-ids.js';
import { CommandError, EXIT } from './command-error.js';
import { Progress } from './progress.js';
import type { Service } from './service.js';
import type { Reply } from './request.js';
import { demandOk } from './remote.js';

const NEWLINE = 0x0a;

/** Exports to `file`; `-` is standard output. Throws a CommandError for an existing file unless `force`. */
export async function exportTo(service: Service, file: string, force: boolean): Promise<void> {

    if (file !== '-' && !force && await exists(file)) {
        throw new CommandError(`${file} exists already: choose another name, or --force`, EXIT.cannotCreate);
    }

    const response = await service.perform({ operationId: Op.exportObjects });
    await demandOk(response);
    const progress = new Progress(`export (${service.location})`, null);
    const counter = new LastLine();
    const body = counter.of(progress.of(response.body));
    await (file === '-' ? pipeline(body, process.stdout, { end: false }) : writeFile(file, body));
    progress.end(`${counter.objects()} objects`);
    if (file === '-') {
        await flushed();
    }
}

/** Resolves when the reader of standard output has taken everything: only then may the process exit. */
async function flushed(): Promise<void> {

    await new Promise<void>((resolve, reject) => {

        process.stdout.once('error', reject);
        process.stdout.write('', (error) => (error ? reject(error) : resolve()));
    });
}

async function exists(file: string): Promise<boolean> {

    return access(file).then(() => true, () => false);
}

/** Writes to a temporary file, which is renamed when it is on disk. Mode 0600, since the export contains password hashes. */
async function writeFile(file: string, body: AsyncIterable<Uint8Array>): Promise<void> {

    const draft = `${file}.part`;
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600).catch((error: Error) => {

        throw new CommandError(`${draft} cannot be written: ${error.message}`, EXIT.cannotCreate);
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

/** Remembers the last line of a stream, which says whether the export is complete. */
class LastLine {

    #tail = Buffer.alloc(0);

    async *of(body: Reply['body']): AsyncGenerator<Uint8Array> {

        for await (const chunk of body) {
            this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-LastLine.#length);
            yield chunk;
        }

        this.objects();
    }

    /** Number of objects. Throws a CommandError when the last line is missing. */
    objects(): number {

        const line = this.#tail.subarray(this.#tail.lastIndexOf(NEWLINE, -2) + 1).toString();
        const count = /^\{"end":true,"objects":(\d+)\}\n$/.exec(line)?.[1];
        if (count === undefined) {
            throw new CommandError('the export broke off, see the log of the service', EXIT.failed);
        }

        return Number(count);
    }

    static readonly #length = 200;
}

