/**
 * The listening server: HTTP/1.1, or HTTPS with HTTP/2 and HTTP/1.1 selected by ALPN. Sets protocol limits, and emits the requests of both
 * protocols as events of one server, as hapi expects.
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

/** The server for hapi, and the protocol servers behind it. */
export interface Listener {
    /** Emits `request`, `checkContinue`, `checkExpectation` and `clientError` for either protocol. */
    readonly front: Http.Server;
    readonly http1: Http.Server;
    /** Null without TLS. */
    readonly http2: Http2.Http2Server | null;
    readonly isSecure: boolean;
}

/** Maximum number of headers of an HTTP/2 request. */
const HEADER_PAIRS = 1000;
/** Factor for the limits of the parser, which only stops extreme sizes; URL and headers are checked exactly later. */
const PARSER_SLACK = 4;
/** Maximum interval in milliseconds between checks of the header timeout. */
const CHECK_MS = 1000;
const EVENTS = ['request', 'checkContinue', 'checkExpectation', 'clientError'] as const;

/**
 * Creates the listener without listening.
 *
 * @throws ConfigError for an invalid certificate or key
 */
export function createListener(listen: ListenConfig, http: HttpConfig): Listener {

    const http1 = createHttp1(http);
    if (listen.tlsCert === null || listen.tlsKey === null) {
        http1.maxConnections = http.maxConnections;
        return { front: http1, http1, http2: null, isSecure: false };
    }

    const http2 = createHttp2(http);
    const front = createTls(listen.tlsCert, listen.tlsKey, http, (socket) => {

        // Hand the accepted connection to the server of its protocol.
        (socket.alpnProtocol === 'h2' ? http2 : http1).emit('connection', socket);
    });
    // A server that does not listen itself checks header timeouts only after this event.
    front.on('listening', () => http1.emit('listening'));
    front.on('close', () => http1.close());
    for (const event of EVENTS) {
        http1.on(event, (...args: unknown[]) => front.emit(event, ...args));
        http2.on(event, (...args: unknown[]) => front.emit(event, ...args));
    }

    // Hapi only needs a server that listens, closes and emits requests.
    return { front: front as unknown as Http.Server, http1, http2, isSecure: true };
}

function createHttp1(http: HttpConfig): Http.Server {

    const server = Http.createServer({
        maxHeaderSize: (http.maxUrlBytes + http.maxHeaderBytes) * PARSER_SLACK,
        headersTimeout: http.headersSeconds * 1000,
        requestTimeout: 0,                                  // Uploads may take hours; see stall.ts
        keepAliveTimeout: http.keepAliveSeconds * 1000,
        connectionsCheckingInterval: Math.min(CHECK_MS, http.headersSeconds * 500),
        requireHostHeader: false,                           // Node's error response is not JSON; see request-limits.ts
        noDelay: true
    });
    server.maxHeadersCount = 0;                             // Bounded by size
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
    // Errors of a session or stream concern only its client.
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

/** A response that drops the header `Connection`, which HTTP/2 forbids, and whose early end is an error for its client. */
export class Http2Response extends Http2ServerResponse {

    override setHeader(name: string, value: OutgoingHttpHeader): void {

        if (name.toLowerCase() !== 'connection') {
            super.setHeader(name, value);
        }
    }

    /** Without an error, as hapi does it, the stream would end as after a whole response. */
    override destroy(error: Error = new Error('the response was broken off')): this {

        return super.destroy(error);
    }
}
