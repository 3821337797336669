/**
 * Opens the payload store in a bucket. `repository.json` in the bucket and a setting in the database have the same random id, so that two
 * repositories never share a prefix, whose bytes each would remove. Two copies of one repository do not either: see {@link BucketOwnership}.
 */

import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { withAddress } from '../known-addresses.js';
import { SettingStore } from '../setting-store.js';
import { crc32 } from './block-checksums.js';
import { BucketOwnership } from './bucket-ownership.js';
import { type Marker, MARKER, markerBytes, readMarker } from './repository-marker.js';
import { type BucketUsage, S3Bucket } from './s3-bucket.js';
import { addressesOf, addressOf, type Claim, PAYLOAD_STORE_SETTING, readClaim } from './s3-claim.js';
import { S3ElementStore } from './s3-element-store.js';
import { PayloadStoreError, S3Error, type S3Failure } from './s3-error.js';
import type { S3Options } from './s3-location.js';

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

/** The bucket does not answer, or another copy of the database uses it. */
export type PayloadCondition = 'no payloads' | 'payloads not owned';

/** An open store. */
export interface OpenS3Store {
    readonly store: S3ElementStore;
    readonly bucket: S3Bucket;
    /** Returns why payloads are not served, as some seconds ago; null when they are. Never rejects. */
    condition(): Promise<PayloadCondition | null>;
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
    const ownership = new BucketOwnership({ bucket, db, log, challengeMs: options.challengeMs });
    try {
        await new Claiming({ bucket, options, db, log, ownership }).claim();
    }
    catch (error) {
        bucket.close();
        throw error;
    }

    const store = new S3ElementStore({ db, bucket, ownership, log, memoryBytes: options.memoryBytes, stallMs: options.stallMs });
    const pings = new SingleFlight<boolean>();
    let pinged = { until: 0, answers: true };
    return {
        store, bucket,
        condition: async () => {

            if (performance.now() > pinged.until) {
                const answers = await pings.run(() => bucket.ping(MARKER));
                pinged = { until: performance.now() + PINGED_MS, answers };
                ownership.refresh();
            }

            return !pinged.answers ? 'no payloads' : ownership.isOwner ? null : 'payloads not owned';
        },
        load: () => ({ ...bucket.usage, uploadBytes: store.memory.taken, waiting: store.memory.waiting }),
        close: () => bucket.close()
    };
}

interface ClaimingParts {
    readonly bucket: S3Bucket;
    readonly options: S3Options;
    readonly db: Database;
    readonly log: Log;
    readonly ownership: BucketOwnership;
}

/** Finds out whether a bucket belongs to the repository, and takes one that belongs to none. */
class Claiming {

    readonly #bucket: S3Bucket;
    readonly #options: S3Options;
    readonly #settings: SettingStore;
    readonly #db: Database;
    readonly #log: Log;
    readonly #ownership: BucketOwnership;

    constructor({ bucket, options, db, log, ownership }: ClaimingParts) {

        this.#bucket = bucket;
        this.#options = options;
        this.#settings = new SettingStore(db);
        this.#db = db;
        this.#log = log;
        this.#ownership = ownership;
    }

    async claim(): Promise<void> {

        const known = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        try {
            await this.#claim(known);
        }
        catch (error) {
            if (!(error instanceof S3Error)) {
                throw error;
            }

            if (error.failure !== 'unreachable' || !known?.isMarked || !addressesOf(known).includes(addressOf(this.#options))) {
                throw this.#refusal(error);
            }

            this.#log.error({ event: 'payloads.unreachable', err: error, store: this.#bucket.name }, 'the payload store does not answer, starting without it');
        }
    }

    async #claim(known: Claim | null): Promise<void> {

        const { url, endpoint } = this.#options;
        const marker = await readMarker(this.#bucket);
        if (known?.isMarked && marker === null) {
            throw new PayloadStoreError(`${this.#bucket.name} has no ${MARKER}, so it is not where the payloads of this repository are: it was ${known.url}`);
        }

        const claim = known ?? await this.#begin();
        if (marker === null) {
            await this.#bucket.putNew(MARKER, markerBytes({ repository: claim.repository, owner: null }));
        }

        const { repository, owner = null } = marker ?? await readMarker(this.#bucket) ?? {};
        if (repository !== claim.repository) {
            throw new PayloadStoreError(`${this.#bucket.name} has the payloads of another repository: choose another prefix`);
        }

        await this.#demandOwnership({ repository, owner });
        const address = addressOf(this.#options);
        if (!claim.isMarked || claim.url !== url || !addressesOf(claim).includes(address)) {
            await this.#ownership.changeClaim((current) => {

                const addresses = withAddress(current.isMarked && current.url === url ? addressesOf(current) : [], address);
                return { ...current, url, endpoint, addresses, isMarked: true };
            });
        }

        if (owner === null) {
            await this.#ownership.rotate({ repository, owner });
            this.#ownership.establish();
        }
    }

    /** Stores an id before the bucket has it; nodes that start at the same time agree on one. */
    async #begin(): Promise<Claim> {

        const { url, endpoint } = this.#options;
        const claim: Claim = { repository: randomUUID(), url, endpoint, isMarked: false };
        const result = await this.#db.commit({ steps: this.#settings.insertSteps(PAYLOAD_STORE_SETTING, JSON.stringify(claim), CLAIMED) });
        return result.ok ? claim : readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING)) ?? claim;
    }

    /**
     * Rejects a start on a copy of the database that another one has overtaken, unless the operator has decided for this one. Commands may read.
     *
     * @throws PayloadStoreError
     */
    async #demandOwnership(marker: Marker): Promise<void> {

        if (this.#options.isForCommand === true || await this.#ownership.owns(marker)) {
            return;
        }

        const { owner } = marker;
        if (owner === null || owner !== this.#options.adopt) {
            throw new PayloadStoreError(`${this.#bucket.name} was used with another copy of this database after this one was made, such as before a restore: `
                + `each would remove what only the other one knows. Copy the bucket, or end the other service for good and start with PAYLOAD_STORE_ADOPT=${owner}`);
        }

        await this.#ownership.rotate(marker);
        this.#ownership.establish();
        this.#log.warn({ event: 'payloads.adopted', store: this.#bucket.name, owner }, 'the payload store was taken over from another copy of this repository');
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
