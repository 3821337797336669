/**
 * Opens the payload store in a bucket. `repository.json` in the bucket and a setting in the database have the same random id, so that two
 * repositories never share a prefix, whose bytes each would remove.
 */

import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { parseJson } from '../../json/strict-parser.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { isJsonObject } from '../../util/json-types.js';
import { SettingStore } from '../setting-store.js';
import { crc32 } from './block-checksums.js';
import { type BucketUsage, S3Bucket } from './s3-bucket.js';
import { type Claim, PAYLOAD_STORE_SETTING, readClaim } from './s3-claim.js';
import { S3ElementStore } from './s3-element-store.js';
import { PayloadStoreError, S3Error, type S3Failure } from './s3-error.js';
import type { S3Options } from './s3-location.js';

/** Key of the object with the id of the repository. */
export const MARKER = 'repository.json';

const MAX_MARKER_BYTES = 4096;

/** Tag of a unit: another node has begun meanwhile. */
const CLAIMED = 'payload-store:claimed';

/** Time in ms for which the answer to a ping counts. */
const PINGED_MS = 2000;

/** What metrics read. */
export interface PayloadStoreLoad extends BucketUsage {
    /** Memory of uploads in progress. */
    readonly uploadBytes: number;
    /** Uploads that wait for memory. */
    readonly waiting: number;
}

/** An open store. */
export interface OpenS3Store {
    readonly store: S3ElementStore;
    readonly bucket: S3Bucket;
    /** Returns whether the bucket answers; what it was some seconds ago counts. Never rejects. */
    ping(): Promise<boolean>;
    load(): PayloadStoreLoad;
    close(): void;
}

/**
 * Opens a store. A bucket that was used before by this repository and does not answer now is an outage, during which the service starts.
 *
 * @throws PayloadStoreError when it must not or cannot be used
 */
export async function openS3Store(options: S3Options, { db, log }: { readonly db: Database; readonly log: Log }): Promise<OpenS3Store> {

    if (!crc32) {
        throw new PayloadStoreError('PAYLOAD_STORE needs node 20.15 or newer');
    }

    const bucket = await S3Bucket.open(options);
    try {
        await new Claiming(bucket, options, new SettingStore(db), db).claim((error) => {

            log.error({ event: 'payloads.unreachable', err: error, store: bucket.name }, 'the payload store does not answer, starting without it');
        });
    }
    catch (error) {
        bucket.close();
        throw error;
    }

    const store = new S3ElementStore({ db, bucket, log, memoryBytes: options.memoryBytes, stallMs: options.stallMs });
    const pings = new SingleFlight<boolean>();
    let pinged = { until: 0, answers: true };
    return {
        store, bucket,
        ping: async () => {

            if (performance.now() > pinged.until) {
                const answers = await pings.run(() => bucket.ping(MARKER));
                pinged = { until: performance.now() + PINGED_MS, answers };
            }

            return pinged.answers;
        },
        load: () => ({ ...bucket.usage, uploadBytes: store.memory.taken, waiting: store.memory.waiting }),
        close: () => bucket.close()
    };
}

/** Finds out whether a bucket belongs to the repository, and takes one that belongs to none. */
class Claiming {

    readonly #bucket: S3Bucket;
    readonly #options: S3Options;
    readonly #settings: SettingStore;
    readonly #db: Database;

    constructor(bucket: S3Bucket, options: S3Options, settings: SettingStore, db: Database) {

        this.#bucket = bucket;
        this.#options = options;
        this.#settings = settings;
        this.#db = db;
    }

    async claim(onOutage: (error: S3Error) => void): Promise<void> {

        const { url, endpoint } = this.#options;
        const known = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        let marker: string | null;
        try {
            marker = await this.#marker();
        }
        catch (error) {
            if (error instanceof S3Error && error.failure === 'unreachable' && known?.isMarked && known.url === url && known.endpoint === endpoint) {
                onOutage(error);
                return;
            }

            throw error instanceof S3Error ? this.#refusal(error) : error;
        }

        if (known?.isMarked && marker === null) {
            throw new PayloadStoreError(`${this.#bucket.name} has no ${MARKER}, so it is not where the payloads of this repository are: it was ${known.url}`);
        }

        const claim = known ?? await this.#begin();
        if (marker !== null && marker !== claim.repository) {
            throw new PayloadStoreError(`${this.#bucket.name} has the payloads of another repository: choose another prefix`);
        }

        if (marker === null) {
            await this.#mark(claim);
        }

        if (!claim.isMarked || claim.url !== url || claim.endpoint !== endpoint) {
            const value: Claim = { ...claim, url, endpoint, isMarked: true };
            await this.#db.commit({ steps: this.#settings.setSteps(PAYLOAD_STORE_SETTING, JSON.stringify(value)) });
        }
    }

    /** Stores an id before the bucket has it; nodes that start at the same time agree on one. */
    async #begin(): Promise<Claim> {

        const { url, endpoint } = this.#options;
        const claim: Claim = { repository: randomUUID(), url, endpoint, isMarked: false };
        const result = await this.#db.commit({ steps: this.#settings.insertSteps(PAYLOAD_STORE_SETTING, JSON.stringify(claim), CLAIMED) });
        return result.ok ? claim : readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING)) ?? claim;
    }

    async #mark({ repository }: Claim): Promise<void> {

        try {
            await this.#bucket.putNew(MARKER, Buffer.from(`${JSON.stringify({ repository })}\n`));
        }
        catch (error) {
            throw error instanceof S3Error ? this.#refusal(error) : error;
        }

        if (await this.#marker() !== repository) {
            throw new PayloadStoreError(`${this.#bucket.name} has the payloads of another repository: choose another prefix`);
        }
    }

    /** Returns the id in the bucket; null when there is none. */
    async #marker(): Promise<string | null> {

        try {
            const { body, size } = await this.#bucket.get(MARKER);
            if (size > MAX_MARKER_BYTES) {
                body.destroy();
                return '';
            }

            const chunks: Uint8Array[] = [];
            for await (const chunk of body) {
                chunks.push(chunk as Uint8Array);
            }

            return idIn(Buffer.concat(chunks).toString());
        }
        catch (error) {
            if (error instanceof S3Error && error.failure === 'missing') {
                return null;
            }

            throw error;
        }
    }

    #refusal(error: S3Error): PayloadStoreError {

        const { name, location: { bucket } } = this.#bucket;
        const reasons: Readonly<Record<S3Failure, string>> = {
            unreachable: `${name} does not answer: check PAYLOAD_STORE_ENDPOINT and PAYLOAD_STORE_REGION`,
            denied: `${name} refuses the credentials of the service, or they are missing`,
            full: `${name} is full`,
            'no-bucket': `there is no bucket ${bucket}${this.#options.endpoint === null ? '' : ` at ${this.#options.endpoint}`}: create it, or correct PAYLOAD_STORE`,
            'wrong-region': `the bucket ${bucket} is in another region or at another address: check PAYLOAD_STORE_REGION and PAYLOAD_STORE_ENDPOINT`,
            missing: `${name} cannot be written`,
            rejected: `${name} is not usable as a payload store`
        };
        return new PayloadStoreError(`${reasons[error.failure]} (${error.message.replaceAll(/\s+/g, ' ').slice(0, 300)})`, error.failure === 'unreachable', error);
    }
}

/** An unreadable marker is that of another program. */
function idIn(text: string): string {

    try {
        const value = parseJson(text);
        return isJsonObject(value) && typeof value['repository'] === 'string' ? value['repository'] : '';
    }
    catch {
        return '';
    }
}
