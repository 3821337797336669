/**
 * Bodies for tests of bytes: reproducible, any size, never in memory as a whole.
 */

import { createHash } from 'node:crypto';

/** True where node can free the memory of a buffer before it is collected, which is so since Node 22. */
export const FREES_BUFFERS = 'transfer' in ArrayBuffer.prototype;

/** The byte at a position: a pattern with a long period, so that a shifted or swapped chunk is noticed. */
export function byteAt(position: number): number {

    return (position * 31 + (position >>> 8) * 17 + (position >>> 16) * 7) & 0xff;
}

/** Bytes `start` to `end` (both belong to it) of the pattern. */
export function pattern(start: number, end: number): Buffer {

    const bytes = Buffer.allocUnsafe(end - start + 1);
    for (let i = 0; i < bytes.length; ++i) {
        bytes[i] = byteAt(start + i);
    }

    return bytes;
}

/** The first `size` bytes of the pattern in pieces of `piece` bytes. */
export async function *body(size: number, piece = 65_536): AsyncGenerator<Uint8Array> {

    for (let i = 0; i < size; i += piece) {
        yield pattern(i, Math.min(size, i + piece) - 1);
    }
}

/** All bytes of a body, for small ones. */
export async function gather(source: AsyncIterable<Uint8Array>): Promise<Buffer> {

    const pieces: Uint8Array[] = [];
    for await (const piece of source) {
        pieces.push(Buffer.from(piece));
    }

    return Buffer.concat(pieces);
}

export function sha256(bytes: Uint8Array): string {

    return createHash('sha256').update(bytes).digest('hex');
}
