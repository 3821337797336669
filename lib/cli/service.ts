/**
 * Access of commands to the repository: through the running server of the data folder, otherwise by opening the folder, which is never done
 * while a server uses it.
 */

import type { Config } from '../config/index.js';
import { DataDirError } from '../app/data-dir.js';
import { isSegments } from '../client/connection.js';
import type { DoipRequest } from '../doip/envelope.js';
import { empty, json } from '../doip/segments.js';
import { createGateway } from '../app/gateway.js';
import { openLog } from '../logging/logger.js';
import { gatewayOptions } from '../app/options.js';
import { readLocalEntry } from '../app/server-file.js';
import { CommandError, EXIT } from './command-error.js';
import { type CliRequest, performRemotely, type Reply } from './remote.js';

/** A repository that performs operations. */
export interface Service {
    /** How it is reached, for messages. */
    readonly location: string;
    /** Performs an operation as the administrator. */
    perform(request: CliRequest): Promise<Reply>;
    /** Waits for an upload of objects that was interrupted and is continued by this process; absent where another process continues it. */
    uploadEnded?(): Promise<void>;
    close(): Promise<void>;
}

/**
 * Connects to the server of the data folder, or opens the folder.
 *
 * @param mayBegin true to begin a repository where there is none
 * @throws CommandError when a process that cannot be reached uses the folder
 */
export async function openService(config: Config, { mayBegin }: { readonly mayBegin: boolean }): Promise<Service> {

    // No informational events between the messages for the user
    const log = openLog({ level: config.log.level === 'info' ? 'warn' : config.log.level });
    const gateway = createGateway({ ...gatewayOptions(config, log.logger), isForCommand: true, onlyExisting: !mayBegin });
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

    const { localSecret, uploader } = gateway.services;
    return {
        location: 'opened here',
        perform: (request) => gateway.perform(requestOf(request, localSecret)),
        async uploadEnded() {

            if (await uploader.isRunning()) {
                process.stderr.write('an upload of objects was interrupted: it is completed or rolled back first\n');
                await uploader.ended();
            }
        },
        async close() {

            await gateway.stop();
            await log.flush();
        }
    };
}

function remoteService({ storage: { dataDir } }: Config, { holder }: DataDirError): Service {

    const entry = readLocalEntry(dataDir);
    if (entry?.pid !== holder) {
        const who = holder === 0 ? 'another process' : `process ${holder}`;
        throw new CommandError(`the folder ${dataDir} is in use by ${who}, which is another command, or a server that starts, stops, or waits for its database ` +
            '(see /startupStatus): try again later', EXIT.unavailable);
    }

    return {
        location: `through the server at ${entry.url}`,
        perform: (request) => performRemotely(entry, request),
        close: () => Promise.resolve()
    };
}

function requestOf({ input, attributes = {}, ...request }: CliRequest, token: string): DoipRequest {

    return {
        ...request, attributes,
        requestId: null, clientId: null,
        authentication: {},
        input: input === undefined ? empty() : isSegments(input) ? input : json(input),
        transport: { protocol: 'internal', secure: true, remoteAddress: '', localToken: token },
        signal: new AbortController().signal
    };
}
