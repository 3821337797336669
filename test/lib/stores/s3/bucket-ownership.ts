/** Two copies of one database that use the same bucket, as after a restore, or with a test service that has the settings of production. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { SettingStore } from '../../../../lib/stores/setting-store.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { BucketOwnership, NOT_OWNER } from '../../../../lib/stores/s3/bucket-ownership.js';
import { openS3Store } from '../../../../lib/stores/s3/open-s3-store.js';
import { readMarker } from '../../../../lib/stores/s3/repository-marker.js';
import { S3Bucket } from '../../../../lib/stores/s3/s3-bucket.js';
import { PAYLOAD_STORE_SETTING, readClaim, S3_STORE } from '../../../../lib/stores/s3/s3-claim.js';
import { S3ElementStore } from '../../../../lib/stores/s3/s3-element-store.js';
import { PART_BYTES } from '../../../../lib/stores/s3/s3-upload.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { HAS_S3, s3Options, type S3Relay, startS3, startS3Relay, type TestS3 } from '../../../support/s3.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const HOUR = 60 * 60_000;

forEachDatabase((name, create) => {

    describe(`two copies of a database with one bucket, on ${name}`, { skip: !HAS_S3 }, () => {

        let s3: TestS3;
        let relay: S3Relay;
        let bucket: S3Bucket;
        const places: TestDatabase[] = [];
        /** A database that has used the bucket, and one that is a copy of it. */
        let original: Database;
        let copy: Database;
        /** What is added to the time. */
        let later = 0;

        before(async () => {

            s3 = await startS3();
            relay = await startS3Relay(s3.url);
            bucket = await S3Bucket.open(s3Options(relay.url));
            places.push(await create(), await create());
            [original, copy] = await Promise.all(places.map((place) => place.open())) as [Database, Database];
            await start(original);
        });

        beforeEach(async () => {

            later = 0;
            relay.behave();
            await start(original, await ownerInBucket());
            await copyDatabase();
        });

        after(async () => {

            bucket?.close();
            await Promise.all([original, copy].map((db) => db?.close()));
            await Promise.all(places.map((place) => place.dispose()));
            await relay?.stop();
            await s3?.stop();
        });

        async function start(db: Database, adopt: string | null = null): Promise<void> {

            (await openS3Store(s3Options(s3.url, { adopt }), { db, log: SILENT })).close();
        }

        async function ownerInBucket(): Promise<string | null> {

            return (await readMarker(bucket))?.owner ?? null;
        }

        async function claimOf(db: Database): Promise<string> {

            return await new SettingStore(db).get(PAYLOAD_STORE_SETTING) ?? '';
        }

        async function setClaim(db: Database, value: string): Promise<void> {

            await db.commit({ steps: new SettingStore(db).setSteps(PAYLOAD_STORE_SETTING, value) });
        }

        async function copyDatabase(): Promise<void> {

            await setClaim(copy, await claimOf(original));
        }

        function ownership(db: Database, checkedMs = 0): BucketOwnership {

            return new BucketOwnership({ bucket, db, log: SILENT, checkedMs, now: () => Date.now() + later });
        }

        function storeOf(db: Database): { store: S3ElementStore; blobs: BlobStore; sweep: () => Promise<unknown> } {

            const stores = new ElementStores(new DatabaseElementStore(db.blobs));
            const store = new S3ElementStore({
                db, bucket, ownership: ownership(db), log: SILENT, memoryBytes: 2 * PART_BYTES, stallMs: 2000, now: () => Date.now() + 2 * HOUR
            });
            stores.register(S3_STORE, store);
            stores.use(S3_STORE);
            const blobs = new BlobStore(db, stores, { log: SILENT });
            const sweeper = new BlobSweeper(db, stores, blobs, SILENT);
            return { store, blobs, sweep: () => sweeper.sweep(db.now() + 2 * HOUR, { grace: 0, stagedTtl: HOUR, limit: 100 }) };
        }

        async function blobKeys(): Promise<string[]> {

            return (await s3.keys()).filter((key) => key.includes('/blobs/'));
        }

        it('are one owner until one of them has started again', async () => {

            await expect(ownership(original).demand()).to.not.reject();
            await expect(ownership(copy).demand()).to.not.reject();
        });

        for (const [title, winner, loser] of [['the original', () => original, () => copy], ['the copy', () => copy, () => original]] as const) {
            it(`have ${title} as owner, when that has started since; the other one neither starts, stores nor removes`, async () => {

                const losing = storeOf(loser());
                const stored = await blobKeys();
                await start(winner());

                await expect(start(loser())).to.reject(/was used with another copy of this database after this one was made.*PAYLOAD_STORE_ADOPT=[\da-f-]{36}$/);
                await expect(losing.store.write(4711, body('x'))).to.reject(NOT_OWNER);
                await expect(losing.store.remove(1)).to.reject(NOT_OWNER);
                await losing.sweep();

                expect(await blobKeys()).to.equal(stored);
                await expect(ownership(winner()).demand()).to.not.reject();
                losing.blobs.close();
            });
        }

        it('keep the bytes that only the owner knows when the other one sweeps', async () => {

            const [first, second] = [storeOf(original), storeOf(copy)];
            await start(original);
            const written = 5000;
            await first.store.write(written, body('only the original knows'));
            const keys = await blobKeys();

            await second.sweep();

            expect(await blobKeys()).to.equal(keys);
            expect(keys.some((key) => key.includes(String(written)))).to.be.true();
            first.blobs.close();
            second.blobs.close();
        });

        it('change places by the token that a refused start names, once', async () => {

            await start(original);
            const token = await ownerInBucket() ?? '';

            await expect(start(copy, '00000000-0000-4000-8000-000000000000')).to.reject(/PAYLOAD_STORE_ADOPT/);
            await start(copy, token);

            await expect(ownership(original).demand()).to.reject(NOT_OWNER);
            await expect(ownership(copy).demand()).to.not.reject();
            await start(copy, token);
            await expect(start(original, token)).to.reject(/PAYLOAD_STORE_ADOPT/);
        });

        it('are told apart an hour after the copy at the latest', async () => {

            later = 59 * 60_000;
            await ownership(original).renew();
            await expect(ownership(copy).demand()).to.not.reject();
            later = HOUR;
            await ownership(original).renew();

            await expect(ownership(copy).demand()).to.reject(NOT_OWNER);
            await expect(ownership(original).demand()).to.not.reject();
        });

        it('are no copies when nodes of one database start at the same time, and one writes its token late', async () => {

            const { repository } = readClaim(await claimOf(original)) ?? { repository: '' };
            await Promise.all(Array.from({ length: 5 }, () => start(original)));
            await expect(ownership(original).demand()).to.not.reject();

            const late = (readClaim(await claimOf(original))?.owners ?? []).at(-3);
            await bucket.put('repository.json', Buffer.from(JSON.stringify({ repository, owner: late })));

            await expect(ownership(original).demand()).to.not.reject();
        });

        it('are no copies when the token is in the database and did not get into the bucket', async () => {

            relay.behave((request) => (request.startsWith('PUT') ? 'cut' : undefined));
            await expect(ownership(original).rotate('x')).to.reject();
            relay.behave();

            await expect(ownership(original).demand()).to.not.reject();
        });

        it('start with a bucket that is full, and can be read', async () => {

            relay.behave((request) => (request.startsWith('PUT') ? { status: 507, code: 'InsufficientStorage' } : undefined));
            const opened = await openS3Store(s3Options(relay.url), { db: original, log: SILENT });

            expect(await opened.condition()).to.be.null();
            opened.close();
        });

        it('own nothing where the marker was replaced by that of another repository', async () => {

            const marker = await readMarker(bucket);
            await bucket.put('repository.json', Buffer.from(JSON.stringify({ ...marker, repository: 'another' })));
            const found = await ownership(original).demand().catch((error: Error) => error.message);
            await bucket.put('repository.json', Buffer.from(JSON.stringify(marker)));

            expect(found).to.equal(NOT_OWNER);
        });

        it('ask the bucket once in half a minute, and not while it does not answer', async () => {

            relay.behave();
            const kept = ownership(original, 30_000);
            await Promise.all([kept.demand(), kept.demand()]);
            await kept.demand();
            const asked = relay.requests.filter((request) => request.includes('repository.json')).length;
            relay.behave(() => 'cut');

            await expect(kept.demand()).to.not.reject();
            expect(await ownership(original).refresh()).to.be.false();
            expect(asked).to.equal(1);
        });

        it('begin with a bucket of a former version, which has no token', async () => {

            const claim = JSON.parse(await claimOf(original)) as Record<string, unknown>;
            const { owners: _owners, rotatedOn: _rotatedOn, ...former } = claim;
            await setClaim(original, JSON.stringify(former));
            await bucket.put('repository.json', Buffer.from(JSON.stringify({ repository: former['repository'] })));

            await start(original);

            expect(readClaim(await claimOf(original))?.owners).to.equal([await ownerInBucket() ?? '']);
        });
    });
});

async function *body(text: string): AsyncGenerator<Uint8Array> {

    yield Buffer.from(text);
}
