/** Connection tracking: which connections are busy, which clients stalled, and graceful shutdown. */

import type Http from 'node:http';
import type { Socket } from 'node:net';
import type { HttpConfig } from '../config/index.js';
import { Http2Sessions } from './http2-sessions.js';
import type { Listener } from './listener.js';
import { answerRaw } from './raw-response.js';
import { makeRequestId } from './request-id.js';
import { isStarved, STARVED_MESSAGE } from './stall.js';

/** A request in progress on an HTTP/1.1 connection. */
interface PendingExchange {
    readonly request: Http.IncomingMessage;
    readonly response: Http.ServerResponse;
}

/** Tracks the connections of one listener. */
export class Connections {

    readonly #stallMs: number;
    /** Open connections, with the time of the last request in HTTP/1.1. */
    readonly #sockets = new Map<Socket, number>();
    /** Connections in the TLS handshake, by the address of the peer. */
    readonly #handshakes = new Map<string, Socket>();
    readonly #exchanges = new Map<Socket, PendingExchange>();
    readonly #sessions: Http2Sessions | null;
    #isLeaving = false;
    #retired = Infinity;
    #isClosing = false;
    #deadline: NodeJS.Timeout | undefined;

    constructor({ front, http1, http2, isSecure }: Listener, config: HttpConfig) {

        this.#stallMs = config.stallSeconds * 1000;
        if (isSecure) {
            front.on('secureConnection', (socket: Socket) => this.#track(socket));
            front.on('connection', (socket: Socket) => this.#trackHandshake(socket));
        }
        else {
            front.on('connection', (socket: Socket) => this.#track(socket));
        }

        http1.on('request', (request, response) => this.#start({ request, response }));
        http1.on('checkContinue', (request, response) => this.#start({ request, response }));
        http1.on('timeout', (socket: Socket) => this.#onIdle(socket));
        this.#sessions = http2 && new Http2Sessions(http2, config);
        front.on('close', () => clearTimeout(this.#deadline));
    }

    /** True before and during shutdown: responses then ask clients to close the connection. */
    get isLeaving(): boolean {

        return this.#isLeaving;
    }

    /** Number of open connections. */
    get count(): number {

        return this.#sockets.size;
    }

    /** The request in progress on an HTTP/1.1 connection. */
    exchangeOn(socket: Socket): PendingExchange | undefined {

        return this.#exchanges.get(socket);
    }

    /** Asks clients to leave, before shutdown: with their next response, or at once in HTTP/2. Requests are still accepted, on new connections too. */
    retire(): void {

        this.#isLeaving = true;
        this.#retired = performance.now();
        this.#sessions?.retire();
    }

    /** True while HTTP/1.1 connections are open that had a request in the last `ms` milliseconds before {@link retire}, or since. */
    hasBusy(ms: number): boolean {

        const earliest = this.#retired - ms;
        return [...this.#sockets.values()].some((lastRequest) => lastRequest > earliest);
    }

    /** Graceful shutdown: closes each connection when it is idle, and all of them after `graceMs`. */
    drain(graceMs: number): void {

        this.#isLeaving = true;
        this.#isClosing = true;
        this.#sessions?.close();
        for (const socket of this.#sockets.keys()) {
            if (!this.#exchanges.has(socket) && !this.#isHttp2(socket)) {
                socket.destroySoon();
            }
        }

        for (const socket of this.#handshakes.values()) {
            socket.destroy();
        }

        this.#deadline = setTimeout(() => this.#cut(), graceMs);
    }

    #cut(): void {

        this.#sessions?.destroy();
        for (const socket of this.#sockets.keys()) {
            socket.destroy();
        }
    }

    #track(socket: Socket): void {

        this.#sockets.set(socket, -Infinity);
        this.#handshakes.delete(peerOf(socket));
        socket.once('close', () => {

            this.#sockets.delete(socket);
            this.#exchanges.delete(socket);
        });
    }

    #trackHandshake(socket: Socket): void {

        const peer = peerOf(socket);
        this.#handshakes.set(peer, socket);
        socket.once('close', () => this.#handshakes.delete(peer));
    }

    #isHttp2(socket: Socket): boolean {

        return (socket as Socket & { alpnProtocol?: string | false | null }).alpnProtocol === 'h2';
    }

    #start(exchange: PendingExchange): void {

        const { socket } = exchange.request;
        this.#sockets.set(socket, performance.now());
        this.#exchanges.set(socket, exchange);
        exchange.response.on('close', () => {

            if (this.#exchanges.get(socket) === exchange) {
                this.#exchanges.delete(socket);
                if (this.#isClosing) {
                    socket.destroySoon();
                }
            }
        });
    }

    /** Handles a connection timeout: closes it if the client stalled. */
    #onIdle(socket: Socket): void {

        const exchange = this.#exchanges.get(socket);
        if (!exchange) {
            socket.destroy();
            return;
        }

        const { request, response } = exchange;
        if (isStarved(request)) {
            if (response.headersSent) {
                socket.destroy();
            }
            else {
                answerRaw(socket, 408, STARVED_MESSAGE, makeRequestId());
            }
        }
        else if (socket.writableLength > 0) {
            socket.destroy();                               // The client does not read the response
        }
        else {
            socket.setTimeout(this.#stallMs);               // The service is still working
        }
    }
}

/** Key that is the same for a connection and the TLS connection on it. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {

    return `${remoteAddress} ${remotePort}`;
}
