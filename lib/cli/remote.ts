/**
 * Client for the running server of the data folder, by DOIP over HTTP. Host names are not verified, since the certificate names the public
 * host; instead it must equal the certificate in the server file.
 */

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { LocalEntry } from '../app/server-file.js';
import { CommandError, EXIT } from './command-error.js';
import type { CliRequest, Reply } from './request.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { parseJson } from '../json/strict-parser.js';
import { readBytes } from '../doip/segments.js';

const OK = 200;
const HTTPS_PORT = 443;

/** Performs an operation through the server. Throws a CommandError when it cannot be reached. */
export async function performRemotely(entry: LocalEntry, { operationId, attributes = {}, input }: CliRequest): Promise<Reply> {

    const { url, secret } = entry;
    const query = new URLSearchParams({ operationId, targetId: 'service', attributes: JSON.stringify(attributes) });
    const target = new URL(`${url}/doip?${query.toString()}`);
    const headers = { authorization: `Bearer ${secret}`, ...input ? { 'content-type': input.mediaType } : {} };
    const sending = target.protocol === 'https:' ?
        httpsRequest(target, { method: 'POST', headers, createConnection: await recognised(entry, target) }) :
        httpRequest(target, { method: 'POST', headers });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const sent = pipeline(Readable.from(input?.body ?? []), sending);
    sent.catch(() => {
        // A server may respond before it has read everything; without a response, that is the error.
    });
    try {
        const [response] = await answered;
        return { ok: response.statusCode === OK, body: response as AsyncIterable<Uint8Array> };
    }
    catch (error) {
        throw new CommandError(`the server at ${url} cannot be reached: ${(error as Error).message}`, EXIT.unavailable);
    }
}

/**
 * Connects to the server that wrote the entry, identified by its certificate. Nothing is sent before the certificate was checked.
 *
 * @throws CommandError when another server responds
 */
async function recognised({ url, certificate }: LocalEntry, { hostname, port }: URL): Promise<() => TLSSocket> {

    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connectTls({ host, port: Number(port || HTTPS_PORT), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect').catch((error: Error) => {

        throw new CommandError(`the server at ${url} cannot be reached: ${error.message}`, EXIT.unavailable);
    });
    const { raw } = socket.getPeerCertificate();
    if (certificate === null || !new X509Certificate(certificate).raw.equals(raw)) {
        socket.destroy();
        throw new CommandError(`the server at ${url} shows another certificate than the server of this folder`, EXIT.unavailable);
    }

    return () => socket;
}

/** Maximum size in bytes of a response that is not a list of objects. */
const LIMIT = 256 * 1024 * 1024;

/** Reads the JSON object of a response, successful or not. */
export async function recordOf({ body }: Reply): Promise<JsonObject> {

    const value = parseJson(await readBytes(body, LIMIT));
    return isJsonObject(value) ? value : {};
}

/** Throws a CommandError unless the response is successful. */
export async function demandOk(reply: Reply): Promise<void> {

    if (!reply.ok) {
        const { message } = await recordOf(reply);
        throw new CommandError(typeof message === 'string' ? message : 'the service refused', EXIT.failed);
    }
}
