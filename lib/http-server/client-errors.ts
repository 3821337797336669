/**
 * Bytes from clients that are not HTTP, or more of it than allowed: answered in JSON like everything else, and the connection
 * closes. Only HTTP/1.1 comes here; HTTP/2 has its own codes for this.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Connections } from './connections.js';
import { answerRaw } from './raw-response.js';
import { makeRequestId } from './request-id.js';

/** What node tells of a request that could not be parsed. */
interface ClientError extends Error {
    readonly code?: string;
    readonly reason?: string;
    /** How far the parser came in `rawPacket`, the bytes that arrived last. */
    readonly bytesParsed?: number;
    readonly rawPacket?: Buffer;
}

/** Makes the handler of the event `clientError`. */
export function clientErrorHandler(connections: Connections, log: Logger): (error: ClientError, socket: Socket) => void {

    return (error, socket) => {

        const refusal = refusalOf(error);
        if (!refusal) {
            socket.destroy();
            return;
        }

        const requestId = makeRequestId();
        log.info({ requestId, remote: socket.remoteAddress, status: refusal.code, reason: error.code }, 'request refused');
        const answer = (): void => answerRaw(socket, refusal.code, refusal.message, requestId);
        const exchange = connections.exchangeOn(socket);
        if (exchange?.request.complete) {
            exchange.response.once('close', answer);        // The fault is in the next request: this one gets its own answer first
        }
        else if (exchange?.response.headersSent) {
            socket.destroy();
        }
        else {
            answer();
        }
    };
}

/** The answer to a request that cannot be parsed; null when nobody is there to read one. */
export function refusalOf(error: ClientError): { code: number; message: string } | null {

    switch (error.code) {
        case 'ECONNRESET':
        case 'EPIPE':
            return null;
        case 'HPE_HEADER_OVERFLOW':
            return isInUrl(error)
                ? { code: 414, message: 'the URL of the request is too long' }
                : { code: 431, message: 'the headers of the request are too long' };
        case 'ERR_HTTP_REQUEST_TIMEOUT':
            return { code: 408, message: 'the headers of the request did not arrive in time' };
        case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
            return { code: 413, message: 'the chunk extensions of the request body are too long' };
        default:
            return { code: 400, message: `this is not HTTP/1.1${error.reason ? `: ${error.reason}` : ''}` };
    }
}

/**
 * True when the limit was passed in the first line of the request. Only the bytes that arrived last are known, so that a
 * single header longer than these is taken for a URL, which is the likelier of the two.
 */
function isInUrl({ bytesParsed = 0, rawPacket }: ClientError): boolean {

    return rawPacket !== undefined && !rawPacket.subarray(0, bytesParsed).includes('\r\n');
}

/** For the event `checkExpectation`: the only expectation that HTTP knows is 100-continue. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {

    const body = JSON.stringify({ message: `cannot meet the expectation ${String(request.headers.expect).slice(0, 60)}` });
    response.writeHead(417, {
        'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body),
        'request-id': makeRequestId(), connection: 'close'
    });
    response.end(body);
}
