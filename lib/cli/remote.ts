/**
 * Client for the running server of the data folder, by DOIP over HTTP. Host names are not verified, since the certificate names the public
 * host; instead it must equal the certificate in the server file.
 */

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { LocalEntry } from '../app/server-file.js';
import type { ClientRequest } from '../client/connection.js';
import { HttpConnection } from '../client/http-connection.js';
import { CommandError, EXIT } from './command-error.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { withoutBrackets } from '../util/net/ip-address.js';
import { parseJson } from '../json/strict-parser.js';
import { bytesOf, readBytes } from '../doip/segments.js';
import type { DoipResponse } from '../doip/envelope.js';
import { Status } from '../errors/status.js';

/** An operation to perform; without credentials of its own. */
export type CliRequest = Pick<ClientRequest, 'targetId' | 'operationId' | 'attributes' | 'input'>;

/** Response of an operation. Its output must be read to the end or closed. */
export type Reply = Pick<DoipResponse, 'status' | 'attributes' | 'output'>;

const HTTPS_PORT = 443;

/** Performs an operation through the server. Throws a CommandError when it cannot be reached. */
export async function performRemotely(entry: LocalEntry, request: CliRequest): Promise<Reply> {

    const { url, secret } = entry;
    // Without TLS the server is on this machine, whatever its address.
    const connection = new HttpConnection(url.startsWith('https:') ? { url, createConnection: await recognised(entry) } : { url, insecure: true });
    try {
        return await connection.perform({ ...request, authentication: { token: secret }, jsonAsBytes: true });
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
async function recognised({ url, certificate }: LocalEntry): Promise<() => TLSSocket> {

    const { hostname, port } = new URL(url);
    const socket = connectTls({ host: withoutBrackets(hostname), port: Number(port || HTTPS_PORT), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
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

/** Reads the JSON object of a response, successful or not. @throws CommandError for a response that ends early, or is no JSON */
export async function recordOf({ output }: Reply): Promise<JsonObject> {

    try {
        const value = parseJson(await readBytes(bytesOf(output), LIMIT));
        return isJsonObject(value) ? value : {};
    }
    catch (error) {
        throw new CommandError(`the response of the service cannot be read: ${(error as Error).message}`, EXIT.failed);
    }
}

/** Throws a CommandError unless the response is successful. */
export async function demandOk(reply: Reply): Promise<void> {

    if (reply.status !== Status.ok) {
        const { message } = await recordOf(reply);
        throw new CommandError(typeof message === 'string' ? message : 'the service refused', EXIT.failed);
    }
}

/** Performs an operation that returns a JSON object. @throws CommandError unless it is successful */
export async function performForRecord(service: { perform(request: CliRequest): Promise<Reply> }, request: CliRequest): Promise<JsonObject> {

    const reply = await service.perform(request);
    await demandOk(reply);
    return recordOf(reply);
}

/** Returns a text without control characters, which would move the cursor of a terminal; empty for other values. */
export function shown(value: JsonValue | undefined): string {

    return typeof value === 'string' ? value.replace(/\p{Cc}/gu, '?') : '';
}
