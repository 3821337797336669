/**
 * Default element store: bytes as rows of 256 KiB in the database. At most three chunks of a body are in memory, whatever its size.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobDatabase } from '../../../db/database.js';
import { type ByteRange, DamagedBlobError, type ElementStore } from './element-store.js';

/** Bytes of a chunk. Every chunk but the last is full, so that the chunks of a range can be computed. */
export const CHUNK_SIZE = 256 * 1024;

/** Number of chunks deleted in one transaction. */
const DELETED_PER_BATCH = 16;

/** Bytes in the database. */
export class DatabaseElementStore implements ElementStore {

    readonly #blobs: BlobDatabase;

    constructor(blobs: BlobDatabase) {

        this.#blobs = blobs;
    }

    async write(blobId: number, body: AsyncIterable<Uint8Array>): Promise<void> {

        // One chunk is written while the next one is filled; a slow disk causes back-pressure on the body.
        const buffers: Uint8Array[] = [];
        let index = 0;
        let writing: Promise<Uint8Array | null> = Promise.resolve(null);
        try {
            for await (const chunk of rechunk(body, buffers)) {
                const written = await writing;
                if (written) {
                    buffers.push(written);
                }

                writing = this.#blobs.writeChunk(blobId, index, chunk);
                writing.catch(() => {
                    // Thrown by the next `await writing`; until then it must not count as unhandled.
                });
                index += 1;
            }
        }
        finally {
            // Also after an error of the body: the removal that follows must come after the last write.
            await Promise.allSettled([writing]);
        }

        await writing;
        if (index > 0) {
            await this.#blobs.seal(blobId);
        }
    }

    async *read(blobId: number, range: ByteRange, size: number): AsyncGenerator<Uint8Array> {

        const last = Math.floor(range.end / CHUNK_SIZE);
        const first = Math.floor(range.start / CHUNK_SIZE);
        let ahead = this.#readAhead(blobId, first);
        for (let i = first; i <= last; ++i) {
            const bytes = checkChunk(await ahead, { blobId, index: i, size });
            if (i < last) {
                ahead = this.#readAhead(blobId, i + 1);
            }

            const from = i === first ? range.start - i * CHUNK_SIZE : 0;
            const to = i === last ? range.end + 1 - i * CHUNK_SIZE : bytes.byteLength;
            yield bytes.subarray(from, to);
            // SQLite answers without a pause, so a fast reader would block the event loop.
            await nextTurn();
        }
    }

    async remove(blobId: number): Promise<void> {

        let deleted: number;
        do {
            deleted = await this.#blobs.deleteChunks(blobId, DELETED_PER_BATCH);
        }
        while (deleted === DELETED_PER_BATCH);
    }

    list(after: number, limit: number): Promise<readonly number[]> {

        return this.#blobs.listBlobs(after, limit);
    }

    #readAhead(blobId: number, index: number): Promise<Buffer | null> {

        const reading = this.#blobs.readChunk(blobId, index);
        reading.catch(() => {
            // Thrown where it is awaited, which it is not when the reader has stopped.
        });
        return reading;
    }
}

function checkChunk(bytes: Buffer | null, { blobId, index, size }: { blobId: number; index: number; size: number }): Buffer {

    const expected = Math.min(CHUNK_SIZE, size - index * CHUNK_SIZE);
    if (bytes?.byteLength !== expected) {
        const found = bytes ? `has ${bytes.byteLength} bytes instead of ${expected}` : 'is missing';
        throw new DamagedBlobError(blobId, `chunk ${index} ${found}`);
    }

    return bytes;
}

/**
 * Splits bytes into chunks of equal size, except for the last, each in a buffer that can be transferred. Buffers are taken from
 * `buffers` if possible.
 */
async function *rechunk(body: AsyncIterable<Uint8Array>, buffers: Uint8Array[]): AsyncGenerator<Uint8Array> {

    let chunk: Uint8Array = new Uint8Array(CHUNK_SIZE);
    let filled = 0;
    for await (const block of body) {
        let offset = 0;
        while (offset < block.byteLength) {
            const part = block.subarray(offset, offset + CHUNK_SIZE - filled);
            chunk.set(part, filled);
            filled += part.byteLength;
            offset += part.byteLength;
            if (filled === CHUNK_SIZE) {
                yield chunk;
                chunk = buffers.pop() ?? new Uint8Array(CHUNK_SIZE);
                filled = 0;
            }
        }
    }

    if (filled > 0) {
        yield chunk.slice(0, filled);
    }
}
