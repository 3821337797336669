/**
 * Which copy of a database owns a bucket. Two services on two copies of a database, such as one that was started for a test with the settings
 * of production, would each remove the bytes that only the other one knows. So the bucket has a token in {@link MARKER}, and the database the
 * last tokens that its nodes have written there; each start writes a new one, and then one of the nodes every hour. A copy of the database
 * does not have what was written after it was made: once both have run, the bucket has a token of one of them only, and the other one neither
 * stores nor removes anything there.
 */

import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { unavailable } from '../../errors/errors.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { SettingStore } from '../setting-store.js';
import { type Marker, MARKER, markerBytes, readMarker } from './repository-marker.js';
import type { S3Bucket } from './s3-bucket.js';
import { type Claim, PAYLOAD_STORE_SETTING, readClaim } from './s3-claim.js';
import { S3Error } from './s3-error.js';

/** Number of tokens kept in the database: a node that stood still may write the token of some hours ago. */
const MAX_TOKENS = 32;

/** Time in ms for which the result of a check counts. */
const CHECKED_MS = 30_000;

/** Time in ms after which a token is replaced. */
const ROTATED_MS = 60 * 60_000;

/** Attempts to write the setting while other nodes do so. */
const ATTEMPTS = 20;

const CHANGED = 'payload-store:changed';

const RETRY_SECONDS = 60;

/** Why nothing is stored or removed. */
export const NOT_OWNER = 'another copy of this repository uses the payload store: nothing is stored in it, and nothing removed';

/** What the ownership depends on. */
export interface OwnershipParts {
    readonly bucket: S3Bucket;
    readonly db: Database;
    readonly log: Log;
    /** Epoch ms. */
    readonly now?: () => number;
    /** Time in ms for which the result of a check counts. */
    readonly checkedMs?: number;
}

/** The ownership of a bucket by this copy of the database. */
export class BucketOwnership {

    readonly #bucket: S3Bucket;
    readonly #db: Database;
    readonly #log: Log;
    readonly #settings: SettingStore;
    readonly #now: () => number;
    readonly #checkedMs: number;
    readonly #checks = new SingleFlight<boolean>();
    #checked = { until: -Infinity, isOwner: true };

    constructor({ bucket, db, log, now = Date.now, checkedMs = CHECKED_MS }: OwnershipParts) {

        this.#bucket = bucket;
        this.#db = db;
        this.#log = log;
        this.#settings = new SettingStore(db);
        this.#now = now;
        this.#checkedMs = checkedMs;
    }

    /** False after a check that has found another owner. */
    get isOwner(): boolean {

        return this.#checked.isOwner;
    }

    /**
     * Demands that this copy of the database owns the bucket; what was found half a minute ago counts.
     *
     * @throws DoipError 503 when another one does
     * @throws S3Error when the bucket does not answer
     */
    async demand(): Promise<void> {

        if (performance.now() > this.#checked.until) {
            await this.#checks.run(() => this.#check());
        }

        if (!this.#checked.isOwner) {
            throw unavailable(NOT_OWNER, RETRY_SECONDS);
        }
    }

    /** Checks the ownership if that was long ago. Returns whether the bucket answers; never rejects. */
    async refresh(): Promise<boolean> {

        try {
            await this.demand();
            return true;
        }
        catch (error) {
            return !(error instanceof S3Error);
        }
    }

    /** Replaces the token when it is an hour old. Throws as {@link demand}. */
    async renew(): Promise<void> {

        await this.demand();
        const claim = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        if (claim && this.#now() - (claim.rotatedOn ?? 0) >= ROTATED_MS) {
            await this.rotate(claim.repository);
        }
    }

    /** Replaces the token. The database has it first, so that the token in the bucket is known to all nodes. */
    async rotate(repository: string): Promise<void> {

        const owner = randomUUID();
        await this.changeClaim((claim) => ({ ...claim, owners: [...claim.owners ?? [], owner].slice(-MAX_TOKENS), rotatedOn: this.#now() }));
        await this.#bucket.put(MARKER, markerBytes({ repository, owner }));
    }

    /** Returns whether a marker, which was read before, is one of this copy of the database. */
    async owns({ repository, owner }: Marker): Promise<boolean> {

        const claim = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        return claim?.repository === repository && (owner === null || claim.owners?.includes(owner) === true);
    }

    /** Changes the setting in the database, whatever other nodes do to it meanwhile. */
    async changeClaim(change: (claim: Claim) => Claim): Promise<void> {

        for (let i = 0; i < ATTEMPTS; ++i) {
            const text = await this.#settings.get(PAYLOAD_STORE_SETTING);
            const claim = readClaim(text);
            if (text === null || claim === null) {
                break;
            }

            const steps = this.#settings.replaceSteps(PAYLOAD_STORE_SETTING, { from: text, to: JSON.stringify(change(claim)) }, CHANGED);
            const result = await this.#db.commit({ steps, essential: true });
            if (result.ok) {
                return;
            }
        }

        throw new Error(`the setting ${PAYLOAD_STORE_SETTING} could not be changed`);
    }

    async #check(): Promise<boolean> {

        const marker = await readMarker(this.#bucket);
        const isOwner = marker !== null && await this.owns(marker);
        if (isOwner !== this.#checked.isOwner) {
            const fields = { store: this.#bucket.name, owner: marker?.owner ?? null };
            if (isOwner) {
                this.#log.info({ event: 'payloads.owned', ...fields }, 'the payload store is owned by this repository again');
            }
            else {
                this.#log.error({ event: 'payloads.not-owned', ...fields }, NOT_OWNER);
            }
        }

        this.#checked = { until: performance.now() + this.#checkedMs, isOwner };
        return isOwner;
    }
}
