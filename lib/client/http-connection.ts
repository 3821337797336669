/** Client for DOIP over HTTP. */

import { once } from 'node:events';
import type { ClientRequest as ClientRequestOfNode, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BytesSegment } from '../doip/envelope.js';
import { jsonText } from '../json/raw-json.js';
import { onClose } from '../util/streams/on-close.js';
import type { JsonObject } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { parseDisposition } from '../../translators/http/headers/content-disposition.js';
import { contentType, FORM_TYPE, isJsonType, type MediaType, parseMediaType } from '../../translators/http/headers/content-type.js';
import { header } from '../../translators/http/headers/decode.js';
import { parseMultipart } from '../../translators/http/request/multipart.js';
import { writeMultipart } from '../../translators/http/response/multipart-writer.js';
import { readOutput } from '../../translators/http/response/output.js';
import type { ClientRequest, ClientResponse, ClientSegment, Connection } from './connection.js';
import { isSegments, jsonSegmentOf } from './connection.js';
import { ConnectionError } from './errors.js';
import { parseAddress, reasonForDistrust } from './trust.js';
import { secondsIn } from './web/errors.js';

/** Where a service is, and how it is recognised. */
export interface HttpAddress {
    /** URL of the service, without `/doip`. */
    readonly url: string;
    /** Certificates (PEM) of authorities that are trusted, instead of those that Node trusts. */
    readonly ca?: string;
    /** True to send credentials without TLS, and to a service whose certificate is not verified. Default false. */
    readonly insecure?: boolean;
    /** Client certificate and its key (PEM). */
    readonly certificate?: { readonly cert: string; readonly key: string };
    /** Opens the connection of a request instead of the default. */
    readonly createConnection?: () => Duplex;
}

/** Limits of a multipart body of the service. */
const LIMITS = { parts: Number.MAX_SAFE_INTEGER, partHeaderBytes: 65_536 };

/** Requests by HTTP; connections are kept for a while. */
export class HttpConnection implements Connection {

    readonly #base: string;
    /** Why credentials must not be sent; null when they may. */
    readonly #distrust: string | null;
    readonly #send: typeof httpRequest;
    readonly #options: RequestOptions;
    readonly #agent: HttpAgent;

    constructor({ url, ca, insecure = false, certificate, createConnection }: HttpAddress) {

        const { protocol, hostname } = parseAddress(url);
        const isSecure = protocol === 'https:';
        const tls = isSecure ? { rejectUnauthorized: !insecure, ...ca === undefined ? {} : { ca }, ...certificate } : {};
        this.#base = url.endsWith('/') ? url.slice(0, -1) : url;
        this.#distrust = reasonForDistrust({ target: this.#base, remoteAddress: hostname, isVerified: isSecure, insecure, remedy: 'use https' });
        this.#send = isSecure ? httpsRequest : httpRequest;
        this.#agent = isSecure ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
        this.#options = { method: 'POST', ...createConnection ? { createConnection } : { agent: this.#agent } };
    }

    async perform(request: ClientRequest): Promise<ClientResponse> {

        const { authentication = {}, signal, input } = request;
        signal?.throwIfAborted();
        const isAnonymous = Object.keys(authentication).length === 0;
        if (this.#distrust !== null && !isAnonymous) {
            throw new Error(this.#distrust);
        }

        // Parameters of any length fit into a form.
        const parameters = parametersOf(request).toString();
        const body = input === undefined ? { mediaType: FORM_TYPE, content: Buffer.from(parameters) } : await bodyOf(input);
        const sending = this.#send(`${this.#base}/doip${input === undefined ? '' : `?${parameters}`}`, {
            ...this.#options,
            headers: {
                ...isAnonymous ? {} : { authorization: credentials(authentication) },
                ...body.mediaType === undefined ? {} : { 'content-type': body.mediaType },
                ...body.content instanceof Buffer ? { 'content-length': body.content.length } : {}
            }
        });
        endOnAbort(sending, signal);
        const answered = responseTo(sending, this.#base);
        const sent = pipeline(Readable.from(body.content instanceof Buffer ? [body.content] : body.content), sending);
        sent.catch(() => {
            // A service may respond before it has read everything; without a response, that is the error.
        });
        const [response] = await answered.catch(async (error: Error) => {

            signal?.throwIfAborted();
            // An input that cannot be read ends the request: its error is the cause.
            throw await sent.then(() => error, (cause: Error) => cause);
        });
        return responseOf(response, request, this.#base);
    }

    close(): void {

        this.#agent.destroy();
    }
}

/**
 * Ends a request when it is aborted. By its option `signal` Node would end the connection also later, when that is kept for other requests, with
 * an error that nobody handles, as one here would be.
 */
function endOnAbort(sending: ClientRequestOfNode, signal: AbortSignal | undefined): void {

    let response: IncomingMessage | null = null;
    const abort = (): void => void (response ?? sending).destroy();
    signal?.addEventListener('abort', abort);
    sending.once('response', (message) => {

        response = message;
    });
    sending.once('close', () => signal?.removeEventListener('abort', abort));
}

/** Waits for the response. Where a server changes the protocol instead (101), neither a response nor an error comes. */
async function responseTo(sending: ClientRequestOfNode, url: string): Promise<[IncomingMessage]> {

    const closed = new AbortController();
    sending.once('close', () => closed.abort());
    try {
        return await once(sending, 'response', { signal: closed.signal }) as [IncomingMessage];
    }
    catch (error) {
        throw error instanceof Error && error.name === 'AbortError' && !sending.errored ?
            new ConnectionError(`${url} has closed the connection without a response`, { isLost: true }) : error;
    }
}

function parametersOf({ operationId, targetId, attributes, requestId, clientId }: ClientRequest): URLSearchParams {

    return new URLSearchParams({
        operationId, targetId, ...attributes ? { attributes: jsonText(attributes) } : {}, ...requestId === undefined ? {} : { requestId },
        ...clientId === undefined ? {} : { clientId }
    });
}

function credentials(authentication: JsonObject): string {

    const { token, ...others } = authentication;
    return typeof token === 'string' && Object.keys(others).length === 0 ?
        `Bearer ${token}` : `Doip ${Buffer.from(JSON.stringify(authentication)).toString('base64')}`;
}

/** The body of a request. */
interface RequestBody {
    readonly mediaType?: string;
    readonly content: Buffer | AsyncIterable<Uint8Array>;
}

async function bodyOf(input: NonNullable<ClientRequest['input']> | null): Promise<RequestBody> {

    const output = isSegments(input) ? await readOutput({ output: input, attributes: {} }) : { kind: 'json', value: input } as const;
    switch (output.kind) {
        case 'empty':
            return { content: Buffer.alloc(0) };
        case 'json':
            return { mediaType: 'application/json', content: Buffer.from(jsonText(output.value)) };
        case 'bytes':
            return { mediaType: output.segment.mediaType ?? 'application/octet-stream', content: output.ready ?? output.segment.body };
        case 'segments': {
            const { contentType: mediaType, body } = writeMultipart(output.segments, { defaultType: null });
            return { mediaType, content: body };
        }
    }
}

/** Reads the head of a response. @throws Error unless it is one of DOIP */
function responseOf(message: IncomingMessage, request: ClientRequest, url: string): ClientResponse {

    const { statusCode: http = 0, headers } = message;
    const head = headOf(header(headers, 'doip-response'));
    const retryAfter = secondsIn(header(headers, 'retry-after') ?? null);
    if (!head) {
        message.destroy();
        throw new ConnectionError(`${url} does not serve DOIP: its response is ${http} without Doip-Response`, { http, retryAfter, isPartial: http < 400 });
    }

    const { requestId, status } = head;
    const attributes = isJsonObject(head['attributes']) ? head['attributes'] : {};
    const output = outputOf(message, request, attributes);
    return {
        requestId: typeof requestId === 'string' ? requestId : null, status, attributes, http, ...retryAfter === null ? {} : { retryAfter },
        // What is not read is not received either.
        output: onClose(output, () => (message.complete ? message.resume() : message.destroy()))
    };
}

function headOf(text: string | undefined): (JsonObject & { status: string }) | null {

    try {
        const head = JSON.parse(text ?? '') as JsonObject;
        return typeof head['status'] === 'string' ? head as JsonObject & { status: string } : null;
    }
    catch {
        return null;
    }
}

async function *outputOf(message: IncomingMessage, request: ClientRequest, attributes: JsonObject): AsyncGenerator<ClientSegment, void, undefined> {

    const { headers } = message;
    const type = contentType(headers);
    if (type.essence === '') {
        message.resume();
        return;
    }

    const disposition = header(headers, 'content-disposition');
    // Elements may be JSON or multipart themselves: their media type is an attribute, and so is their size.
    const isMultipart = type.essence.startsWith('multipart/');
    const isFile = disposition !== undefined || attributes['mediaType'] !== undefined && (!isMultipart || attributes['size'] !== undefined);
    if (isFile || !isMultipart) {
        const length = header(headers, 'content-length');
        const described = { mediaType: header(headers, 'content-type'), disposition, isFile, ...length === undefined ? {} : { length: Number(length) } };
        yield await segmentOf(message, { type, ...described }, request);
        return;
    }

    for await (const { headers: own, mediaType = '', body } of parseMultipart(message, type, LIMITS)) {
        yield await segmentOf(body, {
            type: parseMediaType(mediaType), mediaType, disposition: own.get('content-disposition'), isFile: own.has('content-disposition')
        }, request);
    }
}

/** What headers say about a body. */
interface BodyHeaders {
    readonly type: MediaType;
    readonly mediaType: string | undefined;
    readonly disposition: string | undefined;
    readonly isFile: boolean;
    readonly length?: number;
}

/** JSON is a value, unless it is a file. */
async function segmentOf(
    body: AsyncIterable<Uint8Array>, { type, mediaType, disposition, isFile, length }: BodyHeaders, request: ClientRequest
): Promise<ClientSegment> {

    if (!isFile && isJsonType(type.essence)) {
        return jsonSegmentOf(body, request);
    }

    const { filename } = parseDisposition(disposition ?? '');
    return {
        kind: 'bytes', body, ...mediaType === undefined ? {} : { mediaType }, ...filename === undefined ? {} : { filename },
        ...length === undefined ? {} : { length }
    } satisfies BytesSegment;
}
