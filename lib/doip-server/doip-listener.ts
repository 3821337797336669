/**
 * Listener for native DOIP: accepts connections, over TLS unless configured otherwise, and hands them to sessions. Clients may present a
 * certificate of any issuer; what it proves is decided with each request.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { Server as TlsServer, TLSSocket } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/index.js';
import { ConfigError } from '../config/index.js';
import { shareConnections } from '../http-server/connection-limit.js';
import { peerOf } from '../http-server/connections.js';
import { makeRequestId } from '../http-server/request-id.js';
import type { Connection, DoipTcpOptions } from '../../translators/doip-tcp/index.js';
import { Session } from '../../translators/doip-tcp/index.js';
import { withoutMapping } from '../util/net/ip-address.js';
import { readClientCertificate } from './client-certificate.js';

/** A key with its certificate, both as PEM. */
export interface TlsIdentity {
    readonly key: string;
    readonly cert: string;
}

/** Options of {@link DoipListener}. */
export interface DoipListenerOptions {
    readonly config: Pick<Config, 'doip' | 'http' | 'listen'>;
    readonly port: number;
    /** The identity of the service, where no certificate is configured. */
    readonly identity: TlsIdentity;
    /** Of the sessions. */
    readonly translator: DoipTcpOptions;
    readonly log: Logger;
}

/** Interval in milliseconds at which configured certificates are looked at. */
const CERTIFICATE_CHECK_MS = 10_000;

const MIN_TLS = 'TLSv1.2';

/** The listener. */
export class DoipListener {

    readonly #options: DoipListenerOptions;
    readonly #server: Server;
    readonly #sessions = new Map<Session, Connection>();
    /** Connections in the TLS handshake, by the address of the client. */
    readonly #handshakes = new Map<string, Socket>();
    #timer: NodeJS.Timeout | undefined;
    /** Times of change of the configured files: of those in use, and of those that cannot be used. */
    #usedTimes = '';
    #invalidTimes = '';

    private constructor(options: DoipListenerOptions) {

        this.#options = options;
        const { config: { doip, http, listen } } = options;
        this.#server = doip.plain ? createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#serve(socket, socket, null)) : this.#createTls();
        this.#server.maxConnections = http.maxConnections;
        shareConnections(this.#server, http, { ...listen, trustedProxies: [] });
    }

    /**
     * Begins to listen.
     *
     * @throws ConfigError for an invalid certificate or key
     * @throws Error of the system if the address cannot be used
     */
    static async start(options: DoipListenerOptions): Promise<DoipListener> {

        const listener = new DoipListener(options);
        const { config: { doip, listen }, port } = options;
        const server = listener.#server.listen({ port, host: doip.host ?? listen.host });
        await once(server, 'listening');
        server.on('error', (error) => options.log.error({ event: 'doip.listener-error', err: error }, 'DOIP listener failed'));
        return listener;
    }

    /** The port on which it listens. */
    get port(): number {

        const address = this.#server.address();
        return typeof address === 'object' && address !== null ? address.port : 0;
    }

    /** Number of open connections. */
    get connections(): number {

        return this.#sessions.size;
    }

    /** Accepts no more connections, lets requests in progress finish, and cuts the connections that are left after `graceMs`. */
    async stop(graceMs: number): Promise<void> {

        clearInterval(this.#timer);
        const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
        for (const session of this.#sessions.keys()) {
            session.shutDown();
        }

        for (const socket of this.#handshakes.values()) {
            socket.destroy();
        }

        const over = new AbortController();
        await Promise.race([closed, delay(graceMs, undefined, { signal: over.signal }).catch(() => undefined)]);
        over.abort();
        for (const { reset } of this.#sessions.values()) {
            reset();
        }

        await closed;
    }

    #createTls(): TlsServer {

        const { http } = this.#options.config;
        const server = createTlsServer({
            ...this.#certificate(), minVersion: MIN_TLS, requestCert: true, rejectUnauthorized: false,
            noDelay: true, handshakeTimeout: http.headersSeconds * 1000
        }, (socket) => {

            // Only now: a client that leaves during the handshake is gone.
            socket.allowHalfOpen = true;
            const peer = peerOf(socket);
            const raw = this.#handshakes.get(peer);
            this.#handshakes.delete(peer);
            this.#serve(socket, raw ?? socket, socket);
        });
        server.on('connection', (socket: Socket) => {

            const peer = peerOf(socket);
            this.#handshakes.set(peer, socket);
            socket.once('close', () => {

                // Not a later connection from the same port.
                if (this.#handshakes.get(peer) === socket) {
                    this.#handshakes.delete(peer);
                }
            });
        });
        server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
        const { tlsCert, tlsKey } = this.#options.config.doip;
        if (tlsCert !== null && tlsKey !== null) {
            this.#timer = setInterval(() => this.#renewCertificate(server, tlsCert, tlsKey), CERTIFICATE_CHECK_MS).unref();
        }

        return server;
    }

    /** Returns the configured certificate, or that of the service. */
    #certificate(): TlsIdentity {

        const { config: { doip: { tlsCert, tlsKey } }, identity } = this.#options;
        if (tlsCert === null || tlsKey === null) {
            return identity;
        }

        try {
            return this.#readCertificate(tlsCert, tlsKey);
        }
        catch (error) {
            throw new ConfigError([`DOIP_TLS_CERT and DOIP_TLS_KEY cannot be used: ${(error as Error).message}`]);
        }
    }

    /** Reads configured files. Throws if they do not fit each other, as while they are being written. */
    #readCertificate(certPath: string, keyPath: string): TlsIdentity {

        const times = timesOf(certPath, keyPath);
        const [cert, key] = [readFileSync(certPath, 'utf8'), readFileSync(keyPath, 'utf8')];
        if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
            throw new Error('the key is not that of the certificate');
        }

        this.#usedTimes = times;
        return { cert, key };
    }

    /** Uses configured files that have changed for new connections, once they fit each other. */
    #renewCertificate(server: TlsServer, certPath: string, keyPath: string): void {

        const { log } = this.#options;
        let times = '';
        try {
            times = timesOf(certPath, keyPath);
            if (times !== this.#usedTimes) {
                server.setSecureContext({ ...this.#readCertificate(certPath, keyPath), minVersion: MIN_TLS });
                log.info({ event: 'doip.certificate-renewed' }, 'DOIP certificate renewed');
            }
        }
        catch (error) {
            if (times !== this.#invalidTimes) {
                log.warn({ event: 'doip.certificate-invalid', err: error }, 'DOIP certificate cannot be used, keeping the former one');
            }

            this.#invalidTimes = times;
        }
    }

    /** Serves a connection; `raw` is the one below `tls`. */
    #serve(socket: Socket, raw: Socket, tls: TLSSocket | null): void {

        const certificate = tls?.getPeerX509Certificate();
        const connection: Connection = {
            socket, id: makeRequestId(), remoteAddress: withoutMapping(raw.remoteAddress ?? ''), isEncrypted: tls !== null,
            certificate: certificate ? readClientCertificate(certificate) : null,
            reset: () => {

                if (!raw.destroyed && raw !== tls) {
                    raw.resetAndDestroy();
                }

                socket.destroy();
            }
        };
        const session = new Session(connection, this.#options.translator);
        this.#sessions.set(session, connection);
        void session.serve().finally(() => this.#sessions.delete(session));
    }
}

function timesOf(...paths: readonly string[]): string {

    return paths.map((path) => statSync(path).mtimeMs).join(' ');
}
