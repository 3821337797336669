/** Error responses for requests that could not be parsed: written directly to the socket, which is then closed. HTTP/1.1 only. */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds that a client that is still sending gets to read the response. */
const LINGER_MS = 2000;

/** Connections that have their last response. */
const lingering = new WeakSet<Socket>();

/** True if a connection has its last response, and only reads what the client still sends. */
export function isLingering(socket: Socket): boolean {

    return lingering.has(socket);
}

/** Writes an error response and closes the connection. The body is JSON as for any other error. */
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
    lingering.add(socket);
    linger(socket);
}

/** Keeps reading before closing: closing a socket with unread data sends a reset, and the client could lose the response. */
function linger(socket: Socket): void {

    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(cut));
    socket.on('error', () => socket.destroy());
    socket.resume();
}
