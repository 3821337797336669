/**
 * Which copy of a database owns a bucket. Two services on two copies of a database, such as one that was started for a test with the settings
 * of production, would each remove the bytes that only the other one knows. So the bucket has a token in {@link MARKER}, and the database the
 * last tokens that its nodes have written there. A copy of the database does not have what was written after it was made: once one of them has
 * written another token, the bucket has one that the other does not know, and which neither stores nor removes anything there.
 *
 * The one that is in use wins: a process that starts leaves a challenge in the bucket, on which a process of the same or another copy that is
 * established writes another token within a minute. Until it knows the answer, or some minutes have gone by without one, it removes nothing
 * that others may know.
 */

import { randomUUID } from 'node:crypto';
import type { Database } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import { unavailable } from '../../errors/errors.js';
import { SingleFlight } from '../../util/concurrency/single-flight.js';
import { SettingStore } from '../setting-store.js';
import { CHALLENGE, type Marker, MARKER, markerBytes, readMarker, readSmall } from './repository-marker.js';
import type { S3Bucket } from './s3-bucket.js';
import { type Claim, PAYLOAD_STORE_SETTING, readClaim } from './s3-claim.js';
import { S3Error } from './s3-error.js';

/** Number of tokens kept in the database: a node that stood still may write an older one. */
const MAX_TOKENS = 100;

/** Time in ms for which the result of a check counts. */
const CHECKED_MS = 30_000;

/** Time in ms after which a token is replaced without a challenge. */
const ROTATED_MS = 60 * 60_000;

/** Time in ms without an answer to its challenge after which a process is established; others look for one every minute. */
const CHALLENGE_MS = 5 * 60_000;

const RETRY_SECONDS = 60;

/** Why nothing is stored or removed. */
export const NOT_OWNER = 'another copy of this repository uses the payload store: nothing is stored in it, and nothing removed';

const NOT_ESTABLISHED = 'payloads are removed from the payload store some minutes after the start, when no other copy of this repository is found to use it';

/** What the ownership depends on. */
export interface OwnershipParts {
    readonly bucket: S3Bucket;
    readonly db: Database;
    readonly log: Log;
    /** Epoch ms. */
    readonly now?: () => number;
    /** Time in ms for which the result of a check counts. */
    readonly checkedMs?: number;
    /** Time in ms without an answer to the challenge after which the process is established. */
    readonly challengeMs?: number | undefined;
}

/** The ownership of a bucket by this copy of the database, as one process knows it. */
export class BucketOwnership {

    readonly #bucket: S3Bucket;
    readonly #log: Log;
    readonly #settings: SettingStore;
    readonly #now: () => number;
    readonly #checkedMs: number;
    readonly #challengeMs: number;
    readonly #checks = new SingleFlight<Marker | null>();
    #isOwner = true;
    /** When the last check ended, by two clocks: one stands still in a suspended machine, the other one can be set. */
    #checkedOn = { monotonic: -Infinity, wall: -Infinity };
    #isEstablished = false;
    #hasChallenged = false;
    /** The token that was seen last, and since when; null before the first check. */
    #seen: { readonly owner: string | null; readonly since: number } | null = null;
    #answered: string | null = null;

    constructor({ bucket, db, log, now = () => db.now(), checkedMs = CHECKED_MS, challengeMs = CHALLENGE_MS }: OwnershipParts) {

        this.#bucket = bucket;
        this.#log = log;
        this.#settings = new SettingStore(db);
        this.#now = now;
        this.#checkedMs = checkedMs;
        this.#challengeMs = challengeMs;
    }

    /** False after a check that has found another owner. */
    get isOwner(): boolean {

        return this.#isOwner;
    }

    /**
     * Demands that this copy of the database owns the bucket; what was found half a minute ago counts.
     *
     * @throws DoipError 503 when another one does
     * @throws S3Error when the bucket does not answer
     */
    async demand(): Promise<void> {

        if (!this.#isChecked) {
            await this.#check();
        }

        if (!this.#isOwner) {
            throw unavailable(NOT_OWNER, RETRY_SECONDS);
        }
    }

    /** Demands in addition that bytes may be removed that another copy may know. Throws as {@link demand}, and 503 soon after the start. */
    async demandEstablished(): Promise<void> {

        await this.demand();
        await this.#challenge();
        if (!this.#isEstablished) {
            throw unavailable(NOT_ESTABLISHED, RETRY_SECONDS);
        }
    }

    /** Checks the ownership if that was long ago, in the background. */
    refresh(): void {

        if (!this.#isChecked) {
            this.#check().catch(() => {
                // An outage, which others report.
            });
        }
    }

    /**
     * Checks the ownership, and replaces the token when it is old or a process asks for that by its challenge.
     *
     * @returns whether bytes may be removed now
     * @throws S3Error when the bucket does not answer
     */
    async renew(): Promise<boolean> {

        const marker = await this.#check();
        if (!marker || !this.#isOwner) {
            return false;
        }

        await this.#challenge();
        if (!this.#isEstablished) {
            return false;
        }

        const claim = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        const challenge = await this.#challengeInBucket();
        if (challenge !== this.#answered || Math.abs(this.#now() - (claim?.rotatedOn ?? 0)) >= ROTATED_MS) {
            try {
                await this.rotate(marker);
                this.#answered = challenge;
            }
            catch (error) {
                // The bucket may be full, and bytes be removed for that reason.
                this.#log.warn({ event: 'payloads.token-failed', err: error, store: this.#bucket.name }, 'failed to write a token to the payload store');
            }
        }

        return true;
    }

    /** Nobody else has used the bucket, or the operator has decided. */
    establish(): void {

        this.#isEstablished = true;
    }

    /**
     * Replaces the token of a marker. The database has it first, so that the token in the bucket is known to all nodes; the one that is there now is
     * never forgotten, as the other one may not get there.
     *
     * @throws S3Error
     */
    async rotate({ repository, owner }: Marker): Promise<void> {

        const next = randomUUID();
        await this.changeClaim((claim) => {

            const owners = (claim.owners ?? []).filter((each) => each !== owner).slice(2 - MAX_TOKENS);
            return { ...claim, owners: [...owners, ...owner !== null && claim.owners?.includes(owner) ? [owner] : [], next], rotatedOn: this.#now() };
        });
        await this.#bucket.put(MARKER, markerBytes({ repository, owner: next }));
    }

    /** Returns whether a marker, which was read before, is one of this copy of the database. */
    async owns({ repository, owner }: Marker): Promise<boolean> {

        const claim = readClaim(await this.#settings.get(PAYLOAD_STORE_SETTING));
        return claim?.repository === repository && (owner === null || claim.owners?.includes(owner) === true);
    }

    /** Changes the setting in the database, whatever other nodes do to it meanwhile. */
    async changeClaim(change: (claim: Claim) => Claim): Promise<void> {

        await this.#settings.change(PAYLOAD_STORE_SETTING, (text) => JSON.stringify(change(readClaim(text))));
    }

    get #isChecked(): boolean {

        const { monotonic, wall } = this.#checkedOn;
        return performance.now() - monotonic < this.#checkedMs && Math.abs(Date.now() - wall) < this.#checkedMs;
    }

    /** Returns the marker. @throws S3Error */
    async #check(): Promise<Marker | null> {

        return await this.#checks.run(async () => {

            const marker = await readMarker(this.#bucket);
            const isOwner = marker !== null && await this.owns(marker);
            if (isOwner) {
                this.#see(marker.owner);
            }
            else {
                this.#seen = null;
                this.#isEstablished = false;
                this.#hasChallenged = false;
            }

            if (isOwner !== this.#isOwner) {
                this.#isOwner = isOwner;
                this.#report(marker);
            }

            this.#checkedOn = { monotonic: performance.now(), wall: Date.now() };
            return marker;
        });
    }

    /** A process is established when the token did not change for some time, or to another one of the same database, which then is the one in use. */
    #see(owner: string | null): void {

        const now = performance.now();
        if (this.#seen && this.#seen.owner !== owner) {
            this.#isEstablished = true;
        }

        if (this.#seen?.owner !== owner) {
            this.#seen = { owner, since: now };
        }

        this.#waitForAnswer();
    }

    #waitForAnswer(): void {

        if (this.#hasChallenged && this.#seen && performance.now() - this.#seen.since >= this.#challengeMs) {
            this.#isEstablished = true;
        }
    }

    #report(marker: Marker | null): void {

        const fields = { store: this.#bucket.name, repository: marker?.repository ?? null, owner: marker?.owner ?? null };
        if (this.#isOwner) {
            this.#log.info({ event: 'payloads.owned', ...fields }, 'this repository owns the payload store again');
        }
        else {
            this.#log.error({ event: 'payloads.not-owned', ...fields }, marker === null ? `the payload store has no ${MARKER}: nothing is stored in it, and nothing removed` : NOT_OWNER);
        }
    }

    /** Asks processes that use the bucket to show themselves, once. @throws S3Error */
    async #challenge(): Promise<void> {

        if (this.#isEstablished || this.#hasChallenged) {
            return;
        }

        try {
            await this.#bucket.put(CHALLENGE, Buffer.from(randomUUID()));
        }
        catch (error) {
            // A full bucket takes no answer either, and gets room by removals only.
            if (!(error instanceof S3Error) || error.failure !== 'full') {
                throw error;
            }
        }

        this.#hasChallenged = true;
        this.#seen = this.#seen && { ...this.#seen, since: performance.now() };
        this.#waitForAnswer();
    }

    async #challengeInBucket(): Promise<string | null> {

        return (await readSmall(this.#bucket, CHALLENGE))?.toString() ?? null;
    }
}
