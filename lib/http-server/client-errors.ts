/**
 * Handles malformed or oversized HTTP: responds with JSON like every other error, and closes the connection. HTTP/1.1 only; HTTP/2 has
 * error codes of its own.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Connections } from './connections.js';
import { answerRaw, isLingering } from './raw-response.js';
import { makeRequestId } from './request-id.js';

/** Error of node's HTTP parser. */
interface ClientError extends Error {
    readonly code?: string;
    readonly reason?: string;
    /** Bytes parsed of `rawPacket`, the last packet. */
    readonly bytesParsed?: number;
    readonly rawPacket?: Buffer;
}

/** Creates the handler of the event `clientError`. */
export function clientErrorHandler(connections: Connections, log: Logger): (error: ClientError, socket: Socket) => void {

    return (error, socket) => {

        // Node 26 reports an error again for each further part of what the client sends; closing then could lose the response.
        if (isLingering(socket)) {
            return;
        }

        const rejection = rejectionOf(error);
        if (!rejection) {
            socket.destroy();
            return;
        }

        const requestId = makeRequestId();
        log.info({ event: 'http.malformed', requestId, remote: socket.remoteAddress, status: rejection.code, reason: error.code },
            'malformed request rejected');
        const answer = (): void => answerRaw(socket, rejection.code, rejection.message, requestId);
        const transaction = connections.exchangeOn(socket);
        if (transaction?.request.complete) {
            transaction.response.once('close', answer);        // The error is in the next request: respond to this one first
        }
        else if (transaction?.response.headersSent) {
            socket.destroy();
        }
        else {
            answer();
        }
    };
}

/** The response for a parser error; null when the client has disconnected. */
export function rejectionOf(error: ClientError): { code: number; message: string } | null {

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
 * True when the limit was exceeded in the request line. Only the last packet is known, so that a single header longer than that is taken
 * for a URL, which is the likelier case.
 */
function isInUrl({ bytesParsed = 0, rawPacket }: ClientError): boolean {

    return rawPacket !== undefined && !rawPacket.subarray(0, bytesParsed).includes('\r\n');
}

/** Handler of the event `checkExpectation`: HTTP defines no expectation but 100-continue. */
export function rejectExpectation(request: IncomingMessage, response: ServerResponse): void {

    const body = JSON.stringify({ message: `cannot meet the expectation ${String(request.headers.expect).slice(0, 60)}` });
    response.writeHead(417, {
        'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body),
        'request-id': makeRequestId(), connection: 'close'
    });
    response.end(body);
}
