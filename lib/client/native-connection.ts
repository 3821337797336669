/**
 * Client for native DOIP: one connection, on which requests may be sent before the responses to earlier ones have arrived. Responses come
 * in the order of the requests; each must be read, or discarded, before the next one can be.
 */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Segment } from '../doip/envelope.js';
import { MessageReader } from '../doip/framing/message-reader.js';
import { MessageWriter } from '../doip/framing/message-writer.js';
import { readBytes } from '../doip/segments.js';
import { parseJson } from '../json/strict-parser.js';
import { jsonText } from '../json/raw-json.js';
import { onClose } from '../util/streams/on-close.js';
import { identityOf } from '../util/net/certificate-subject.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';

/** Where a service listens, and how it is recognised. */
export interface NativeAddress {
    readonly host: string;
    readonly port: number;
    /** Id of the service: its certificate must name it. Absent: any certificate is accepted. */
    readonly serviceId?: string;
    /** False for a connection without TLS, on this machine. Default true. */
    readonly tls?: boolean;
    /** Client certificate and its key (PEM), as credentials. */
    readonly certificate?: { readonly cert: string; readonly key: string };
}

/** A request. */
export interface NativeRequest {
    readonly requestId?: string;
    readonly clientId?: string;
    readonly targetId: string;
    readonly operationId: string;
    readonly attributes?: JsonObject;
    readonly authentication?: JsonObject;
    /** One JSON value, or segments. Absent: none. */
    readonly input?: JsonValue | AsyncIterable<Segment>;
}

/** A response. */
export interface NativeResponse {
    readonly requestId: string | null;
    readonly status: string;
    readonly attributes: JsonObject;
    /** Segments of the output. Must be read to the end or closed before the next response arrives. */
    readonly output: AsyncGenerator<Segment, void, undefined>;
}

/** Maximum size of a JSON segment that is read, in bytes. */
const MAX_JSON_BYTES = 1024 * 1024 * 1024;

/** A connection. */
export class NativeConnection {

    readonly #socket: Socket;
    readonly #messages: MessageReader;
    readonly #writer: MessageWriter;
    /** Resolves when the last request was sent. */
    #sent: Promise<unknown> = Promise.resolve();
    /** Resolves when the last response was read. */
    #read: Promise<unknown> = Promise.resolve();

    private constructor(socket: Socket) {

        this.#socket = socket;
        this.#messages = new MessageReader(socket);
        this.#writer = new MessageWriter(socket);
        // Reported by the read or write in progress.
        socket.on('error', () => undefined);
    }

    /**
     * Connects.
     *
     * @throws Error if the service cannot be reached, or is another one
     */
    static async open({ host, port, serviceId, tls = true, certificate }: NativeAddress): Promise<NativeConnection> {

        if (!tls) {
            const socket = connectTcp({ host, port, noDelay: true });
            await once(socket, 'connect');
            return new NativeConnection(socket);
        }

        // The certificate is checked by its subject: it is normally signed by itself.
        const socket = connectTls({ host, port, rejectUnauthorized: false, ...certificate });
        await once(socket, 'secureConnect');
        socket.setNoDelay(true);
        const identity = identityOf(socket.getPeerX509Certificate()?.subject ?? '');
        if (serviceId !== undefined && identity !== serviceId) {
            socket.destroy();
            throw new Error(`the service at ${host}:${port} is ${identity ?? 'without an id'}, not ${serviceId}`);
        }

        return new NativeConnection(socket);
    }

    /** Sends a request, and returns its response once the earlier ones have been read. Rejects if the connection ends before. */
    async perform(request: NativeRequest): Promise<NativeResponse> {

        const sent = this.#sent.then(() => this.#send(request));
        this.#sent = sent.catch(() => undefined);
        const read = this.#read;
        let done = (): void => undefined;
        this.#read = new Promise<void>((resolve) => {

            done = resolve;
        });
        await read;
        try {
            // A response may come before the whole request was sent.
            return await Promise.race([this.#receive(done), sent.then(() => new Promise<never>(() => undefined))]);
        }
        catch (error) {
            // Where the next message begins is not known, neither here nor there.
            this.#socket.destroy();
            done();
            throw error;
        }
    }

    /** Closes the connection after the requests that were sent. */
    close(): void {

        this.#socket.destroySoon();
    }

    async #send({ input, ...head }: NativeRequest): Promise<void> {

        if (input === undefined) {
            await this.#writer.json(JSON.stringify(head));
        }
        else if (!isSegments(input)) {
            await this.#writer.json(`${JSON.stringify(head).slice(0, -1)},"input":${jsonText(input)}}`);
        }
        else {
            await this.#writer.json(JSON.stringify(head));
            for await (const segment of input) {
                await (segment.kind === 'json' ? this.#writer.json(jsonText(segment.value)) : this.#writer.bytes(segment.body));
            }
        }

        await this.#writer.end();
    }

    async #receive(done: () => void): Promise<NativeResponse> {

        const first = await this.#messages.nextMessage() ? await this.#messages.nextSegment() : null;
        if (first?.kind !== 'json') {
            throw new Error(first ? 'the response does not begin with JSON' : 'the service has closed the connection');
        }

        const head = await readJson(first.body);
        if (!isJsonObject(head) || typeof head['status'] !== 'string') {
            throw new Error('the response has no status');
        }

        const { requestId, status, attributes, output } = head;
        return {
            requestId: typeof requestId === 'string' ? requestId : null, status, attributes: isJsonObject(attributes) ? attributes : {},
            output: onClose(this.#output(output), () => void this.#discardRest().then(done))
        };
    }

    async *#output(compact: JsonValue | undefined): AsyncGenerator<Segment, void, undefined> {

        if (compact !== undefined) {
            yield { kind: 'json', value: compact };
        }

        for (let next = await this.#messages.nextSegment(); next; next = await this.#messages.nextSegment()) {
            yield next.kind === 'bytes' ? { kind: 'bytes', body: next.body } : { kind: 'json', value: await readJson(next.body) };
        }
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

function isSegments(input: JsonValue | AsyncIterable<Segment>): input is AsyncIterable<Segment> {

    return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}

async function readJson(body: AsyncIterable<Uint8Array>): Promise<JsonValue> {

    return parseJson(await readBytes(body, MAX_JSON_BYTES));
}
