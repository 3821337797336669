/**
 * Checksums of the bytes of blobs that are in another place than the database: a CRC-32 of each block, stored in the database, so that
 * every range can be checked before it is given out.
 */

import * as Zlib from 'node:zlib';
import type { Database, Step } from '../../../db/database.js';
import { row, statements } from '../../../db/statements.js';
import { DamagedBlobError } from '../blobs/element-store.js';

/** Bytes of a block; the last one may be shorter. */
export const BLOCK_BYTES = 256 * 1024;

/** Blocks whose checksums are in one row: those of 1 GiB. */
const BLOCKS_PER_ROW = 4096;
const CHECKSUM_BYTES = 4;

/** `crc32` of zlib, which versions of node before 20.15 do not have. */
export const crc32 = (Zlib as { crc32?: (data: Uint8Array, value?: number) => number }).crc32;

/** Computes the checksums of a stream. */
export class BlockHasher {

    readonly #rows: Buffer[] = [];
    #blocks = 0;
    #crc = 0;
    #filled = 0;

    update(chunk: Uint8Array): void {

        for (let offset = 0; offset < chunk.byteLength;) {
            const part = chunk.subarray(offset, offset + BLOCK_BYTES - this.#filled);
            this.#crc = checksum(part, this.#crc);
            this.#filled += part.byteLength;
            offset += part.byteLength;
            if (this.#filled === BLOCK_BYTES) {
                this.#end();
            }
        }
    }

    /** Returns the checksums: big-endian, a buffer for each row. */
    digest(): readonly Buffer[] {

        if (this.#filled > 0) {
            this.#end();
        }

        const last = this.#rows.at(-1);
        const used = this.#blocks % BLOCKS_PER_ROW;
        return last && used > 0 ? [...this.#rows.slice(0, -1), last.subarray(0, used * CHECKSUM_BYTES)] : this.#rows;
    }

    #end(): void {

        const index = this.#blocks % BLOCKS_PER_ROW;
        if (index === 0) {
            this.#rows.push(Buffer.alloc(BLOCKS_PER_ROW * CHECKSUM_BYTES));
        }

        this.#rows.at(-1)?.writeUInt32BE(this.#crc, index * CHECKSUM_BYTES);
        this.#blocks += 1;
        this.#crc = 0;
        this.#filled = 0;
    }
}

/** CRC-32 of bytes that follow others with the checksum `before`. */
export function checksum(bytes: Uint8Array, before = 0): number {

    if (!crc32) {
        throw new Error('this version of node has no crc32');
    }

    return crc32(bytes, before);
}

/** Where the bytes of a blob are. */
export interface StoredBlob {
    readonly key: string;
    /** Returns the checksum of a block. @throws DamagedBlobError when it is not known */
    checksumOf(block: number): Promise<number>;
}

/** Returns where bytes are; a function returns the checksums of a row, as they are stored, and nothing for one that there is not. */
export function storedBlob(blobId: number, key: string, rowOf: (n: number) => Promise<Buffer | undefined>): StoredBlob {

    let current: { readonly n: number; readonly checksums: Buffer } | null = null;
    return {
        key,
        checksumOf: async (block) => {

            const n = Math.floor(block / BLOCKS_PER_ROW);
            const row = current?.n === n ? current : { n, checksums: await rowOf(n) ?? Buffer.alloc(0) };
            current = row;
            const { checksums } = row;
            const offset = block % BLOCKS_PER_ROW * CHECKSUM_BYTES;
            if (offset >= checksums.byteLength) {
                throw new DamagedBlobError(blobId, `block ${block} has no checksum`);
            }

            return checksums.readUInt32BE(offset);
        }
    };
}

/** Keys and checksums in the database. */
export class BlockChecksumStore {

    readonly #db: Database;
    readonly #sql: ReturnType<typeof buildStatements>;

    constructor(db: Database) {

        this.#db = db;
        this.#sql = buildStatements(db);
    }

    /** Stores the key and the checksums of a new blob; the first row last, without which the others are not found. */
    async save(blobId: number, key: string, checksums: readonly Buffer[]): Promise<void> {

        for (const step of this.saveSteps(blobId, key, checksums).reverse()) {
            await this.#db.commit({ steps: [step], isRepeatable: true });
        }
    }

    /** Returns the steps that store the key and the checksums of a blob, in place of others that it may have. */
    saveSteps(blobId: number, key: string, checksums: readonly Buffer[]): Step[] {

        return checksums.map((bytes, n) => this.#sql.save.step({ blob_id: blobId, n, object_key: key, checksums: bytes }));
    }

    /** Returns where the bytes of a blob are; null when they are not in the store. */
    async find(blobId: number): Promise<StoredBlob | null> {

        const first = await this.#row(blobId, 0);
        return first ? storedBlob(blobId, first.object_key, async (n) => (n === 0 ? first : await this.#row(blobId, n))?.checksums) : null;
    }

    /** Forgets one object of a blob, unless its bytes are in another one meanwhile. */
    async removeKey(blobId: number, key: string): Promise<void> {

        await this.#db.commit({ steps: [this.#sql.removeKey.step({ blobId, key })], essential: true });
    }

    async remove(blobId: number): Promise<void> {

        await this.#db.commit({ steps: [this.#sql.remove.step({ blobId })], essential: true });
    }

    #row(blobId: number, n: number): Promise<ChecksumRow | undefined> {

        return this.#sql.find.first<ChecksumRow>({ blobId, n });
    }
}

interface ChecksumRow {
    readonly object_key: string;
    readonly checksums: Buffer;
}

const COLUMNS = ['blob_id', 'n', 'object_key', 'checksums'] as const;

function buildStatements(db: Database) {

    const build = statements(db);
    return {
        save: build<(typeof COLUMNS)[number]>((knex, bind) => knex('blob_checksums').insert(row(bind, COLUMNS)).onConflict(['blob_id', 'n']).merge()),
        find: build<'blobId' | 'n'>((knex, bind) => knex('blob_checksums').where({ blob_id: bind('blobId'), n: bind('n') }).select('object_key', 'checksums')),
        removeKey: build<'blobId' | 'key'>((knex, bind) => knex('blob_checksums').where({ blob_id: bind('blobId'), object_key: bind('key') }).delete()),
        remove: build<'blobId'>((knex, bind) => knex('blob_checksums').where('blob_id', bind('blobId')).delete())
    };
}
