/** Reads blocks of a blob: chunks are given out when their whole block was compared with its checksum. */

import type { Readable } from 'node:stream';
import { type ByteRange, DamagedBlobError } from '../blobs/element-store.js';
import { BLOCK_BYTES, checksum, type StoredBlob } from './block-checksums.js';
import { S3Error, toS3Error } from './s3-error.js';

/** What is read. */
export interface BlockReadingFacts {
    readonly blobId: number;
    /** Length of the blob. */
    readonly size: number;
    readonly stored: StoredBlob;
    readonly range: ByteRange;
}

/** A range of a blob, read in one or several attempts. */
export class BlockReading {

    readonly #facts: BlockReadingFacts;
    readonly #end: number;
    /** The next block. */
    block: number;

    constructor(facts: BlockReadingFacts) {

        this.#facts = facts;
        this.block = Math.floor(facts.range.start / BLOCK_BYTES);
        this.#end = Math.floor(facts.range.end / BLOCK_BYTES) + 1;
    }

    get isDone(): boolean {

        return this.block >= this.#end;
    }

    /** The bytes of the blocks that are left. */
    get rest(): ByteRange {

        return { start: this.block * BLOCK_BYTES, end: Math.min(this.#facts.size, this.#end * BLOCK_BYTES) - 1 };
    }

    /**
     * Yields the bytes of the range from a source of {@link rest}.
     *
     * @throws S3Error when the source ends too early, DamagedBlobError when a block has another checksum
     */
    async *blocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {

        let chunks: Uint8Array[] = [];
        let filled = 0;
        let crc = 0;
        for await (const chunk of source) {
            for (let offset = 0; offset < chunk.byteLength && !this.isDone;) {
                const missing = this.#lengthOf(this.block) - filled;
                const part = chunk.subarray(offset, offset + missing);
                crc = checksum(part, crc);
                chunks.push(part);
                filled += part.byteLength;
                offset += part.byteLength;
                if (part.byteLength === missing) {
                    yield *await this.#checked(chunks, crc);
                    [chunks, filled, crc] = [[], 0, 0];
                }
            }

            if (this.isDone) {
                return;
            }
        }

        throw new S3Error('unreachable', `the answer ends in block ${this.block}`);
    }

    /** Compares a block with its checksum, and goes on to the next one; returns what of it is in the range. */
    async #checked(chunks: readonly Uint8Array[], crc: number): Promise<Uint8Array[]> {

        const { blobId, stored, range } = this.#facts;
        if (crc !== await stored.checksumOf(this.block)) {
            throw new DamagedBlobError(blobId, `block ${this.block} has another checksum than when it was stored`);
        }

        let position = this.block * BLOCK_BYTES;
        this.block += 1;
        return chunks.map((chunk) => {

            const from = position;
            position += chunk.byteLength;
            return chunk.subarray(Math.max(0, range.start - from), Math.max(0, range.end + 1 - from));
        }).filter(({ byteLength }) => byteLength > 0);
    }

    #lengthOf(block: number): number {

        return Math.min(BLOCK_BYTES, this.#facts.size - block * BLOCK_BYTES);
    }
}

/**
 * Passes the chunks of a body through. While it is waited for, it must not pause for longer than `stallMs`.
 *
 * @throws S3Error
 */
export async function *steady(body: Readable, stallMs: number, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {

    const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    try {
        for (;;) {
            const timer = setTimeout(() => body.destroy(new S3Error('unreachable', `no byte within ${stallMs} ms`)), stallMs);
            const next = await iterator.next().finally(() => clearTimeout(timer));
            if (next.done === true) {
                return;
            }

            onBytes(next.value.byteLength);
            yield next.value;
        }
    }
    catch (error) {
        throw toS3Error(error);
    }
    finally {
        await iterator.return?.();
    }
}
