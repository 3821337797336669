/**
 * Bytes of elements as objects of a bucket, one for each blob. Keys are `blobs/` + the number of the blob + a random part, so that no object
 * is ever written twice; the key and the checksums are in the database, where they are written last.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { abortable } from '../../util/streams/abortable.js';
import { type BlobFate, type ByteRange, DamagedBlobError, type ElementStore, type StoredCopy } from '../blobs/element-store.js';
import { BlockChecksumStore, BlockHasher, storedBlob } from './block-checksums.js';
import { BlockReading, type BlockReadingFacts, steady } from './block-reading.js';
import type { BucketOwnership } from './bucket-ownership.js';
import type { KeyPage, ListedKey, S3Bucket } from './s3-bucket.js';
import { S3Error, unavailableStore } from './s3-error.js';
import { PART_BYTES, S3Upload } from './s3-upload.js';
import { UploadMemory, type UploadMemoryOptions } from './upload-memory.js';

const FOLDER = 'blobs/';
const ID_DIGITS = 16;
const NONCE_BYTES = 8;

/** Status of the answer to a range that the object does not have. */
const UNSATISFIABLE = 416;

/** Attempts to read on without progress, and the pause before the next one in ms, doubled each time. */
const ATTEMPTS = 4;
const PAUSE_MS = 100;

/**
 * Age in ms from which bytes that no blob refers to count as left behind: much more than it takes until every node sees the row of a blob,
 * which another one has written before the bytes, and time for an operator to notice that another copy of the database uses the bucket.
 */
const ORPHAN_MS = 24 * 60 * 60_000;

/** What a store in a bucket depends on. */
export interface S3StoreParts {
    readonly db: Database;
    readonly bucket: S3Bucket;
    readonly ownership: Pick<BucketOwnership, 'demand' | 'demandEstablished' | 'renew'>;
    readonly log: Log;
    /** Maximum memory of uploads in progress, in bytes. */
    readonly memoryBytes: number;
    readonly memory?: UploadMemoryOptions;
    /** Milliseconds without a byte after which a read is begun again. */
    readonly stallMs: number;
    /** Epoch ms. */
    readonly now?: () => number;
}

interface NewBlob {
    readonly blobId: number;
    readonly body: AsyncIterable<Uint8Array>;
    readonly caller?: string | undefined;
}

interface StoredObject {
    readonly key: string;
    readonly checksums: readonly Buffer[];
}

/** Bytes in a bucket. */
export class S3ElementStore implements ElementStore {

    readonly isRemote = true;
    readonly memory: UploadMemory;
    readonly #ownership: S3StoreParts['ownership'];
    readonly #bucket: S3Bucket;
    readonly #checksums: BlockChecksumStore;
    readonly #log: Log;
    readonly #stallMs: number;
    readonly #now: () => number;
    /** Blobs whose upload failed and was cleaned up, or is left to the sweeper: removing them is of no use. */
    readonly #given = new Set<number>();

    constructor({ db, bucket, ownership, log, memoryBytes, memory, stallMs, now = Date.now }: S3StoreParts) {

        this.#bucket = bucket;
        this.#ownership = ownership;
        this.#checksums = new BlockChecksumStore(db);
        this.#log = log;
        this.#stallMs = stallMs;
        this.#now = now;
        this.memory = new UploadMemory(memoryBytes, PART_BYTES, memory);
    }

    /** Renews the ownership of the bucket; false when another copy of the database may own it. @throws S3Error */
    async prepareSweep(): Promise<boolean> {

        return await this.#ownership.renew();
    }

    /** @throws DoipError 503 when the bucket cannot be written, or too many uploads are in progress while this one is slow, or cannot begin */
    async write(blobId: number, body: AsyncIterable<Uint8Array>, caller?: string): Promise<void> {

        await this.#upload({ blobId, body, caller }, async (key, checksums) => {

            await this.#ownership.demand();
            await this.#checksums.save(blobId, key, checksums);
        });
    }

    /** The key is only in the steps: a statement of a process that was suspended must not replace the key that another one has stored since. */
    async copy(blobId: number, body: AsyncIterable<Uint8Array>): Promise<StoredCopy> {

        const { key, checksums } = await this.#upload({ blobId, body });
        const stored = storedBlob(blobId, key, async (n) => checksums[n]);
        return { steps: this.#checksums.saveSteps(blobId, key, checksums), read: (range, size) => this.#read({ blobId, stored, range, size }) };
    }

    async #upload({ blobId, body, caller }: NewBlob, save?: (key: string, checksums: readonly Buffer[]) => Promise<void>): Promise<StoredObject> {

        const key = `${keyPrefix(blobId)}${randomBytes(NONCE_BYTES).toString('hex')}`;
        const upload = new S3Upload(this.#bucket, key, { memory: this.memory, caller: caller ?? null });
        const hasher = new BlockHasher();
        this.#given.delete(blobId);
        try {
            await this.#ownership.demand();
            for await (const chunk of abortable(body, upload.signal)) {
                hasher.update(chunk);
                await upload.add(chunk);
            }

            const size = await upload.finish();
            const checksums = hasher.digest();
            await (size > 0 ? save?.(key, checksums) : undefined);
            return { key, checksums };
        }
        catch (error) {
            await this.#giveUp(blobId, key, upload);
            throw error instanceof S3Error ? unavailableStore(error) : error;
        }
    }

    /** Reads on where an answer ends too early. Nothing is yielded before its block was compared with its checksum. */
    async *read(blobId: number, range: ByteRange, size: number): AsyncGenerator<Uint8Array> {

        const stored = await this.#checksums.find(blobId);
        if (!stored) {
            throw new DamagedBlobError(blobId, 'its bytes are not in the payload store');
        }

        yield *this.#read({ blobId, stored, range, size });
    }

    async *#read({ blobId, stored, range, size }: BlockReadingFacts): AsyncGenerator<Uint8Array> {

        const reading = new BlockReading({ blobId, size, stored, range });
        for (let failures = 0; !reading.isDone;) {
            const before = reading.block;
            const { body, size: length } = await this.#bucket.get(stored.key, reading.rest).catch((error: unknown) => {

                throw explain(blobId, error);
            });
            if (length !== size) {
                body.destroy();
                throw new DamagedBlobError(blobId, `the payload store has ${length} of its ${size} bytes`);
            }

            try {
                yield *reading.blocks(steady(body, this.#stallMs, (bytes) => this.#bucket.countReceived(bytes)));
            }
            catch (error) {
                failures = reading.block > before ? 1 : failures + 1;
                if (failures >= ATTEMPTS) {
                    throw explain(blobId, error);
                }

                await sleep(PAUSE_MS * 2 ** failures);
            }
        }
    }

    /** @throws DoipError 503 when the bucket does not answer */
    async hasAll(blobId: number, size: number): Promise<boolean> {

        const stored = await this.#checksums.find(blobId);
        if (!stored) {
            return false;
        }

        try {
            return await this.#bucket.head(stored.key) === size;
        }
        catch (error) {
            const explained = explain(blobId, error);
            if (explained instanceof DamagedBlobError) {
                return false;
            }

            throw explained;
        }
    }

    /** Another copy of the database may have other bytes of the same number. @throws DoipError 503 when it owns the bucket */
    async remove(blobId: number): Promise<void> {

        if (this.#given.delete(blobId)) {
            return;
        }

        await this.#ownership.demand();
        const stored = await this.#checksums.find(blobId);
        if (stored) {
            // What is listed later is found by its bytes, so the row goes first.
            await this.#checksums.removeKey(blobId, stored.key);
            await this.#bucket.delete(stored.key);
        }
    }

    /** @throws DoipError 503 soon after the start, and when another copy of the database owns the bucket */
    async removeAll(blobId: number, { hasRow, movedTo, isNeeded }: BlobFate): Promise<void> {

        await this.#ownership.demandEstablished();
        const prefix = keyPrefix(blobId);
        const [uploads, objects] = await Promise.all([this.#bucket.listUploads(prefix), this.#bucket.listObjects(prefix)]);
        const youngest = hasRow ? Infinity : this.#now() - ORPHAN_MS;
        for (const { key, uploadId } of [...uploads.keys, ...objects.keys].filter(({ storedOn }) => storedOn <= youngest)) {
            if (await isNeeded?.() === true) {
                return;
            }

            await this.#checksums.removeKey(blobId, key);
            await (uploadId === null ? this.#bucket.delete(key) : this.#bucket.abortUpload(key, uploadId));
        }

        // What names another object was stored since these were listed.
        if (hasRow && movedTo === undefined) {
            await this.#checksums.remove(blobId);
        }
    }

    /** Includes blobs of which there are only parts. Bytes of the last day are left out. */
    async list(after: number, limit: number): Promise<readonly number[]> {

        const youngest = this.#now() - ORPHAN_MS;
        const found: number[] = [];
        let start = after;
        for (let isLast = false; !isLast && found.length < limit;) {
            const from = `${keyPrefix(start)}~`;
            const pages = await Promise.all([this.#bucket.listUploads(FOLDER, from), this.#bucket.listObjects(FOLDER, from)]);
            isLast = pages.every((page) => page.isLast);
            // Beyond the end of a page that is not the last one, ids may be missing.
            const end = Math.min(...pages.map(endOf));
            const keys = pages.flatMap((page) => page.keys).map((each) => ({ ...each, id: idOf(each) })).filter(({ id }) => id !== null && id <= end);
            const young = new Set(keys.filter(({ storedOn }) => storedOn > youngest).map(({ id }) => id));
            const ids = new Set(keys.map(({ id }) => id).filter((id) => id !== null && !young.has(id)) as number[]);
            found.push(...[...ids].sort((a, b) => a - b));
            start = isLast ? start : end;
        }

        return found.slice(0, limit);
    }

    /** Never rejects. During an outage the parts are left to the sweeper, so that the client gets its answer at once. */
    async #giveUp(blobId: number, key: string, upload: S3Upload): Promise<void> {

        this.#given.add(blobId);
        try {
            await upload.abort();
            await this.#checksums.removeKey(blobId, key);
        }
        catch (error) {
            this.#log.warn({ event: 'payloads.abort-failed', err: error, blobId }, 'failed to remove an aborted upload, left to the sweeper');
        }
    }
}

function keyPrefix(blobId: number): string {

    return `${FOLDER}${String(blobId).padStart(ID_DIGITS, '0')}-`;
}

/** Null for objects that are not of this service. */
function idOf({ key }: ListedKey): number | null {

    const [, digits] = /^blobs\/(\d{16})-[\da-f]{16}$/.exec(key) ?? [];
    return digits === undefined ? null : Number(digits);
}

/** The last id of a page up to which nothing is missing. */
function endOf({ keys, isLast }: KeyPage): number {

    return isLast ? Infinity : Number(/^blobs\/(\d{16})/.exec(keys.at(-1)?.key ?? '')?.[1] ?? Infinity);
}

function explain(blobId: number, error: unknown): unknown {

    if (!(error instanceof S3Error)) {
        return error;
    }

    return error.failure === 'missing' || error.status === UNSATISFIABLE ?
        new DamagedBlobError(blobId, `its bytes are not in the payload store: ${error.message}`, error) : unavailableStore(error);
}
