/**
 * Default element store: bytes as rows of 256 KiB in the database. At most three chunks of a body are in memory, whatever its size;
 * of one that is read, one on SQLite, which reads at once, and two elsewhere.
 */

import type { BlobDatabase } from '../../../db/database.js';
import { CallCounter } from '../../util/concurrency/event-loop-yielder.js';
import { asTransient } from '../../util/streams/transient-bytes.js';
import { type BlobFate, type ByteRange, DamagedBlobError, type ElementStore } from './element-store.js';

/** Bytes of a chunk. Every chunk but the last is full, so that the chunks of a range can be computed. */
export const CHUNK_SIZE = 256 * 1024;

/** Number of chunks deleted in one transaction. */
const DELETED_PER_BATCH = 16;

/** Number of chunks that are counted at once: a server may read their bytes. */
const MEASURED_PER_READ = 64;

/** Chunks read in one turn of the event loop, by all readers together: 1 MiB, which a client can get in one piece. */
const CHUNKS_PER_TURN = 4;

/** Bytes in the database. */
export class DatabaseElementStore implements ElementStore {

    readonly #blobs: BlobDatabase;
    readonly #reads = new CallCounter(CHUNKS_PER_TURN);

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
        const wanted = { blobId, range, size };
        const { readsAtOnce } = this.#blobs;
        let ahead: Promise<Buffer> | null = null;
        for (let i = first; i <= last; ++i) {
            const bytes: Buffer = await (ahead ?? this.#read(i, wanted));
            ahead = readsAtOnce || i === last ? null : this.#readAhead(i + 1, wanted);
            yield bytes;
            // SQLite answers without a pause, so fast readers would block the event loop.
            await this.#reads.count();
        }
    }

    async hasAll(blobId: number, size: number): Promise<boolean> {

        const last = Math.ceil(size / CHUNK_SIZE);
        for (let from = 0; from < last; from += MEASURED_PER_READ) {
            const to = Math.min(last, from + MEASURED_PER_READ);
            const { chunks, bytes } = await this.#blobs.measureChunks(blobId, from, to);
            if (chunks !== to - from || bytes !== Math.min(size, to * CHUNK_SIZE) - from * CHUNK_SIZE) {
                return false;
            }

            await this.#reads.count();
        }

        return true;
    }

    remove(blobId: number): Promise<void> {

        return this.removeAll(blobId, { hasRow: true });
    }

    /** The row is looked up before each batch: the bytes of a blob that gets the number meanwhile are written after the batch in progress. */
    async removeAll(blobId: number, { movedTo, isNeeded }: BlobFate): Promise<void> {

        let isLast = false;
        while (!isLast && await isNeeded?.() !== true) {
            isLast = await this.#blobs.deleteChunks(blobId, DELETED_PER_BATCH, movedTo) < DELETED_PER_BATCH;
        }
    }

    list(after: number, limit: number): Promise<readonly number[]> {

        return this.#blobs.listBlobs(after, limit);
    }

    #readAhead(index: number, wanted: WantedBytes): Promise<Buffer> {

        const reading = this.#read(index, wanted);
        reading.catch(() => {
            // Thrown where it is awaited, which it is not when the reader has stopped.
        });
        return reading;
    }

    /** Reads the bytes of a chunk that are in the range. */
    async #read(index: number, { blobId, range, size }: WantedBytes): Promise<Buffer> {

        const expected = Math.min(CHUNK_SIZE, size - index * CHUNK_SIZE);
        const start = Math.max(0, range.start - index * CHUNK_SIZE);
        const length = Math.min(expected, range.end + 1 - index * CHUNK_SIZE) - start;
        const isWhole = length === expected;
        const bytes = isWhole ? await this.#blobs.readChunk(blobId, index) : null;
        const found = isWhole ? bytes && { size: bytes.byteLength, bytes } : await this.#blobs.readPart(blobId, index, { start, length });
        if (found?.size !== expected) {
            throw new DamagedBlobError(blobId, `chunk ${index} ${found ? `has ${found.size} bytes instead of ${expected}` : 'is missing'}`);
        }

        return asTransient(found.bytes);
    }
}

/** A range of a blob, and the size of the whole. */
interface WantedBytes {
    readonly blobId: number;
    readonly range: ByteRange;
    readonly size: number;
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
