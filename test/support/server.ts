/**
 * A whole server on a port of its own, with operations made for tests, and clients that talk HTTP/1.1 and HTTP/2 to it.
 */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import Http from 'node:http';
import Https from 'node:https';
import Http2 from 'node:http2';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Server } from '@hapi/hapi';
import { pino } from 'pino';
import { configure } from '../../lib/config/index.js';
import type { Config } from '../../lib/config/index.js';
import { result } from '../../lib/core/operation.js';
import { defineOwnOperation as defineOperation } from '../../lib/core/own-operation.js';
import { bytesSegment, drain, sequence } from '../../lib/doip/segments.js';
import { createServerOf, drainServer, serverUrl } from '../../lib/server.js';
import { body } from './bytes.js';
import { ADMIN_PASSWORD, QUICK, SCRIPT_SECONDS } from './gateway.js';
import { prepareWorkers, startWorkers, testWorkers } from './test-workers.js';

/** A server under test. */
export interface TestServer {
    readonly server: Server;
    readonly config: Config;
    readonly url: string;
    readonly port: number;
    /** What was logged so far. */
    readonly log: Record<string, unknown>[];
    /** What went on in the operation `test/Op.Wait`. */
    readonly waiting: { calls: number; aborted: number; release: () => void };
    /** Stops the server and removes its data. */
    stop(): Promise<void>;
}

/** In a process of its own: the library leaves helpers of its compiler among the globals. */
const CERTIFICATE = `require('selfsigned').generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', algorithm: 'sha256' })
    .then((made) => console.log(JSON.stringify({ cert: made.cert, key: made.private })))`;

interface Certificate {
    readonly cert: string;
    readonly key: string;
}

async function makeCertificate(): Promise<Certificate> {

    const { stdout } = await promisify(execFile)(process.execPath, ['-e', CERTIFICATE], { cwd: __dirname });
    return JSON.parse(stdout) as Certificate;
}

let shared: Promise<Certificate> | undefined;

/** Settings of a server that speaks HTTPS. They have one certificate in a process, as making it takes long; or one of their `own`. */
export async function tlsSettings(folder: string, { own = false } = {}): Promise<{ TLS_CERT: string; TLS_KEY: string }> {

    const { cert, key } = await (own ? makeCertificate() : shared ??= makeCertificate());
    const settings = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
    await writeFile(settings.TLS_CERT, cert);
    await writeFile(settings.TLS_KEY, key);
    return settings;
}

/**
 * Starts a server on a fresh data folder. Its operations: `test/Op.Source` puts out `size` bytes, `test/Op.Sink` counts those
 * it is given, `test/Op.Wait` waits until it is released or its caller goes away, `test/Op.Crash` has a fault.
 */
export async function startServer(settings: Record<string, unknown> = {}, { tls = false } = {}): Promise<TestServer> {

    const folder = await mkdtemp(join(tmpdir(), 'gateway-server-'));
    const remove = (): Promise<void> => rm(folder, { recursive: true });
    try {
        const certificate = tls ? await tlsSettings(folder) : {};
        const started = await startWith({
            PORT: 0, DOIP_PORT: '', DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD, SCRIPT_TIMEOUT_SECONDS: SCRIPT_SECONDS, ...certificate, ...settings
        });
        return { ...started, stop: () => started.stop().then(remove) };
    }
    catch (error) {
        await remove();
        throw error;
    }
}

/** Starts a server with settings that are complete. Its data stays when it is stopped. */
async function startWith(settings: Record<string, unknown>): Promise<TestServer> {

    const log: Record<string, unknown>[] = [];
    const record = (line: string): unknown => log.push(JSON.parse(line) as Record<string, unknown>);
    const logger = pino({ level: 'debug', base: null }, { write: record });
    const workers = testWorkers(settings);
    const { pool, config } = workers === 0 ? { pool: null, config: configure(settings) } : await prepareWorkers(configure(settings), workers, logger);
    const server = await createServerOf(pool && { kind: 'primary', pool }, config, { log: logger, passwordCost: QUICK });
    const waiting = { calls: 0, aborted: 0, release: () => undefined as void };
    registerTestOperations(server, waiting);
    await Promise.all([server.start().then(() => pool?.listen()), pool && startWorkers(pool, settings, (line) => line.startsWith('{') && record(line))]);
    const url = serverUrl(server, config);
    return {
        server, config, log, waiting, url,
        port: Number(new URL(url).port),
        async stop() {

            if (pool) {
                await drainServer(server);
            }

            await server.stop();
        }
    };
}

function registerTestOperations(server: Server, waiting: TestServer['waiting']): void {

    const { gateway } = server.plugins['doip-gateway'];
    const common = { target: 'service', authorise: 'anyone', methods: ['GET', 'POST'] } as const;
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Source', summary: 'bytes',
        handler: async ({ attributes }) => {

            const size = Number(attributes['size']);
            return result.segments(sequence({ kind: 'bytes', body: body(size), length: size }), { mediaType: 'image/png' });
        }
    }));
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Page', summary: 'a page',
        handler: async ({ attributes }) => result.segments(sequence(bytesSegment(Buffer.from('<script>1</script>'))), {
            mediaType: attributes['as'] as string
        })
    }));
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Sink', summary: 'count bytes', input: 'segments',
        handler: async ({ input }) => {

            let bytes = 0;
            for await (const segment of input) {
                if (segment.kind === 'bytes') {
                    for await (const chunk of segment.body) {
                        bytes += chunk.byteLength;
                    }
                }
            }

            return result.json({ bytes });
        }
    }));
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Wait', summary: 'wait', input: 'segments',
        handler: async ({ input, signal }) => {

            for await (const segment of input) {
                await drain(segment.kind === 'bytes' ? segment.body : Readable.from([]));
            }

            waiting.calls += 1;
            const isReleased = await new Promise<boolean>((resolve) => {

                waiting.release = () => resolve(true);
                signal.addEventListener('abort', () => resolve(false));
            });
            waiting.aborted += isReleased ? 0 : 1;
            return result.json({ isReleased });
        }
    }));
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Abort', summary: 'wait until the client is gone',
        handler: ({ signal }) => new Promise((_, reject) => {

            waiting.calls += 1;
            signal.addEventListener('abort', () => {

                reject(signal.reason as Error);
                waiting.aborted += 1;
            });
        })
    }));
    gateway.registerOperation(defineOperation({
        ...common, id: 'test/Op.Crash', summary: 'a fault',
        handler: () => Promise.reject(new Error('the secret is 42'))
    }));
}

/** The path of a test operation. */
export function pathOf(operation: string, query = ''): string {

    return `/doip/test/Op.${operation}?targetId=service${query}`;
}

/** The ways to talk to a server. */
export type Protocol = 'http/1.1' | 'https, http/1.1' | 'https, http/2';

/** A request; a body of bytes or of pieces. */
export interface ClientRequest {
    readonly path: string;
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: AsyncIterable<Uint8Array> | Uint8Array | string;
}

/** A response whose body is still to be read. */
export interface ClientResponse {
    readonly status: number;
    readonly headers: Record<string, string | string[] | undefined>;
    readonly body: Readable;
    /** Cuts the connection off. */
    abort(): void;
}

/** Talks to one server in one way, on a connection of its own. */
export interface Client {
    send(request: ClientRequest): Promise<ClientResponse>;
    /** With the whole body as text. */
    text(request: ClientRequest): Promise<{ status: number; headers: ClientResponse['headers']; text: string }>;
    close(): void;
}

/** A client for a server. */
export function clientOf(server: TestServer, protocol: Protocol): Client {

    const [send, close] = protocol === 'https, http/2' ? http2Client(server) : http1Client(server, protocol);
    return {
        send, close,
        async text(request) {

            const response = await send(request);
            const pieces: Uint8Array[] = [];
            for await (const piece of response.body) {
                pieces.push(piece as Uint8Array);
            }

            return { status: response.status, headers: response.headers, text: Buffer.concat(pieces).toString() };
        }
    };
}

function http1Client({ url }: TestServer, protocol: Protocol): [Client['send'], () => void] {

    const module = protocol === 'http/1.1' ? Http : Https;
    const agent = new module.Agent({ keepAlive: true });
    const send: Client['send'] = async ({ path, method = 'GET', headers = {}, body: content }) => {

        // Node sends the body of a DELETE as it is, which the server would take for the next request.
        const isFramed = method !== 'DELETE' || content === undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'content-length');
        const framing = isFramed ? {} : { 'transfer-encoding': 'chunked' };
        const request = module.request(`${url}${path}`, { method, headers: { ...framing, ...headers }, agent, rejectUnauthorized: false });
        write(content, request).catch(() => undefined);     // Comes out as the error of the request
        const [response] = await once(request, 'response') as [Http.IncomingMessage];
        return { status: response.statusCode ?? 0, headers: response.headers, body: response, abort: () => request.destroy() };
    };

    return [send, () => agent.destroy()];
}

function http2Client({ url }: TestServer): [Client['send'], () => void] {

    const session = Http2.connect(url, { rejectUnauthorized: false, maxSendHeaderBlockLength: 1024 * 1024 });
    session.on('error', () => undefined);                   // Comes out as the error of each request
    const send: Client['send'] = async ({ path, method = 'GET', headers = {}, body: content }) => {

        const request = session.request({ ':path': path, ':method': method, ...headers }, { endStream: content === undefined });
        if (content !== undefined) {
            write(content, request).catch(() => undefined);
        }

        const broken = once(request, 'close').then(() => Promise.reject(new Error('the request was broken off')));
        broken.catch(() => undefined);                      // Every request closes in the end
        const [response] = await Promise.race([once(request, 'response'), broken]) as
            [Http2.IncomingHttpHeaders & Http2.IncomingHttpStatusHeader];
        return {
            status: response[':status'] ?? 0, headers: response, body: request,
            abort: () => request.close(Http2.constants.NGHTTP2_CANCEL)
        };
    };

    return [send, () => session.destroy()];
}

async function write(content: ClientRequest['body'], target: NodeJS.WritableStream): Promise<void> {

    if (content === undefined || typeof content === 'string' || content instanceof Uint8Array) {
        target.end(content ?? '');
        return;
    }

    await pipeline(Readable.from(content), target);
}

/** Writes raw bytes to a server and gives everything that comes back until the connection closes. */
export async function rawExchange(port: number, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {

    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    for (const piece of pieces) {
        socket.write(piece);
    }

    return await readToEnd(socket);
}

/** All bytes of a connection, as text. */
export async function readToEnd(socket: Socket): Promise<string> {

    let text = '';
    socket.on('data', (chunk: Buffer) => {

        text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);                    // A reset after the answer is an end like any other
    await once(socket, 'close');
    return text;
}

/** Status, headers and JSON body of a raw answer. */
export function parseRaw(text: string): { status: number; headers: string; json: { message?: string } } {

    const [head = '', content = ''] = text.split('\r\n\r\n', 2);
    return { status: Number(head.slice(9, 12)), headers: head.toLowerCase(), json: JSON.parse(content) as { message?: string } };
}
