/**
 * A bucket: requests to its server, with limits of time and bounded retries by the SDK, which is loaded here alone and only when a
 * bucket is opened. Knows nothing of blobs.
 */

import type * as Sdk from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { parseS3Url, type S3Location, type S3Options } from './s3-location.js';
import { PayloadStoreError, S3Error, toS3Error } from './s3-error.js';

/** A part of an upload that was stored. */
export interface StoredPart {
    readonly PartNumber: number;
    readonly ETag: string;
    readonly ChecksumCRC32?: string;
}

/** A key, of an upload with its id. */
export interface ListedKey {
    readonly key: string;
    readonly uploadId: string | null;
    /** Epoch ms; when the upload began. */
    readonly storedOn: number;
}

/** Keys in ascending order; all up to the last one. */
export interface KeyPage {
    readonly keys: readonly ListedKey[];
    readonly isLast: boolean;
}

/** Bytes of an object. */
export interface Fetched {
    readonly body: Readable;
    /** Length of the whole object. */
    readonly size: number;
}

/** Counters for metrics. */
export interface BucketUsage {
    /** False when the last request failed, other than for a missing object. */
    readonly isUp: boolean;
    readonly requests: number;
    readonly failures: number;
    readonly sentBytes: number;
    readonly receivedBytes: number;
}

const CONNECTION_MS = 3000;
const ATTEMPTS = 4;
/** Open connections to the server, without those of downloads: each takes as long as its client, and the connections of clients are limited. */
const SOCKETS = 128;
/** Time limits of a request with all its attempts: three that stall with the pauses between them, and for one with the bytes of a part. */
const [STALLS, PAUSES_MS] = [3, 3000];
const TRANSFER_MS = 10 * 60_000;
const PING_MS = 1500;
const PRECONDITION_FAILED = 412;
/** Keys of one answer. */
const PAGE = 1000;

/** Milliseconds without traffic, and until an answer begins. */
interface ClientTimeouts {
    readonly socketTimeout: number;
    readonly requestTimeout?: number;
    readonly throwOnRequestTimeout?: boolean;
}

const PACKAGE = '@aws-sdk/client-s3';

const NO_SUCH_KEY = 'NoSuchKey';
const NOT_BY_BUCKET = 'an answer says that there is no object, which is not one of the bucket';

/** A bucket that is open. */
export class S3Bucket {

    /** For messages: `s3://bucket/prefix`, and the address of the server where one is set. */
    readonly name: string;
    readonly location: S3Location;
    readonly #sdk: typeof Sdk;
    /** Notices connections without traffic. */
    readonly #client: Sdk.S3Client;
    /** Notices answers that do not begin. Bodies are read at the pace of the reader. */
    readonly #reader: Sdk.S3Client;
    readonly #limitMs: number;
    readonly #usage = { isUp: true, requests: 0, failures: 0, sentBytes: 0, receivedBytes: 0 };

    private constructor(sdk: typeof Sdk, options: S3Options) {

        const { url, endpoint, region, pathStyle, stallMs } = options;
        this.#sdk = sdk;
        this.#limitMs = STALLS * stallMs + PAUSES_MS;
        this.location = parseS3Url(url);
        this.name = `s3://${this.location.bucket}/${this.location.prefix}${endpoint === null ? '' : ` at ${endpoint}`}`;
        const client = (maxSockets: number, timeouts: ClientTimeouts): Sdk.S3Client => new sdk.S3Client({
            ...endpoint === null ? {} : { endpoint }, ...region === null ? {} : { region },
            forcePathStyle: pathStyle ?? endpoint !== null,
            maxAttempts: ATTEMPTS,
            // The bytes of each block are compared with its checksum in the database.
            responseChecksumValidation: 'WHEN_REQUIRED',
            requestHandler: {
                connectionTimeout: Math.min(CONNECTION_MS, stallMs), ...timeouts,
                httpAgent: { keepAlive: true, maxSockets }, httpsAgent: { keepAlive: true, maxSockets }
            }
        });
        this.#client = client(SOCKETS, { socketTimeout: stallMs });
        this.#reader = client(Infinity, { socketTimeout: 0, requestTimeout: stallMs, throwOnRequestTimeout: true });
    }

    /** Loads the SDK. @throws PayloadStoreError when it is not installed */
    static async open(options: S3Options): Promise<S3Bucket> {

        return new S3Bucket(await loadSdk(), options);
    }

    get usage(): BucketUsage {

        return this.#usage;
    }

    /** Counts bytes of a body that were read. */
    countReceived(bytes: number): void {

        this.#usage.receivedBytes += bytes;
    }

    close(): void {

        this.#client.destroy();
        this.#reader.destroy();
    }

    /** Stores an object; the server compares its bytes with the checksum that the SDK sends. */
    async put(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {

        await this.#send((how) => this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#at(key), Body: bytes }), how), TRANSFER_MS, signal);
        this.#usage.sentBytes += bytes.byteLength;
    }

    /** Stores an object unless there is one of this key. */
    async putNew(key: string, bytes: Uint8Array): Promise<void> {

        await this.#send((how) => this.#client.send(new this.#sdk.PutObjectCommand({ ...this.#at(key), Body: bytes, IfNoneMatch: '*' }), how), this.#limitMs)
            .catch((error: unknown) => {

                if (!(error instanceof S3Error) || error.status !== PRECONDITION_FAILED) {
                    throw error;
                }
            });
    }

    /** Fetches bytes; `range` is 0-based and inclusive. @throws S3Error `missing` when there is no such object or range */
    async get(key: string, range: { readonly start: number; readonly end: number } | null = null): Promise<Fetched> {

        const { Body, ContentRange, ContentLength } = await this.#demandOwnAnswer(key, this.#send((how) => this.#reader.send(new this.#sdk.GetObjectCommand({
            ...this.#at(key), ...range ? { Range: `bytes=${range.start}-${range.end}` } : {}
        }), how), this.#limitMs));
        const body = Body as Readable | undefined;
        if (!body) {
            throw new S3Error('unreachable', 'the answer has no body');
        }

        const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? [];
        if (range && range.start !== Number(start ?? 0)) {
            body.destroy();
            throw new S3Error('unreachable', `the answer begins at byte ${start ?? 0} instead of ${range.start}`);
        }

        const size = Number(total ?? ContentLength);
        if (Number.isNaN(size)) {
            body.destroy();
            throw new S3Error('unreachable', 'the answer does not say how long the object is');
        }

        return { body, size };
    }

    /** Returns the length of an object. @throws S3Error `missing` when there is none */
    async head(key: string): Promise<number> {

        const command = new this.#sdk.HeadObjectCommand(this.#at(key));
        return (await this.#demandOwnAnswer(key, this.#send((how) => this.#client.send(command, how), this.#limitMs))).ContentLength ?? 0;
    }

    /** Returns whether the server answers a request for an object, also by saying that there is none. Takes a second or two at most; never rejects. */
    async ping(key: string): Promise<boolean> {

        try {
            const command = new this.#sdk.HeadObjectCommand(this.#at(key));
            await this.#demandOwnAnswer(key, this.#send((how) => this.#client.send(command, how), PING_MS), PING_MS / 2);
            return true;
        }
        catch (error) {
            return error instanceof S3Error && error.failure === 'missing';
        }
    }

    /** Deletes an object, if there is one. */
    async delete(key: string): Promise<void> {

        await this.#send((how) => this.#client.send(new this.#sdk.DeleteObjectCommand(this.#at(key)), how), this.#limitMs);
    }

    /**
     * Begins an upload in parts.
     *
     * @returns its id, and whether an earlier attempt may have begun one as well
     */
    async createUpload(key: string, signal: AbortSignal): Promise<{ uploadId: string; isRepeated: boolean }> {

        const command = new this.#sdk.CreateMultipartUploadCommand({ ...this.#at(key), ChecksumAlgorithm: 'CRC32' });
        const { UploadId, $metadata: { attempts = 1 } } = await this.#send((how) => this.#client.send(command, how), this.#limitMs, signal);
        if (UploadId === undefined) {
            throw new S3Error('rejected', 'the upload got no id');
        }

        return { uploadId: UploadId, isRepeated: attempts > 1 };
    }

    /** Stores a part; the server compares its bytes with the checksum that the SDK sends. */
    async putPart(key: string, { uploadId, number, bytes, signal }: { uploadId: string; number: number; bytes: Uint8Array; signal: AbortSignal }): Promise<StoredPart> {

        const { ETag, ChecksumCRC32 } = await this.#send((how) => this.#client.send(new this.#sdk.UploadPartCommand({
            ...this.#at(key), UploadId: uploadId, PartNumber: number, Body: bytes, ChecksumAlgorithm: 'CRC32'
        }), how), TRANSFER_MS, signal);
        if (ETag === undefined) {
            throw new S3Error('rejected', `part ${number} got no ETag`);
        }

        this.#usage.sentBytes += bytes.byteLength;
        return { PartNumber: number, ETag, ...ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 } };
    }

    /** Makes an object of the parts. The answer to an earlier attempt may be lost, so that the upload is no longer there; then the object counts. */
    async completeUpload(key: string, uploadId: string, { parts, size }: { parts: readonly StoredPart[]; size: number }): Promise<void> {

        const command = new this.#sdk.CompleteMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId, MultipartUpload: { Parts: [...parts] } });
        await this.#send((how) => this.#client.send(command, how), TRANSFER_MS).catch((error: unknown) => {

            if (!(error instanceof S3Error) || error.failure !== 'missing') {
                throw error;
            }
        });
        const stored = await this.head(key);
        if (stored !== size) {
            throw new S3Error('rejected', `the object has ${stored} bytes instead of ${size}`);
        }
    }

    /** Ends an upload and deletes its parts; does nothing when it is not there. */
    async abortUpload(key: string, uploadId: string): Promise<void> {

        const command = new this.#sdk.AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId });
        await this.#send((how) => this.#client.send(command, how), this.#limitMs).catch((error: unknown) => {

            if (!(error instanceof S3Error) || error.failure !== 'missing') {
                throw error;
            }
        });
    }

    /** Lists objects after a key. */
    async listObjects(prefix: string, after: string | null = null, limitMs = this.#limitMs): Promise<KeyPage> {

        const { Contents = [], IsTruncated } = await this.#send((how) => this.#client.send(new this.#sdk.ListObjectsV2Command({
            Bucket: this.location.bucket, Prefix: this.#key(prefix), MaxKeys: PAGE, ...after === null ? {} : { StartAfter: this.#key(after) }
        }), how), limitMs);
        return {
            keys: Contents.map(({ Key = '', LastModified }) => ({ key: this.#own(Key), uploadId: null, storedOn: LastModified?.getTime() ?? 0 })),
            isLast: IsTruncated !== true
        };
    }

    /** Lists uploads that were begun and neither completed nor aborted, after a key. */
    async listUploads(prefix: string, after: string | null = null): Promise<KeyPage> {

        const { Uploads = [], IsTruncated } = await this.#send((how) => this.#client.send(new this.#sdk.ListMultipartUploadsCommand({
            Bucket: this.location.bucket, Prefix: this.#key(prefix), MaxUploads: PAGE, ...after === null ? {} : { KeyMarker: this.#key(after) }
        }), how), this.#limitMs);
        return {
            keys: Uploads.map(({ Key = '', UploadId = '', Initiated }) => ({ key: this.#own(Key), uploadId: UploadId, storedOn: Initiated?.getTime() ?? 0 })),
            isLast: IsTruncated !== true
        };
    }

    /**
     * An answer that there is no object may be one of a server before the bucket, such as a proxy that starts, unless it names the error; those to HEAD never
     * do. Then the bucket is asked for its list of objects.
     *
     * @throws S3Error `missing` only when the list lacks the object
     */
    async #demandOwnAnswer<T>(key: string, answer: Promise<T>, limitMs = this.#limitMs): Promise<T> {

        try {
            return await answer;
        }
        catch (error) {
            if (!(error instanceof S3Error) || error.failure !== 'missing' || (error.cause as { name?: string } | undefined)?.name === NO_SUCH_KEY) {
                throw error;
            }

            if (await this.#lacks(key, limitMs)) {
                throw error;
            }

            this.#usage.isUp = false;
            this.#usage.failures += 1;
            throw new S3Error('unreachable', NOT_BY_BUCKET, error);
        }
    }

    /** Returns whether the list of objects is there and lacks a key. @throws S3Error other than `missing` */
    async #lacks(key: string, limitMs: number): Promise<boolean> {

        try {
            return (await this.listObjects(key, null, limitMs)).keys.every((listed) => listed.key !== key);
        }
        catch (error) {
            if (error instanceof S3Error && error.failure === 'missing') {
                return false;
            }

            throw error;
        }
    }

    #at(key: string): { Bucket: string; Key: string } {

        return { Bucket: this.location.bucket, Key: this.#key(key) };
    }

    #key(key: string): string {

        return `${this.location.prefix}${key}`;
    }

    #own(key: string): string {

        return key.slice(this.location.prefix.length);
    }

    /** @throws S3Error, but the reason of the signal when the caller has aborted */
    async #send<T>(request: (how: { abortSignal: AbortSignal }) => Promise<T>, limitMs: number, signal?: AbortSignal): Promise<T> {

        // Ends with the answer, as the body of an answer may be read for hours.
        const limit = new AbortController();
        const timer = setTimeout(() => limit.abort(), limitMs);
        this.#usage.requests += 1;
        try {
            const answer = await request({ abortSignal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal });
            this.#usage.isUp = true;
            return answer;
        }
        catch (error) {
            signal?.throwIfAborted();
            const found = limit.signal.aborted ? new S3Error('unreachable', `no answer within ${limitMs} ms`, error) : toS3Error(error);
            this.#usage.isUp = found.failure === 'missing';
            this.#usage.failures += found.failure === 'missing' ? 0 : 1;
            throw found;
        }
        finally {
            clearTimeout(timer);
        }
    }
}

async function loadSdk(): Promise<typeof Sdk> {

    // The service says by itself that support of a version of node has ended.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    try {
        return await import('@aws-sdk/client-s3');           // Literal, for the bundle
    }
    catch (error) {
        if (!/MODULE_NOT_FOUND/.test((error as NodeJS.ErrnoException).code ?? '')) {
            throw error;
        }

        throw new PayloadStoreError(`PAYLOAD_STORE needs the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}`, false, error);
    }
}
