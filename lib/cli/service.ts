/**
 * The repository as commands reach it: through the server that uses the data folder when one runs, else by opening it here. Never
 * behind the back of a server.
 */

import type { Config } from '../config/index.js';
import { DataDirError } from '../app/data-dir.js';
import type { DoipRequest, DoipResponse, Segment } from '../doip/envelope.js';
import { writeJson } from '../json/serializer.js';
import { empty, sequence } from '../doip/segments.js';
import { Status } from '../errors/status.js';
import { createGateway } from '../app/gateway.js';
import { openLog } from '../logging/logger.js';
import { gatewayOptions } from '../app/options.js';
import { readLocalEntry } from '../app/server-file.js';
import { CommandError, EXIT } from './command-error.js';
import { performRemotely } from './remote.js';
import type { Ask, Reply } from './request.js';

/** A repository that can be asked. */
export interface Service {
    /** For people: how it is reached. */
    readonly place: string;
    /** Performs an operation as the administrator. */
    perform(ask: Ask): Promise<Reply>;
    close(): Promise<void>;
}

/**
 * Finds the server of the data folder, or opens the folder.
 *
 * @throws CommandError when it is used by a process that cannot be reached
 */
export async function openService(config: Config): Promise<Service> {

    const log = openLog({ level: quiet(config.log.level) });
    const gateway = createGateway(gatewayOptions(config, log.logger));
    try {
        const { generatedPassword } = await gateway.start();
        if (generatedPassword !== null) {
            process.stderr.write(`password of admin, made at random and not stored: ${generatedPassword}\n`);
        }
    }
    catch (error) {
        if (error instanceof DataDirError && error.holder !== null) {
            return remoteService(config, error);
        }

        throw error;
    }

    const { localSecret } = gateway.services;
    return {
        place: 'opened here',
        perform: async (ask) => told(await gateway.perform(requestOf(ask, localSecret))),
        async close() {

            await gateway.stop();
            await log.flush();
        }
    };
}

function remoteService({ storage: { dataDir } }: Config, { holder, message }: DataDirError): Service {

    const entry = readLocalEntry(dataDir);
    if (entry?.pid !== holder) {
        throw new CommandError(`${message}. It is no server that can be reached, or one that is starting or stopping`, EXIT.unavailable);
    }

    return {
        place: `through the server at ${entry.url}`,
        perform: (ask) => performRemotely(entry, ask),
        close: () => Promise.resolve()
    };
}

function requestOf({ operationId, attributes = {}, input }: Ask, token: string): DoipRequest {

    const segment: Segment | null = input ? { kind: 'bytes', ...input } : null;
    return {
        operationId, attributes,
        targetId: 'service', requestId: null, clientId: null,
        authentication: {},
        input: segment ? sequence(segment) : empty(),
        transport: { protocol: 'internal', secure: true, remoteAddress: '', localToken: token },
        signal: new AbortController().signal
    };
}

function told({ status, output }: DoipResponse): Reply {

    return { ok: status === Status.ok, body: bytesOf(output) };
}

/** An answer is one segment here; JSON becomes its text, as a server would send it. */
async function *bytesOf(output: AsyncIterable<Segment>): AsyncGenerator<Uint8Array> {

    for await (const segment of output) {
        if (segment.kind === 'bytes') {
            yield *segment.body;
        }
        else {
            yield Buffer.from(writeJson(segment.value));
        }
    }
}

/** Commands talk to people: what is not wrong need not be logged. */
function quiet(level: string): string {

    return level === 'info' ? 'warn' : level;
}
