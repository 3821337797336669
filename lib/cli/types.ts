/** `doip-gateway types`: TypeScript declarations of the operations and types of a service, for programs that call it. */

import { errorOf } from '../client/errors.js';
import { Op } from '../doip/operation-ids.js';
import { Status } from '../errors/status.js';
import { demandUrlFor } from './call.js';
import { CommandError, EXIT, incomplete, rejection } from './command-error.js';
import type { CommandOptions, Work } from './command.js';
import { declarationsOf } from './declarations/declarations.js';
import { demandNew, writeOutput } from './output.js';
import { recordOf } from './remote.js';

/** Prepares the declarations, in a file or on standard output. */
export async function prepareTypes(_args: readonly string[], options: CommandOptions): Promise<Work> {

    const { output = '-', force = false } = options;
    demandUrlFor(options);
    await demandNew(output, force);
    return async (service) => {

        const reply = await service.perform({ targetId: 'service', operationId: Op.describe });
        if (reply.status !== Status.ok) {
            throw rejection(reply.status, (await errorOf(reply)).message);
        }

        const description = await recordOf(reply);
        if (!Array.isArray(description['operations'])) {
            throw new CommandError(`the service does not describe its operations as a doip-gateway does (${service.location})`, EXIT.failed);
        }

        await writeOutput(output, encoded(declarationsOf(description)), force).catch(incomplete);
    };
}

/** Size of a chunk in characters, for which a system call is worth it. */
const CHUNK_SIZE = 65_536;

function *encoded(texts: Iterable<string>): Generator<Uint8Array, void, undefined> {

    let chunk = '';
    for (const text of texts) {
        chunk += text;
        if (chunk.length >= CHUNK_SIZE) {
            yield Buffer.from(chunk);
            chunk = '';
        }
    }

    yield Buffer.from(chunk);
}
