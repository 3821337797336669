/**
 * A connection of a native client: its requests are performed one after another, and answered in their order. After an error of an operation
 * the connection goes on; after broken framing it is closed, with a response that says why.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { DoipRequest, DoipResponse, Transport } from '../../lib/doip/envelope.js';
import { badRequest, DoipError } from '../../lib/errors/errors.js';
import { Status } from '../../lib/errors/status.js';
import { readableError } from '../../lib/util/readable-error.js';
import { DISCARD } from '../http/request/translator-options.js';
import type { BodyAccount } from '../http/request/body-memory.js';
import { ANY_INPUT } from '../http/request/request-limits.js';
import { isRateLimited } from '../http/request/request-facts.js';
import { MessageReader } from '../../lib/doip/framing/message-reader.js';
import { CONNECT_AGAIN, MessageWriter } from '../../lib/doip/framing/message-writer.js';
import type { Connection, DoipTcpOptions } from './options.js';
import { readRequest } from './request.js';
import { writeError, writeResponse } from './response.js';

/** Interval in milliseconds at which a client that waits for an operation hears that the service is alive; some wait for 5 s only. */
const KEEP_ALIVE_MS = 3000;

/** A request in progress. */
interface PendingRequest {
    readonly began: number;
    readonly transport: Transport;
    readonly abort: AbortController;
    readonly accounts: BodyAccount[];
    /** Runs while an operation is performed and its output is computed. */
    keepAlive?: NodeJS.Timeout;
    request: DoipRequest | null;
    callerId: DoipResponse['callerId'];
    createdId?: DoipResponse['createdId'] | undefined;
    isRejectedEarly: boolean;
}

/** Serves one connection. */
export class Session {

    readonly #connection: Connection;
    readonly #options: DoipTcpOptions;
    readonly #messages: MessageReader;
    readonly #writer: MessageWriter;
    #pending: PendingRequest | null = null;
    #count = 0;
    #moved = { bytesRead: 0, bytesWritten: 0 };
    #isClosing = false;
    #isEnding = false;

    constructor(connection: Connection, options: DoipTcpOptions) {

        const { socket } = connection;
        this.#connection = connection;
        this.#options = options;
        this.#messages = new MessageReader(socket);
        this.#writer = new MessageWriter(socket);
        socket.setNoDelay(true);
        socket.on('timeout', () => this.#onTimeout());
        socket.on('close', () => this.#pending?.abort.abort(clientGone()));
        // Reported by the read or write in progress.
        socket.on('error', () => undefined);
    }

    /** Serves until either side closes the connection. Never rejects. */
    async serve(): Promise<void> {

        const { socket } = this.#connection;
        const { idleMs, stallMs } = this.#options.limits;
        try {
            for (let goesOn = true; goesOn;) {
                socket.setTimeout(idleMs);
                const isMessage = await this.#nextMessage();
                socket.setTimeout(stallMs);
                // A message that has come while the connection is being ended is not performed: nobody would read its response.
                goesOn = isMessage && !this.#isEnding && await this.#answer() && !this.#isClosing;
            }
        }
        catch (error) {
            // The connection is lost, or the client does not read.
            if (!socket.destroyed) {
                this.#options.onError(error);
            }
        }

        await this.#close();
    }

    /** Closes the connection: at once if no request is in progress, otherwise after its response. */
    shutDown(): void {

        this.#isClosing = true;
        if (!this.#pending) {
            void this.#endIdle('the service stops');
        }
    }

    /** Waits for a message. What is none is answered like a request that cannot be read. */
    async #nextMessage(): Promise<boolean> {

        try {
            return await this.#messages.nextMessage();
        }
        catch (error) {
            if (!(error instanceof DoipError) || this.#connection.socket.destroyed) {
                return false;
            }

            const { id, remoteAddress } = this.#connection;
            const status = await writeError(this.#writer, null, error);
            this.#options.onAnswered({
                logId: id, request: null, status, callerId: undefined, createdId: undefined,
                remoteAddress, isRejectedEarly: false, ms: 0, isBroken: false, ...this.#bytes()
            });
            return false;
        }
    }

    /** Performs one request and writes the response; false if the connection cannot be used any longer. */
    async #answer(): Promise<boolean> {

        const { id, remoteAddress, isEncrypted, certificate } = this.#connection;
        const pending: PendingRequest = {
            began: performance.now(), abort: new AbortController(), accounts: [], request: null, callerId: undefined, isRejectedEarly: false,
            transport: {
                protocol: 'doip', secure: isEncrypted, remoteAddress, logId: `${id}-${++this.#count}`,
                ...certificate ? { clientCertificate: certificate } : {}
            }
        };
        this.#pending = pending;
        if (this.#connection.socket.destroyed) {
            pending.abort.abort(clientGone());
        }

        let status: string = Status.internal;
        let isDone = false;
        let isUsable = true;
        const seen: { requestId: string | null } = { requestId: null };
        try {
            const { request, response } = await this.#perform(pending, seen);
            status = response.status;
            await writeResponse(this.#writer, response, { request, statuses: this.#options.gateway.statuses });
            isDone = true;
        }
        catch (thrown) {
            const error = this.#explain(thrown);
            if (this.#writer.isInMessage) {
                isUsable = await this.#writer.breakOff();
            }
            else {
                status = await writeError(this.#writer, seen.requestId, error);
                isDone = true;
            }
        }
        finally {
            this.#pending = null;
            clearInterval(pending.keepAlive);
            pending.accounts.forEach(({ close }) => close());
            this.#report(pending, status, isDone);
        }

        return isUsable && !this.#messages.isBroken && await this.#discardRest();
    }

    async #perform(pending: PendingRequest, seen: { requestId: string | null }): Promise<{ request: DoipRequest; response: DoipResponse }> {

        const { gateway, limits, memory } = this.#options;
        const { transport, accounts, abort } = pending;
        const timer = setTimeout(() => this.#messages.fail(badRequest('the request did not arrive in time')), limits.headMs);
        let request: DoipRequest;
        try {
            request = await readRequest({
                messages: this.#messages, limits, transport, signal: abort.signal, seen,
                kindOf: (operationId, authentication) => gateway.inputKind?.(operationId, authentication) ?? ANY_INPUT,
                openAccount: (share) => {

                    const account = memory.open(transport.remoteAddress, share);
                    accounts.push(account);
                    return account;
                }
            });
        }
        finally {
            clearTimeout(timer);
        }

        pending.request = request;
        const rejection = gateway.edge?.rejects(request.authentication, transport);
        if (rejection) {
            pending.isRejectedEarly = true;
            throw rejection;
        }

        pending.keepAlive = setInterval(() => {

            // Not to a client that is to send something itself: what is written counts as progress of the connection.
            if (!this.#messages.isWaiting) {
                this.#writer.keepAlive();
            }
        }, KEEP_ALIVE_MS);
        const response = await gateway.perform(request);
        pending.callerId = response.callerId;
        pending.createdId = response.createdId;
        pending.isRejectedEarly = isRateLimited(response);
        return { request, response };
    }

    /** Returns the error to show. The gateway learns of a lost database here; unexpected errors are logged. */
    #explain(thrown: unknown): unknown {

        const { gateway, onError } = this.#options;
        const readable = readableError(thrown);
        const error = gateway.explain?.(readable) ?? readable;
        const cause = !(error instanceof DoipError) ? error : error.status === Status.internal ? error.cause : undefined;
        if (cause !== undefined && !this.#connection.socket.destroyed) {
            onError(cause);
        }

        return error;
    }

    #report(pending: PendingRequest, status: string, isDone: boolean): void {

        const { request, began, callerId, createdId, transport: { remoteAddress, logId = '' }, isRejectedEarly } = pending;

        this.#options.onAnswered({
            logId, request, status, callerId, createdId, remoteAddress, isRejectedEarly, ms: Math.round(performance.now() - began), isBroken: !isDone,
            ...this.#bytes()
        });
    }

    /** Returns the bytes that the connection has moved since the last call, which are those of one request after another. */
    #bytes(): { readonly requestBytes: number; readonly responseBytes: number } {

        const { bytesRead, bytesWritten } = this.#connection.socket;
        const bytes = { requestBytes: bytesRead - this.#moved.bytesRead, responseBytes: bytesWritten - this.#moved.bytesWritten };
        this.#moved = { bytesRead, bytesWritten };
        return bytes;
    }

    /** Reads what the operation has left of a message, within limits; false if there is more. */
    async #discardRest(): Promise<boolean> {

        const timer = setTimeout(() => this.#messages.fail(badRequest('the rest of a request did not arrive in time')), DISCARD.ms);
        try {
            let bytes = 0;
            for (let segment = await this.#messages.nextSegment(); segment; segment = await this.#messages.nextSegment()) {
                for await (const { length } of segment.body) {
                    bytes += length;
                    if (bytes > DISCARD.bytes) {
                        return false;
                    }
                }
            }

            return true;
        }
        catch {
            return false;                                   // Broken framing after the response
        }
        finally {
            clearTimeout(timer);
        }
    }

    /** Nothing has moved for the time of the current state. */
    #onTimeout(): void {

        const { socket, reset } = this.#connection;
        if (!this.#pending) {
            void this.#endIdle('the connection was idle for too long');
            return;
        }

        // The timer of a socket fires once unless something moves, and the operation may wait for the client only later.
        socket.setTimeout(this.#options.limits.stallMs);
        if (socket.writableLength > 0) {
            reset();                                        // The client does not read the response
        }
        else if (this.#messages.isWaiting) {
            this.#messages.fail(badRequest('the request made no progress'));
        }
    }

    /**
     * Ends a connection without a request, or between two, by a message that answers none and a reset. Of a reset alone clients that read in
     * one thread and write in another may learn in the wrong one, and use the connection again and again.
     */
    async #endIdle(reason: string): Promise<void> {

        const { socket, reset } = this.#connection;
        if (!this.#isEnding && !socket.destroyed) {
            this.#isEnding = true;
            socket.setTimeout(this.#options.limits.stallMs);        // Where even this cannot be written
            await writeError(this.#writer, null, badRequest(reason + CONNECT_AGAIN)).catch(() => undefined);
        }

        reset();
    }

    /** Closes in order: what the client still sends is discarded for a while, so that it can read the last response. */
    async #close(): Promise<void> {

        const { socket, reset } = this.#connection;
        if (socket.destroyed) {
            return;
        }

        const closed = new AbortController();
        let bytes = 0;
        const discard = (): void => {

            for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
                bytes += chunk.length;
            }

            if (bytes > DISCARD.bytes) {
                closed.abort();
            }
        };

        socket.on('readable', discard).once('end', () => closed.abort()).once('close', () => closed.abort());
        socket.end();
        discard();
        if (!socket.readableEnded) {
            await delay(DISCARD.ms, undefined, { signal: closed.signal }).catch(() => undefined);   // Aborted in the normal case
        }

        if (!socket.readableEnded) {
            reset();
        }

        socket.destroySoon();
    }
}

function clientGone(): DoipError {

    return badRequest('the client went away');
}
