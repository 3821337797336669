/** Messages over a Unix socket: a length, a number, and text. */

import type { Socket } from 'node:net';

/** Bytes before the text: its length in bytes, and the number of the message. */
const HEADER = 8;

/** A message. */
export interface Frame {
    /** Of a request, which its answer repeats; 32 bits. */
    readonly id: number;
    readonly text: string;
}

/** Sends a message. */
export function sendFrame(socket: Socket, { id, text }: Frame): void {

    const length = Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(HEADER + length);
    bytes.writeUInt32LE(length, 0);
    bytes.writeUInt32LE(id, 4);
    bytes.write(text, HEADER);
    socket.write(bytes);
}

/** Calls a function with each message that arrives. */
export function onFrame(socket: Socket, receive: (frame: Frame) => void): void {

    let rest: Buffer[] = [];
    let length = 0;
    let wanted = HEADER;
    socket.on('data', (chunk: Buffer) => {

        rest.push(chunk);
        length += chunk.length;
        if (length < wanted) {
            return;
        }

        let bytes = Buffer.concat(rest, length);
        for (wanted = sizeOf(bytes); bytes.length >= wanted; wanted = sizeOf(bytes)) {
            receive({ id: bytes.readUInt32LE(4), text: bytes.toString('utf8', HEADER, wanted) });
            bytes = bytes.subarray(wanted);
        }

        [rest, length] = [[bytes], bytes.length];
    });
}

/** Bytes of the first message. */
function sizeOf(bytes: Buffer): number {

    return bytes.length < HEADER ? HEADER : HEADER + bytes.readUInt32LE(0);
}
