/**
 * Answers for requests that never became one: written straight to the connection, which then closes. HTTP/1.1 only.
 */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** A client that is still sending gets so long to read the answer before the connection is cut. */
const LINGER_MS = 2000;

/** Writes an error answer and closes the connection. The body is JSON like that of any other error. */
export function answerRaw(socket: Socket, code: number, message: string, requestId: string): void {

    if (!socket.writable) {
        socket.destroy();
        return;
    }

    const body = JSON.stringify({ message });
    const head = [
        `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'Error'}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Cache-Control: no-cache',
        'X-Content-Type-Options: nosniff',
        `Request-Id: ${requestId}`,
        'Connection: close'
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    linger(socket);
}

/** Closing while bytes arrive makes the system answer with a reset, and the client may lose what was just written. */
function linger(socket: Socket): void {

    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(cut));
    socket.on('error', () => socket.destroy());
    socket.resume();
}
