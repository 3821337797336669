/** HTTP/2 session management: idle timeout, stalled requests, and graceful shutdown. */

import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import { constants } from 'node:http2';
import type { HttpConfig } from '../config/index.js';
import { makeRequestId } from './request-id.js';
import { isStarved, STARVED_MESSAGE } from './stall.js';

/** Sessions of one server. */
export class Http2Sessions {

    readonly #stallMs: number;
    readonly #idleMs: number;
    readonly #headersMs: number;
    /** Number of requests in progress by session. */
    readonly #sessions = new Map<ServerHttp2Session, number>();
    readonly #timers = new WeakMap<ServerHttp2Session, NodeJS.Timeout>();
    #isClosing = false;

    constructor(server: Http2Server, config: HttpConfig) {

        this.#stallMs = config.stallSeconds * 1000;
        this.#idleMs = config.keepAliveSeconds * 1000;
        this.#headersMs = config.headersSeconds * 1000;
        server.on('session', (session) => this.#track(session));
        server.on('request', (request, response) => this.#start(request, response));
        server.on('checkContinue', (request, response) => this.#start(request, response));
    }

    /**
     * Asks clients to send their further requests on another connection. A request that is on its way to a session meanwhile is refused,
     * which tells its client that it may be repeated; new sessions are served.
     */
    retire(): void {

        for (const session of this.#sessions.keys()) {
            session.close();
        }
    }

    /** Accepts no more requests; each session closes after its last one. */
    close(): void {

        this.#isClosing = true;
        this.retire();
    }

    /** Closes all sessions at once. */
    destroy(): void {

        for (const session of this.#sessions.keys()) {
            session.destroy();
        }
    }

    #track(session: ServerHttp2Session): void {

        this.#sessions.set(session, 0);
        session.once('close', () => {

            this.#sessions.delete(session);
            clearTimeout(this.#timers.get(session));
        });
        this.#awaitRequest(session);
        if (this.#isClosing) {
            session.close();
        }
    }

    /**
     * Closes a session after the keep-alive time without a request. A stream with incomplete headers is not a request, but keeps a session
     * from closing, so it gets the header timeout to complete. Other frames, such as PING or CONTINUATION, do not reset the timers.
     */
    #awaitRequest(session: ServerHttp2Session): void {

        this.#after(session, this.#idleMs, () => {

            session.close();
            this.#after(session, this.#headersMs, () => session.destroy());
        });
    }

    #after(session: ServerHttp2Session, ms: number, act: () => void): void {

        clearTimeout(this.#timers.get(session));
        this.#timers.set(session, setTimeout(act, ms).unref());
    }

    /** Counts a request as in progress until its stream closes. */
    #count(session: ServerHttp2Session, { stream }: Http2ServerRequest): void {

        clearTimeout(this.#timers.get(session));
        this.#sessions.set(session, (this.#sessions.get(session) ?? 0) + 1);
        stream.once('close', () => {

            const left = (this.#sessions.get(session) ?? 1) - 1;
            if (!session.destroyed) {
                this.#sessions.set(session, left);
                if (left === 0) {
                    this.#awaitRequest(session);
                }
            }
        });
    }

    #start(request: Http2ServerRequest, response: Http2ServerResponse): void {

        const { session } = request.stream;
        if (session) {
            this.#count(session as ServerHttp2Session, request);
        }

        this.#watch(request, response);
    }

    #watch(request: Http2ServerRequest, response: Http2ServerResponse): void {

        request.setTimeout(this.#stallMs, () => this.#onStalled(request, response));
    }

    /** Handles a stream timeout: responds with 408 or resets the stream if the client stalled. */
    #onStalled(request: Http2ServerRequest, response: Http2ServerResponse): void {

        const { stream } = request;
        if (stream.destroyed) {
            return;
        }

        if (isStarved(request) && !stream.headersSent) {
            const body = JSON.stringify({ message: STARVED_MESSAGE });
            stream.respond({ ':status': 408, 'content-type': 'application/json; charset=utf-8', 'request-id': makeRequestId() });
            stream.end(body);
            stream.close(constants.NGHTTP2_NO_ERROR);
        }
        else if (isStarved(request) || stream.writableLength > 0) {
            stream.close(constants.NGHTTP2_CANCEL);
        }
        else {
            this.#watch(request, response);                 // The service is still working
        }
    }
}
