/**
 * Asks the server that uses the data folder, by DOIP over HTTP. The certificate of a server is not judged: it names the service as
 * the world knows it, not this machine, and the file that led here can be written by nobody but its owner.
 */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalEntry } from '../server/local-entry.js';
import { CommandError, EXIT } from './command-error.js';
import type { Ask, Told } from './service.js';

const OK = 200;

/** Performs an operation through a server. */
export async function performRemotely({ url, secret }: LocalEntry, { operationId, attributes = {}, input }: Ask): Promise<Told> {

    const query = new URLSearchParams({ operationId, targetId: 'service', attributes: JSON.stringify(attributes) });
    const target = new URL(`${url}/doip?${query.toString()}`);
    const headers = { authorization: `Bearer ${secret}`, ...input ? { 'content-type': input.mediaType } : {} };
    const sending = target.protocol === 'https:' ?
        httpsRequest(target, { method: 'POST', headers, rejectUnauthorized: false }) : httpRequest(target, { method: 'POST', headers });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const sent = pipeline(Readable.from(input?.body ?? []), sending);
    sent.catch(() => {
        // A server may answer without reading on; when it does not answer, that is the error.
    });
    try {
        const [response] = await answered;
        return { ok: response.statusCode === OK, body: response as AsyncIterable<Uint8Array> };
    }
    catch (error) {
        throw new CommandError(`the server at ${url} cannot be reached: ${(error as Error).message}`, EXIT.unavailable);
    }
}
