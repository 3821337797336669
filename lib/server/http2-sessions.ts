/**
 * Sessions of HTTP/2: idle ones end, clients that stop in the middle of a request lose it, and all of them end with the service.
 */

import type { Http2Server, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import { constants } from 'node:http2';
import type { HttpConfig } from '../config.js';
import { makeRequestId } from './request-id.js';
import { isStarved, STARVED_MESSAGE } from './stall.js';

/** The sessions of one server. */
export class Http2Sessions {

    readonly #stallMs: number;
    readonly #sessions = new Set<ServerHttp2Session>();
    #isClosing = false;

    constructor(server: Http2Server, config: HttpConfig) {

        this.#stallMs = config.stallSeconds * 1000;
        server.on('session', (session) => this.#track(session, config.keepAliveSeconds * 1000));
        server.on('request', (request, response) => this.#watch(request, response));
        server.on('checkContinue', (request, response) => this.#watch(request, response));
    }

    /** Takes no more requests; each session ends with its last one. */
    close(): void {

        this.#isClosing = true;
        for (const session of this.#sessions) {
            session.close();
        }
    }

    /** Ends all sessions at once. */
    destroy(): void {

        for (const session of this.#sessions) {
            session.destroy();
        }
    }

    #track(session: ServerHttp2Session, keepAliveMs: number): void {

        this.#sessions.add(session);
        session.once('close', () => this.#sessions.delete(session));
        session.setTimeout(keepAliveMs, () => session.close());
        if (this.#isClosing) {
            session.close();
        }
    }

    #watch(request: Http2ServerRequest, response: Http2ServerResponse): void {

        request.setTimeout(this.#stallMs, () => this.#onSilence(request, response));
    }

    /** Nothing went through a stream for a while. */
    #onSilence(request: Http2ServerRequest, response: Http2ServerResponse): void {

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
            this.#watch(request, response);                 // We are still at work
        }
    }
}
