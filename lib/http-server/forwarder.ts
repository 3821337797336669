/**
 * Requests that a worker process forwards to the primary process, over a Unix socket that only this user can reach: both bodies as streams,
 * and the connection of the client in a header that only the two processes know how to write.
 */

import { timingSafeEqual } from 'node:crypto';
import Http from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Request } from '@hapi/hapi';
import { decodeHeader } from '../util/text/header-text.js';

/** Where the primary process takes requests. */
export interface ForwardTarget {
    readonly socketPath: string;
    /** Shared by the processes of a service. */
    readonly secret: string;
}

/** The connection of a client. */
export interface ForwardedConnection {
    readonly remoteAddress: string;
    readonly localAddress: string;
    readonly encrypted: boolean;
    readonly httpVersion: string;
}

const HEADER = 'doip-gateway-forwarded';

/** Headers of one connection alone, and the one of the forwarder. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
    'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', HEADER
]);

/** Milliseconds for which a client that is still sending gets to read a response. */
const LINGER_MS = 5000;

/** What a worker knows of its clients. */
export interface Clients {
    connectionOf(request: Request): ForwardedConnection;
    /** True when clients are to close their connections. */
    isLeaving(): boolean;
    /** Called when the primary process does not answer, before the client gets 503. */
    onFailure(request: Request, error: Error): void;
}

/** Creates the function that forwards a request and its response. */
export function createForwarder({ socketPath, secret }: ForwardTarget, clients: Clients): (request: Request) => void {

    const agent = new Http.Agent({ keepAlive: true });
    return (request) => {

        const { req, res } = request.raw;
        if (req.socket.destroyed) {
            return;                                         // Of a client that has gone no address is known
        }

        const { remoteAddress, localAddress, encrypted, httpVersion } = clients.connectionOf(request);
        const headers = headersOf(req);
        headers[HEADER] = `${secret} ${httpVersion} ${encrypted ? 'tls' : 'plain'} ${localAddress || '-'} ${remoteAddress || '-'}`;
        const forwarded = Http.request({ socketPath, agent, method: req.method ?? 'GET', path: encoded(req.url ?? '/'), headers, setHost: false });
        forwarded.once('response', (response) => relay(response, res, clients.isLeaving()));
        forwarded.once('error', (error) => {

            if (!res.writableEnded && !res.destroyed) {
                clients.onFailure(request, error);
                fail(req, res);
            }
        });
        res.once('close', () => {

            if (!res.writableFinished) {
                forwarded.destroy();
            }
        });
        sendBody(req, res, forwarded);
    };
}

/** A URL without the characters that HTTP/2 permits and HTTP/1.1 does not. Path and query may be UTF-8, each for itself. */
function encoded(url: string): string {

    const mark = url.indexOf('?');
    return mark < 0 ? encodedPart(url) : encodedPart(url.slice(0, mark)) + encodedPart(url.slice(mark));
}

function encodedPart(part: string): string {

    return decodeHeader(part).toWellFormed().replace(/[^\0-\x7f]/gu, encodeURIComponent);
}

/** Reads the connection of the client of a forwarded request; null unless a process of this service has forwarded it. */
export function readForwarded({ headers }: Request, secret: string): ForwardedConnection | null {

    const [given = '', httpVersion = '', kind, localAddress = '', remoteAddress = ''] = headerOf(headers).split(' ');
    const [one, other] = [Buffer.from(given), Buffer.from(secret)];
    if (one.length !== other.length || !timingSafeEqual(one, other)) {
        return null;
    }

    delete headers[HEADER];
    return {
        httpVersion, encrypted: kind === 'tls', localAddress: localAddress === '-' ? '' : localAddress, remoteAddress: remoteAddress === '-' ? '' : remoteAddress
    };
}

function headerOf(headers: Request['headers']): string {

    const header: unknown = headers[HEADER];
    return typeof header === 'string' ? header : '';
}

/**
 * The headers of a request as they were sent, without those of the connection. Of a body they always tell the length, or that it is in chunks:
 * without, which is what node does for some methods, the primary process would take its bytes for the next request of another client.
 */
function headersOf(req: Http.IncomingMessage): Http.OutgoingHttpHeaders {

    const copied = endToEnd(req.rawHeaders);
    copied['host'] ??= req.headers[':authority'] ?? '';
    if (!hasBody(req)) {
        delete copied['content-length'];
    }
    else if (copied['content-length'] === undefined) {
        copied['transfer-encoding'] = 'chunked';
    }

    return copied;
}

function endToEnd(rawHeaders: readonly string[]): Record<string, string | string[]> {

    const copied: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
        const name = (rawHeaders[i] ?? '').toLowerCase();
        const value = rawHeaders[i + 1] ?? '';
        if (!name.startsWith(':') && !OF_CONNECTION.has(name)) {
            const before = copied[name];
            copied[name] = before === undefined ? value : [before, value].flat();
        }
    }

    return copied;
}

function sendBody(req: Http.IncomingMessage, res: ServerResponse, forwarded: Http.ClientRequest): void {

    if (!hasBody(req)) {
        forwarded.end();
        return;
    }

    // A client that waits for permission to send gets that of the primary process.
    if (req.headers.expect === undefined) {
        req.pipe(forwarded);
    }
    else {
        forwarded.once('continue', () => {

            res.writeContinue();
            req.pipe(forwarded);
        });
        forwarded.flushHeaders();
    }

    req.once('close', () => {

        if (!forwarded.writableEnded) {
            forwarded.destroy();                            // The body ends early
        }
    });
}

function hasBody(req: Http.IncomingMessage): boolean {

    if (req.httpVersionMajor === 1) {
        return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
    }

    return !(req as Http.IncomingMessage & { readonly stream: { readonly endAfterHeaders: boolean } }).stream.endAfterHeaders;
}

/** Sends a response of the primary process to the client. */
function relay(response: Http.IncomingMessage, res: ServerResponse, isLeaving: boolean): void {

    for (const [name, value] of Object.entries(endToEnd(response.rawHeaders))) {
        res.setHeader(name, value);
    }

    if (isLeaving || response.headers.connection === 'close') {
        res.setHeader('connection', 'close');
    }

    res.writeHead(response.statusCode ?? 500);
    response.once('error', () => res.destroy());
    response.pipe(res);
}

/** The primary process broke the connection: it stops, or had to end a request whose body did not end. */
function fail(req: Http.IncomingMessage, res: ServerResponse): void {

    if (res.headersSent) {
        setTimeout(() => res.destroy(), LINGER_MS).unref();
        req.unpipe().resume();
        return;
    }

    const body = JSON.stringify({ message: 'The system is shutting down.' });
    res.writeHead(503, {
        'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body), 'cache-control': 'no-cache', 'retry-after': '5'
    });
    res.end(body);
    req.unpipe().resume();
}
