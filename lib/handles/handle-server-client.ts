/**
 * Client of a handle server: the JSON API of handle.net software since version 8, PUT and DELETE of `/api/handles/<handle>`.
 * Authenticates by a secret key (Basic, with the percent-encoded `index:handle` as user name) or by a client certificate.
 */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { HandleValue } from './handle-value.js';
import { idPath } from '../doip/ids.js';
import { isJsonObject } from '../util/json-types.js';

/** Address of a handle server and credentials. */
export interface HandleServerOptions {
    /** Base URL, without `/api/handles`. */
    readonly url: string;
    /** `index:handle`; null with a client certificate. */
    readonly identity: string | null;
    /** The secret key of the identity. */
    readonly secret: string | null;
    /** PEM files: client certificate, its key, and CA certificates. */
    readonly cert: string | null;
    readonly key: string | null;
    readonly ca: string | null;
    /** Timeout for a complete response, in ms. */
    readonly timeoutMs: number;
}

/**
 * Scope of a failure: `server` (unreachable, overloaded, or rejects the credentials), `handle` (may succeed later), `request`
 * (will never be accepted as it is).
 */
export type FailureCause = 'server' | 'handle' | 'request';

/** A request that a handle server did not carry out. */
export class HandleServerError extends Error {

    readonly blame: FailureCause;

    constructor(blame: FailureCause, message: string, options?: ErrorOptions) {

        super(message, options);
        this.name = 'HandleServerError';
        this.blame = blame;
    }
}

/** HTTP codes that concern the server and not the handle. */
const SERVER_CODES = new Set([401, 407, 408, 421, 425, 429, 502, 503, 504]);
const MAX_ANSWER_BYTES = 64 * 1024;

/** Client of one handle server. */
export class HandleServer {

    readonly #options: HandleServerOptions;
    readonly #agent: HttpAgent | HttpsAgent;
    readonly #authorization: string;
    readonly #isSecure: boolean;

    /** @throws Error if a file cannot be read */
    constructor(options: HandleServerOptions) {

        const { url, cert, key, ca } = options;
        this.#options = options;
        this.#isSecure = url.startsWith('https:');
        this.#authorization = authorizationOf(options);
        this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true, ...files({ cert, key, ca }) }) : new HttpAgent({ keepAlive: true });
    }

    /**
     * Creates a handle or replaces its record.
     *
     * @throws HandleServerError if the server did not do so, or if the outcome is unknown
     */
    async put(handle: string, values: readonly HandleValue[], signal: AbortSignal): Promise<void> {

        const answer = await this.#request('PUT', `${idPath(handle)}?overwrite=true`, JSON.stringify({ handle, values }), signal);
        if (answer.code < 200 || answer.code > 299) {
            throw errorOf(answer);
        }
    }

    /** Deletes a handle; a missing handle is not an error. Throws like {@link put}. */
    async delete(handle: string, signal: AbortSignal): Promise<void> {

        const answer = await this.#request('DELETE', idPath(handle), null, signal);
        if (answer.code !== 404 && (answer.code < 200 || answer.code > 299)) {
            throw errorOf(answer);
        }
    }

    /** Closes idle connections. */
    close(): void {

        this.#agent.destroy();
    }

    async #request(method: string, path: string, body: string | null, signal: AbortSignal): Promise<Answer> {

        const finished = new AbortController();
        const abort = (): void => finished.abort(signal.reason);
        const timer = setTimeout(() => finished.abort(new Error(`no answer within ${this.#options.timeoutMs} ms`)), this.#options.timeoutMs);
        signal.addEventListener('abort', abort);
        try {
            signal.throwIfAborted();
            return await this.#send(method, path, { body, signal: finished.signal });
        }
        catch (error) {
            const { message } = (finished.signal.aborted ? finished.signal.reason : error) as Error;
            throw new HandleServerError('server', `the handle server cannot be asked: ${message}`, { cause: error });
        }
        finally {
            clearTimeout(timer);
            signal.removeEventListener('abort', abort);
        }
    }

    async #send(method: string, path: string, { body, signal }: { body: string | null; signal: AbortSignal }): Promise<Answer> {

        const options: RequestOptions = {
            method, agent: this.#agent, signal,
            headers: {
                accept: 'application/json', authorization: this.#authorization,
                ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
            }
        };
        const url = `${this.#options.url.replace(/\/$/, '')}/api/handles/${path}`;
        const response = await new Promise<IncomingMessage>((resolve, reject) => {

            const request = this.#isSecure ? httpsRequest(url, options, resolve) : httpRequest(url, options, resolve);
            request.on('error', reject).end(body ?? undefined);
        });
        return { code: response.statusCode ?? 0, text: await readText(response) };
    }
}

interface Answer {
    readonly code: number;
    readonly text: string;
}

async function readText(response: IncomingMessage): Promise<string> {

    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) {
            throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
        }

        chunks.push(chunk);
    }

    return Buffer.concat(chunks).toString();
}

function errorOf({ code, text }: Answer): HandleServerError {

    const blame = SERVER_CODES.has(code) || code < 400 ? 'server' : code === 400 ? 'request' : 'handle';
    return new HandleServerError(blame, `the handle server answered ${code}${detailsOf(text)}`);
}

function detailsOf(text: string): string {

    try {
        const answer: unknown = JSON.parse(text);
        const { responseCode, message } = isJsonObject(answer) ? answer : {};
        return [responseCode, message].filter((fact) => typeof fact === 'number' || typeof fact === 'string').map((fact) => `, ${fact}`).join('');
    }
    catch {
        return '';                                          // the HTTP code is enough
    }
}

function authorizationOf({ identity, secret }: HandleServerOptions): string {

    if (secret === null) {
        return 'Handle clientCert="true"';
    }

    return `Basic ${Buffer.from(`${idPath(identity ?? '')}:${idPath(secret)}`).toString('base64')}`;
}

function files(paths: Readonly<Record<string, string | null>>): Record<string, Buffer> {

    return Object.fromEntries(Object.entries(paths).flatMap(([name, path]) => (path === null ? [] : [[name, readFileSync(path)]])));
}
