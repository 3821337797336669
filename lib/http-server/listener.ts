/**
 * What listens: HTTP/1.1, or with a certificate HTTPS with HTTP/2 and HTTP/1.1 beside it, chosen by ALPN. Bounds of the
 * protocol itself are set here; requests come out as events of one listener, as hapi expects them.
 */

import { readFileSync } from 'node:fs';
import Http from 'node:http';
import Http2, { Http2ServerResponse } from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import type { HttpConfig, ListenConfig } from '../config/index.js';
import { ConfigError } from '../config/index.js';
import type { OutgoingHttpHeader } from 'node:http';

/** What hapi is given to listen with, and the servers behind it. */
export interface Listener {
    /** Emits `request`, `checkContinue`, `checkExpectation` and `clientError`, whatever the protocol. */
    readonly front: Http.Server;
    readonly http1: Http.Server;
    /** Null without TLS. */
    readonly http2: Http2.Http2Server | null;
    readonly isSecure: boolean;
}

/** What the lists of headers of one HTTP/2 request may hold. */
const HEADER_PAIRS = 1000;
/** URL and headers are measured precisely later; the parser only stops what is far beyond. */
const PARSER_SLACK = 4;
/** Connections are looked at this often for headers that do not arrive, more often when they are not given that long. */
const CHECK_MS = 1000;
const EVENTS = ['request', 'checkContinue', 'checkExpectation', 'clientError'] as const;

/**
 * Makes the listener; nothing listens yet.
 *
 * @throws ConfigError when certificate and key cannot be used
 */
export function createListener(listen: ListenConfig, http: HttpConfig): Listener {

    const http1 = createHttp1(http);
    if (listen.tlsCert === null || listen.tlsKey === null) {
        http1.maxConnections = http.maxConnections;
        return { front: http1, http1, http2: null, isSecure: false };
    }

    const http2 = createHttp2(http);
    const front = createTls(listen.tlsCert, listen.tlsKey, http, (socket) => {

        // Both servers take connections that others have accepted, by this event.
        (socket.alpnProtocol === 'h2' ? http2 : http1).emit('connection', socket);
    });
    // A server that does not listen itself starts its check for late headers only when it is told so.
    front.on('listening', () => http1.emit('listening'));
    front.on('close', () => http1.close());
    for (const event of EVENTS) {
        http1.on(event, (...args: unknown[]) => front.emit(event, ...args));
        http2.on(event, (...args: unknown[]) => front.emit(event, ...args));
    }

    // For hapi it is a server like any other: it listens, closes and emits requests.
    return { front: front as unknown as Http.Server, http1, http2, isSecure: true };
}

function createHttp1(http: HttpConfig): Http.Server {

    const server = Http.createServer({
        maxHeaderSize: (http.maxUrlBytes + http.maxHeaderBytes) * PARSER_SLACK,
        headersTimeout: http.headersSeconds * 1000,
        requestTimeout: 0,                                  // Uploads may take hours; see stall.ts
        keepAliveTimeout: http.keepAliveSeconds * 1000,
        connectionsCheckingInterval: Math.min(CHECK_MS, http.headersSeconds * 500),
        requireHostHeader: false,                           // Its answer would not be JSON; see request-limits.ts
        noDelay: true
    });
    server.maxHeadersCount = 0;                             // Bounded by their size
    server.timeout = http.stallSeconds * 1000;
    return server;
}

function createHttp2(http: HttpConfig): Http2.Http2Server {

    const server = Http2.createServer({
        Http2ServerResponse: Http2Response,
        maxHeaderListPairs: HEADER_PAIRS,
        settings: {
            maxConcurrentStreams: http.maxStreams,
            maxHeaderListSize: (http.maxUrlBytes + http.maxHeaderBytes) * PARSER_SLACK,
            enablePush: false
        }
    });
    // What breaks a session or a stream concerns its client alone.
    server.on('sessionError', () => undefined);
    return server;
}

function createTls(certPath: string, keyPath: string, http: HttpConfig, onSocket: (socket: TLSSocket) => void): NetServer {

    try {
        const server = createTlsServer({
            cert: readFileSync(certPath),
            key: readFileSync(keyPath),
            ALPNProtocols: ['h2', 'http/1.1'],
            handshakeTimeout: http.headersSeconds * 1000,
            noDelay: true
        }, onSocket);
        server.maxConnections = http.maxConnections;
        server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
        return server;
    }
    catch (error) {
        throw new ConfigError([`TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}`]);
    }
}

/** A response that leaves the header out. */
export class Http2Response extends Http2ServerResponse {

    override setHeader(name: string, value: OutgoingHttpHeader): void {

        if (name.toLowerCase() !== 'connection') {
            super.setHeader(name, value);
        }
    }
}
