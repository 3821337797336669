/** Frames of HTTP/2 (RFC 9113), and header fields in them (RFC 7541), for clients that send what no library does. */

import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Types of frames. */
export const Type = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 } as const;

/** Flags of DATA, HEADERS and PING. */
export const Flag = { endStream: 1, endHeaders: 4, ack: 1 } as const;

/** A frame as it arrives, without its body. */
export interface FrameHead {
    readonly type: number;
    readonly flags: number;
    readonly stream: number;
}

export function frame(type: number, flags: number, stream: number, body: Buffer): Buffer {

    const head = Buffer.alloc(9);
    head.writeUIntBE(body.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, body]);
}

export const SETTINGS = frame(Type.settings, 0, 0, Buffer.alloc(0));
export const PING = frame(Type.ping, 0, 0, Buffer.alloc(8));

/** `:method: GET`, `:scheme: https` and `:path: /` of the static table. */
export const GET = Buffer.from([0x82, 0x87, 0x84]);

/** `:method: POST` and `:scheme: https` of the static table. */
export const POST = Buffer.from([0x83, 0x87]);

/** A header field that is written out; `isKept` adds it to the dynamic table, whose last entry is {@link LAST_KEPT}. */
export function field(name: string, value: string, isKept = false): Buffer {

    return Buffer.concat([Buffer.from([isKept ? 0x40 : 0]), text(name), text(value)]);
}

export const LAST_KEPT = 0xbe;

/** A string without Huffman coding. Its length is an integer with a prefix of seven bits. */
function text(value: string): Buffer {

    const length: number[] = [Math.min(value.length, 127)];
    if (value.length >= 127) {
        let rest = value.length - 127;
        for (; rest >= 128; rest >>= 7) {
            length.push(rest % 128 + 128);
        }

        length.push(rest);
    }

    return Buffer.concat([Buffer.from(length), Buffer.from(value, 'latin1')]);
}

/** Opens a connection for HTTP/2 on this machine, and sends nothing yet. */
export async function openHttp2(port: number): Promise<TLSSocket> {

    const socket = connect({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return socket;
}

/** The frames that arrive, until the connection ends, in whatever way. */
export async function *framesOf(socket: TLSSocket): AsyncGenerator<FrameHead, void, undefined> {

    let rest = Buffer.alloc(0);
    try {
        for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
            rest = Buffer.concat([rest, chunk]);
            for (let end = endOfFrame(rest); end <= rest.length; end = endOfFrame(rest)) {
                yield { type: rest.readUInt8(3), flags: rest.readUInt8(4), stream: rest.readUInt32BE(5) };
                rest = rest.subarray(end);
            }
        }
    }
    catch {
        // A reset is an end like any other.
    }
}

/** Infinite while its length is not known. */
function endOfFrame(bytes: Buffer): number {

    return bytes.length < 9 ? Infinity : 9 + bytes.readUIntBE(0, 3);
}
