/** What the database knows of the bucket with the bytes of payloads. Does not load its client. */

import type { Database } from '../../../db/database.js';
import { statements } from '../../../db/statements.js';
import { SettingStore } from '../setting-store.js';
import { PayloadStoreError } from './s3-error.js';

/** Name of the element store in a bucket. */
export const S3_STORE = 's3';

/** Setting with the id of the repository and the place of its payloads. */
export const PAYLOAD_STORE_SETTING = 'payload-store';

/** Value of the setting. */
export interface Claim {
    readonly repository: string;
    readonly url: string;
    readonly endpoint: string | null;
    /** Where nodes have found the bucket, as {@link addressOf} writes it; absent in what versions have stored that did not remember them. */
    readonly addresses?: readonly string[];
    /** False until the bucket has the id. */
    readonly isMarked: boolean;
    /** The last ownership tokens, the newest at the end; absent before the first one. */
    readonly owners?: readonly string[];
    /** When the newest one was added, epoch ms. */
    readonly rotatedOn?: number;
}

/** Reads the setting. */
export function readClaim(text: string): Claim;
export function readClaim(text: string | null): Claim | null;
export function readClaim(text: string | null): Claim | null {

    return text === null ? null : JSON.parse(text) as Claim;
}

/** Where a bucket is found. */
export function addressOf({ url, endpoint }: Pick<Claim, 'url' | 'endpoint'>): string {

    return `${url} ${endpoint ?? ''}`;
}

/** All addresses at which nodes have found the bucket. */
export function addressesOf(claim: Claim): readonly string[] {

    return claim.addresses ?? [addressOf(claim)];
}

/**
 * Rejects a start without a bucket while blobs are in one.
 *
 * @throws PayloadStoreError
 */
export async function demandNoPayloadStore(db: Database): Promise<void> {

    const claim = readClaim(await new SettingStore(db).get(PAYLOAD_STORE_SETTING));
    if (!claim?.isMarked) {
        return;
    }

    if (await hasPayloadsInBucket(db)) {
        throw new PayloadStoreError(`the payloads of this repository are in ${claim.url}: set PAYLOAD_STORE to it, and PAYLOAD_STORE_WRITES=false to move them back`);
    }
}

/** Returns whether blobs are in a bucket. Reads the whole table where none is left, which happens only after all were moved back. */
export async function hasPayloadsInBucket(db: Database): Promise<boolean> {

    const inBucket = statements(db)<'store'>((knex, bind) => knex('blobs').where('store', bind('store')).where('links', '>', 0).select('id').limit(1));
    return await inBucket.first({ store: S3_STORE }) !== undefined;
}
