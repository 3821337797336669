/**
 * Client for native DOIP: one connection, on which requests may be sent before the responses to earlier ones have arrived. Responses come
 * in the order of the requests; each must be read, or discarded, before the next one can be.
 */

import type { JsonWebKey } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MessageReader, type RawSegment } from '../doip/framing/message-reader.js';
import { CONNECT_AGAIN, MessageWriter } from '../doip/framing/message-writer.js';
import { bytesSegment } from '../doip/segments.js';
import { DoipError } from '../errors/errors.js';
import { Status } from '../errors/status.js';
import { jsonText } from '../json/raw-json.js';
import { writeJson } from '../json/serializer.js';
import { onClose } from '../util/streams/on-close.js';
import { identityOf } from '../util/net/certificate-subject.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import type { ClientRequest, ClientResponse, ClientSegment, Connection } from './connection.js';
import { isSegments, jsonBytes, jsonSegmentOf, readJsonBody } from './connection.js';
import { ConnectionError, connectionErrorOf } from './errors.js';
import { reasonForDistrust } from './trust.js';

/** Where a service listens, and how it is recognised. */
export interface NativeAddress {
    readonly host: string;
    readonly port: number;
    /** Id of the service: its certificate must name it. Absent: any certificate is accepted. */
    readonly serviceId?: string;
    /** Public key of the service (JWK), as its handle record has it: its certificate must have this key. */
    readonly publicKey?: JsonObject;
    /** Certificates (PEM) of authorities that are trusted, instead of those that Node trusts. */
    readonly ca?: string;
    /** True to send credentials to a service whose certificate is not verified. Default false. */
    readonly insecure?: boolean;
    /** False for a connection without TLS, on this machine. Default true. */
    readonly tls?: boolean;
    /** Client certificate and its key (PEM), as credentials. */
    readonly certificate?: { readonly cert: string; readonly key: string };
}

/** A connection. */
export class NativeConnection implements Connection {

    readonly #socket: Socket;
    readonly #messages: MessageReader;
    readonly #writer: MessageWriter;
    /** Why credentials must not be sent; null when they may. */
    readonly #distrust: string | null;
    /** Number of requests that are not sent yet. */
    #sending = 0;
    /** Resolves when the last request was sent. */
    #sent: Promise<unknown> = Promise.resolve();
    /** Resolves when the last response was read. */
    #read: Promise<unknown> = Promise.resolve();

    private constructor(socket: Socket, distrust: string | null) {

        this.#socket = socket;
        this.#messages = new MessageReader(socket);
        this.#writer = new MessageWriter(socket);
        this.#distrust = distrust;
        // Reported by the read or write in progress.
        socket.on('error', () => undefined);
    }

    /**
     * Connects.
     *
     * @param signal ends the attempt
     * @throws Error if the service cannot be reached, or is another one
     */
    static async open(address: NativeAddress, signal?: AbortSignal): Promise<NativeConnection> {

        const { host, port, serviceId, ca, tls = true, certificate } = address;
        const publicKey = address.publicKey && createPublicKey({ key: address.publicKey as JsonWebKey, format: 'jwk' });
        if (!tls) {
            const socket = connectTcp({ host, port, noDelay: true });
            await opened(socket, 'connect', signal);
            return new NativeConnection(socket, distrust(socket, address, false));
        }

        // The certificate is normally signed by itself: whether it is trusted is decided here.
        const socket = connectTls({ host, port, rejectUnauthorized: false, ...ca === undefined ? {} : { ca }, ...certificate });
        await opened(socket, 'secureConnect', signal);
        socket.setNoDelay(true);
        const peer = socket.getPeerX509Certificate();
        const identity = identityOf(peer?.subject);
        const isKeyRight = publicKey === undefined || (peer?.publicKey.equals(publicKey) ?? false);
        if (serviceId !== undefined && identity !== serviceId || !isKeyRight) {
            socket.destroy();
            throw new Error(isKeyRight ?
                `the service at ${host}:${port} is ${identity ?? 'without an id'}, not ${serviceId}` :
                `the service at ${host}:${port} has another public key`);
        }

        return new NativeConnection(socket, distrust(socket, address, socket.authorized || publicKey !== undefined));
    }

    /** False after the connection was closed by either side. */
    get isOpen(): boolean {

        return this.#socket.writable && !this.#socket.readableEnded && !this.#messages.isBroken;
    }

    /** True until the requests have been sent. */
    get isSending(): boolean {

        return this.#sending > 0;
    }

    /** Performs a request once the earlier responses have been read. Rejects if the connection ends before. */
    async perform(request: ClientRequest): Promise<ClientResponse> {

        if (this.#distrust !== null && Object.keys(request.authentication ?? {}).length > 0) {
            throw new Error(this.#distrust);
        }

        request.signal?.throwIfAborted();
        ++this.#sending;
        const sent = this.#sent.then(() => this.#send(request)).finally(() => --this.#sending);
        // After a part of a message no other one can be sent, whether or not the response has come.
        this.#sent = sent.catch(() => void this.#socket.destroy());
        const read = this.#read;
        let done = (): void => undefined;
        this.#read = new Promise<void>((resolve) => {

            done = resolve;
        });
        const stopWatching = this.#watch(request.signal);
        const over = (): void => {

            stopWatching();
            done();
        };

        await read;
        try {
            // A response may come before the whole request was sent.
            return await Promise.race([this.#receive(request, over), sent.then(() => new Promise<never>(() => undefined))]);
        }
        catch (thrown) {
            const error = this.#explain(thrown);
            // Where the next message begins is not known, neither here nor there.
            this.#socket.destroy();
            over();
            request.signal?.throwIfAborted();
            throw error;
        }
    }

    /** Closes the connection after the requests that were sent. */
    close(): void {

        this.#socket.destroySoon();
    }

    /** Closes the connection at once. */
    destroy(): void {

        this.#socket.destroy();
    }

    /** Ends the connection when a request is aborted. Returns how to stop that. */
    #watch(signal: AbortSignal | undefined): () => void {

        if (!signal) {
            return () => undefined;
        }

        const abort = (): void => {

            this.#socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        };

        signal.addEventListener('abort', abort);
        return () => signal.removeEventListener('abort', abort);
    }

    async #send({ input, jsonAsBytes: _, signal: _signal, ...head }: ClientRequest): Promise<void> {

        const text = writeJson(head);
        if (input === undefined) {
            await this.#writer.json(text);
        }
        else if (!isSegments(input)) {
            await this.#writer.json(`${text.slice(0, -1)},"input":${jsonText(input)}}`);
        }
        else {
            await this.#writer.json(text);
            for await (const segment of input) {
                await (segment.kind === 'json' ? this.#writer.json(jsonText(segment.value)) : this.#writer.bytes(segment.body));
            }
        }

        await this.#writer.end();
    }

    /** Reads a response. `over` is called when it was read to its end. */
    async #receive(request: ClientRequest, over: () => void): Promise<ClientResponse> {

        const first = await this.#messages.nextMessage() ? await this.#messages.nextSegment() : null;
        if (first?.kind !== 'json') {
            throw first ? new ConnectionError('the response does not begin with JSON', { isPartial: true }) : closed();
        }

        const head = await readJsonBody(first.body);
        if (!isJsonObject(head) || typeof head['status'] !== 'string') {
            throw new ConnectionError('the response has no status', { isPartial: true });
        }

        const { requestId, status, attributes, output } = head;
        if (answersNone(head)) {
            throw closed();
        }

        const compact = output === undefined ? [] : [compactSegment(output, request)];
        // Without further segments the connection is free for the next response, whether or not this one is read.
        const next = await this.#messages.nextSegment();
        if (!next) {
            over();
        }

        return {
            requestId: typeof requestId === 'string' ? requestId : null, status, attributes: isJsonObject(attributes) ? attributes : {},
            output: next ? onClose(this.#output(compact, next, request), () => void this.#discardRest().then(over)) : of(compact)
        };
    }

    async *#output(compact: readonly ClientSegment[], first: RawSegment, request: ClientRequest): AsyncGenerator<ClientSegment, void, undefined> {

        yield *compact;
        try {
            for (let next: RawSegment | null = first; next; next = await this.#messages.nextSegment()) {
                yield next.kind === 'bytes' ? { kind: 'bytes', body: next.body } : await jsonSegmentOf(next.body, request);
            }
        }
        catch (error) {
            request.signal?.throwIfAborted();
            throw this.#explain(error);
        }
    }

    /** A message that the end of the connection has cut is no fault of its sender. */
    #explain(error: unknown): unknown {

        const isOver = this.#socket.readableEnded || this.#socket.destroyed;
        return isOver && error instanceof DoipError ? closed(error) : error;
    }

    /** Reads what was not read of a response. Never rejects: a broken connection shows with the next response. */
    async #discardRest(): Promise<void> {

        try {
            while (!this.#messages.isBroken && await this.#messages.nextSegment()) {
                // The next one discards it.
            }
        }
        catch {
            // Broken
        }
    }
}

/** True for the message with which a service ends a connection that it has not used for long, or because it stops. */
function answersNone({ requestId, status, attributes }: JsonObject): boolean {

    const message = isJsonObject(attributes) ? attributes['message'] : undefined;
    return requestId === undefined && status === Status.badRequest && typeof message === 'string' && message.endsWith(CONNECT_AGAIN);
}

function closed(cause?: unknown): ConnectionError {

    return new ConnectionError('the service has closed the connection', { isLost: true, cause });
}

async function *of(segments: readonly ClientSegment[]): AsyncGenerator<ClientSegment, void, undefined> {

    yield *segments;
}

function compactSegment(value: JsonValue, { jsonAsBytes = false }: ClientRequest): ClientSegment {

    return jsonAsBytes ? jsonBytes(bytesSegment(Buffer.from(jsonText(value))).body) : { kind: 'json', value };
}

function distrust({ remoteAddress = '' }: Socket, { host, port, insecure = false }: NativeAddress, isVerified: boolean): string | null {

    return reasonForDistrust({ target: `${host}:${port}`, remoteAddress, isVerified, insecure, remedy: 'give its public key' });
}

/** Time in milliseconds in which a service must accept a connection. */
const CONNECT_MS = 30_000;

/** Waits until a connection is open, and closes it if that fails, takes too long or is aborted. */
async function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal | undefined): Promise<void> {

    const timeout = AbortSignal.timeout(CONNECT_MS);
    try {
        await once(socket, event, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    }
    catch (error) {
        // It may fail later, too.
        socket.on('error', () => undefined);
        socket.destroy();
        signal?.throwIfAborted();
        throw timeout.aborted ? new ConnectionError(`the service has not answered within ${CONNECT_MS / 1000} s`, { isLost: true, isUnsent: true }) :
            connectionErrorOf(error, { isUnsent: true }) ?? error;
    }
}
