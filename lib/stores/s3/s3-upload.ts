/**
 * The upload of one object of unknown length: in one request where it is short, otherwise in parts, of which some are sent while the next
 * one arrives. Why not `@aws-sdk/lib-storage`: its parts have one size, so that 10,000 of them end at 80 GB or take much memory from the
 * start, and each upload has buffers of its own, however many there are.
 */

import { tooLarge, unavailable } from '../../errors/errors.js';
import type { S3Bucket, StoredPart } from './s3-bucket.js';
import type { MemoryUser, UploadMemory } from './upload-memory.js';

const MIB = 1024 * 1024;

/** Size of the first parts. */
export const PART_BYTES = 8 * MIB;

/** Parts of one size; those after them are twice as long, up to the longest. */
const PARTS_PER_SIZE = 1000;
const MAX_PART_BYTES = 128 * MIB;
/** Limit of S3. */
const MAX_PARTS = 10_000;

/** Parts that are sent at a time, where there is memory for it. */
const SENT_AT_A_TIME = 3;

/** An object that is shorter than this needs nothing of the budget of memory. */
const SMALL_BYTES = 256 * 1024;
const FIRST_BYTES = 16 * 1024;

/** Seconds after which a client whose upload gave way may try again. */
const RETRY_SECONDS = 30;

/** What the buffers of an upload are taken from, and for whom: see {@link MemoryUser}. */
export interface UploadOwner {
    readonly memory: UploadMemory;
    readonly caller: string | null;
}

/** Size of a part, whose number starts at 1. */
export function partBytes(number: number): number {

    return Math.min(MAX_PART_BYTES, PART_BYTES * 2 ** Math.floor((number - 1) / PARTS_PER_SIZE));
}

/** An upload. `add` and `finish` must be awaited before the next call; after an error, `abort` is to be called. */
export class S3Upload implements MemoryUser {

    readonly caller: string | null;
    readonly #bucket: S3Bucket;
    readonly #key: string;
    readonly #memory: UploadMemory;
    readonly #stop = new AbortController();
    /** Buffer that is being filled; `null` before the first byte. */
    #buffer: Buffer | null = null;
    #isBudgeted = false;
    #filled = 0;
    /** Since when the buffer waits for bytes of the body, and what it had then; null while it does not. */
    #fillingSince: { readonly at: number; readonly filled: number } | null = null;
    #size = 0;
    #id: string | null = null;
    /** True if there may be a further upload of this key, whose id was lost. */
    #mayHaveDuplicate = false;
    #isPutBegun = false;
    #number = 0;
    readonly #parts: StoredPart[] = [];
    readonly #sending = new Set<Promise<void>>();
    #error: Error | null = null;

    constructor(bucket: S3Bucket, key: string, { memory, caller }: UploadOwner) {

        this.#bucket = bucket;
        this.#key = key;
        this.#memory = memory;
        this.caller = caller;
    }

    /** Aborted when the upload must end. */
    get signal(): AbortSignal {

        return this.#stop.signal;
    }

    get filling(): { readonly since: number; readonly bytes: number } | null {

        return this.#fillingSince && { since: this.#fillingSince.at, bytes: this.#filled - this.#fillingSince.filled };
    }

    giveWay(): void {

        this.#stop.abort(unavailable('the payload arrives slowly, and others wait to be stored: try again later', RETRY_SECONDS));
    }

    /** Copies bytes. Waits while there is no room for them. */
    async add(chunk: Uint8Array): Promise<void> {

        for (let offset = 0; offset < chunk.byteLength;) {
            const buffer = await this.#room();
            const part = chunk.subarray(offset, offset + buffer.byteLength - this.#filled);
            buffer.set(part, this.#filled);
            this.#filled += part.byteLength;
            this.#size += part.byteLength;
            offset += part.byteLength;
        }
    }

    /** Stores what is left; returns the length of the object, which does not exist if it is 0. */
    async finish(): Promise<number> {

        const buffer = this.#buffer;
        this.#fillingSince = null;
        if (this.#id === null) {
            if (buffer) {
                this.#isPutBegun = true;
                await this.#bucket.put(this.#key, buffer.subarray(0, this.#filled), this.#stop.signal);
                this.#release();
            }

            return this.#size;
        }

        if (this.#filled > 0) {
            await this.#send();
        }

        await Promise.all(this.#sending);
        this.#demandNoError();
        this.#release();
        this.#parts.sort((a, b) => a.PartNumber - b.PartNumber);
        await this.#bucket.completeUpload(this.#key, this.#id, { parts: this.#parts, size: this.#size });
        await this.#abortDuplicates();
        return this.#size;
    }

    /** Stops what is being sent, and removes what was stored. @throws S3Error when that fails */
    async abort(): Promise<void> {

        this.#stop.abort(new Error('the upload was aborted'));
        await Promise.all(this.#sending);
        this.#release();
        if (this.#id !== null) {
            await this.#bucket.abortUpload(this.#key, this.#id);
            await this.#abortDuplicates();
        }

        if (this.#isPutBegun || this.#id !== null) {
            await this.#bucket.delete(this.#key);
        }
    }

    async #abortDuplicates(): Promise<void> {

        if (this.#mayHaveDuplicate) {
            for (const { key, uploadId } of (await this.#bucket.listUploads(this.#key)).keys) {
                await (uploadId === null || uploadId === this.#id ? undefined : this.#bucket.abortUpload(key, uploadId));
            }
        }
    }

    /** A buffer with room for at least one byte. */
    async #room(): Promise<Buffer> {

        this.#demandNoError();
        const full = this.#buffer;
        if (full && this.#filled < full.byteLength) {
            return full;
        }

        if (full && this.#isBudgeted) {
            await this.#send();
            const next = await this.#next();
            this.#buffer = next;
            this.#fillingSince = { at: performance.now(), filled: 0 };
            return next;
        }

        const bytes = !full ? FIRST_BYTES : full.byteLength < SMALL_BYTES ? full.byteLength * 4 : PART_BYTES;
        this.#isBudgeted = bytes === PART_BYTES;
        const larger = this.#isBudgeted ? await this.#memory.take(bytes, this).catch((error: unknown) => {

            this.#isBudgeted = false;
            throw error;
        }) : Buffer.allocUnsafeSlow(bytes);
        larger.set(full ?? []);
        this.#buffer = larger;
        this.#fillingSince = this.#isBudgeted ? { at: performance.now(), filled: this.#filled } : null;
        return larger;
    }

    /** A buffer for the next part: a further one if there is memory, otherwise when a part was sent. */
    async #next(): Promise<Buffer> {

        const bytes = partBytes(this.#number + 1);
        const further = this.#sending.size < SENT_AT_A_TIME ? this.#memory.tryTake(bytes, this) : null;
        if (further) {
            return further;
        }

        if (this.#sending.size > 0) {
            await Promise.race(this.#sending);
            this.#demandNoError();
        }

        return await this.#memory.take(bytes, this);
    }

    /** Begins to send the buffer as a part. */
    async #send(): Promise<void> {

        const buffer = this.#buffer;
        this.#fillingSince = null;
        if (!buffer) {
            return;
        }

        if (this.#number === MAX_PARTS) {
            throw tooLarge(`the payload store takes no more than ${this.#size} bytes`);
        }

        const { signal } = this.#stop;
        if (this.#id === null) {
            const { uploadId, isRepeated } = await this.#bucket.createUpload(this.#key, signal);
            this.#id = uploadId;
            this.#mayHaveDuplicate = isRepeated;
        }

        const uploadId = this.#id;
        const number = this.#number += 1;
        const bytes = buffer.subarray(0, this.#filled);
        this.#buffer = null;
        this.#filled = 0;
        const sending = this.#bucket.putPart(this.#key, { uploadId, number, bytes, signal }).then((part) => {

            this.#parts.push(part);
        }, (error: unknown) => {

            this.#error ??= error as Error;
        }).finally(() => {

            this.#memory.give(buffer, this);
            this.#sending.delete(sending);
        });
        this.#sending.add(sending);
    }

    #release(): void {

        this.#fillingSince = null;
        if (this.#buffer && this.#isBudgeted) {
            this.#memory.give(this.#buffer, this);
        }

        this.#buffer = null;
        this.#filled = 0;
    }

    #demandNoError(): void {

        if (this.#error !== null) {
            throw this.#error;
        }
    }
}
