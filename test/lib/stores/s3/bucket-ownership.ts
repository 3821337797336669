/** Two copies of one database that use the same bucket, as after a restore, or with a test service that has the settings of production. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { SettingStore } from '../../../../lib/stores/setting-store.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { BucketOwnership, NOT_OWNER } from '../../../../lib/stores/s3/bucket-ownership.js';
import { openS3Store } from '../../../../lib/stores/s3/open-s3-store.js';
import { type Marker, readMarker } from '../../../../lib/stores/s3/repository-marker.js';
import { S3Bucket } from '../../../../lib/stores/s3/s3-bucket.js';
import { PAYLOAD_STORE_SETTING, readClaim, S3_STORE } from '../../../../lib/stores/s3/s3-claim.js';
import { S3ElementStore } from '../../../../lib/stores/s3/s3-element-store.js';
import { S3Error } from '../../../../lib/stores/s3/s3-error.js';
import { PART_BYTES } from '../../../../lib/stores/s3/s3-upload.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { HAS_S3, s3Options, type S3Relay, startS3, startS3Relay, type TestS3 } from '../../../support/s3.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const HOUR = 60 * 60_000;
/** Time without an answer to a challenge: longer than what the tests do before the answer takes on a busy machine. */
const CHALLENGE_MS = 8000;

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
            await ownership(original).rotate(await marker());
            await copyDatabase();
        });

        after(async () => {

            bucket?.close();
            await Promise.all([original, copy].map((db) => db?.close()));
            await Promise.all(places.map((place) => place.dispose()));
            await relay?.stop();
            await s3?.stop();
        });

        async function start(db: Database, adopt: string | null = null, url = s3.url): Promise<void> {

            (await openS3Store(s3Options(url, { adopt }), { db, log: SILENT })).close();
        }

        async function marker(): Promise<Marker> {

            return await readMarker(bucket) ?? { repository: '', owner: null };
        }

        async function ownerInBucket(): Promise<string | null> {

            return (await marker()).owner;
        }

        /** What a process does that is in use. */
        async function rotate(db: Database): Promise<void> {

            await ownership(db).rotate(await marker());
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

        function ownership(db: Database, { checkedMs = 0, challengeMs = 0 } = {}): BucketOwnership {

            return new BucketOwnership({ bucket, db, log: SILENT, checkedMs, challengeMs, now: () => Date.now() + later });
        }

        /** The store of a process; its clock is a day ahead, so that all bytes without a row count as left behind. */
        function processOn(db: Database, own = ownership(db)): { store: S3ElementStore; sweep: () => Promise<unknown> } {

            const stores = new ElementStores(new DatabaseElementStore(db.blobs));
            const store = new S3ElementStore({
                db, bucket, ownership: own, log: SILENT, memoryBytes: 2 * PART_BYTES, stallMs: 2000, now: () => Date.now() + 25 * HOUR
            });
            stores.register(S3_STORE, store);
            stores.use(S3_STORE);
            const blobs = new BlobStore(db, stores, { log: SILENT });
            blobs.close();
            const sweeper = new BlobSweeper(db, stores, blobs, SILENT);
            return { store, sweep: () => sweeper.sweep(db.now() + 2 * HOUR, { grace: 0, stagedTtl: HOUR, limit: 100 }) };
        }

        async function blobKeys(): Promise<string[]> {

            return (await s3.keys()).filter((key) => key.includes('/blobs/'));
        }

        it('both own it until one of them has written another token', async () => {

            await expect(ownership(original).demand()).to.not.reject();
            await expect(ownership(copy).demand()).to.not.reject();
        });

        for (const [title, winner, loser] of [['the original', () => original, () => copy], ['the copy', () => copy, () => original]] as const) {
            it(`have ${title} as owner, when that has written a token since; the other one neither starts, stores nor removes`, async () => {

                await processOn(winner()).store.write(4000, body('of the owner'));
                const losing = processOn(loser());
                const stored = await blobKeys();
                await rotate(winner());

                await expect(start(loser())).to.reject(/was used with another copy of this database after this one was made.*PAYLOAD_STORE_ADOPT=[\da-f-]{36}$/);
                await expect(losing.store.write(4711, body('x'))).to.reject(NOT_OWNER);
                await expect(losing.store.remove(4000)).to.reject(NOT_OWNER);
                await expect(losing.store.removeAll(4000, { hasRow: true })).to.reject(NOT_OWNER);
                await losing.sweep();

                expect(stored.some((key) => key.includes('4000-'))).to.be.true();
                expect(await blobKeys()).to.equal(stored);
                await expect(ownership(winner()).demand()).to.not.reject();
            });
        }

        it('keep what the one in use has stored, when the other one starts as its copy: that removes nothing until the first one had time to show itself', async () => {

            const [used, started] = [ownership(original), ownership(copy, { challengeMs: CHALLENGE_MS })];
            await used.renew();
            await copyDatabase();
            await start(copy);
            const other = processOn(copy, started);
            await processOn(original, used).store.write(4100, body('only the original knows'));

            await other.sweep();
            expect((await blobKeys()).filter((key) => key.includes('4100-'))).to.have.length(1);
            await expect(other.store.removeAll(4100, { hasRow: false })).to.reject(/some minutes after the start/);
            await used.renew();
            await sleep(CHALLENGE_MS + 100);
            await other.sweep();

            expect((await blobKeys()).filter((key) => key.includes('4100-'))).to.have.length(1);
            expect([used.isOwner, started.isOwner]).to.equal([true, false]);
        });

        it('have the one as owner that starts while no other is in use, after some time', async () => {

            const started = ownership(copy, { challengeMs: 300 });
            expect(await started.renew()).to.be.false();
            await sleep(400);
            expect(await started.renew()).to.be.true();

            await expect(ownership(original).demand()).to.reject(NOT_OWNER);
        });

        it('change places by the token that a refused start names, once', async () => {

            await rotate(original);
            const token = await ownerInBucket() ?? '';

            await expect(start(copy, '00000000-0000-4000-8000-000000000000')).to.reject(/PAYLOAD_STORE_ADOPT/);
            relay.behave((request) => (request.startsWith('PUT') ? { status: 507, code: 'InsufficientStorage' } : undefined));
            await expect(start(copy, token, relay.url)).to.reject(/is full/);
            relay.behave();
            await start(copy, token);

            await expect(ownership(original).demand()).to.reject(NOT_OWNER);
            await expect(ownership(copy).demand()).to.not.reject();
            await start(copy, token);
            await expect(start(original, token)).to.reject(/PAYLOAD_STORE_ADOPT/);
        });

        it('may both be read by commands', async () => {

            await rotate(original);
            const opened = await openS3Store(s3Options(s3.url, { isForCommand: true }), { db: copy, log: SILENT });

            await expect(opened.store.write(4712, body('x'))).to.reject(NOT_OWNER);
            opened.close();
        });

        it('write another token after an hour, or when a process has started', async () => {

            const used = ownership(original);
            await used.renew();
            const first = await ownerInBucket();
            later = 59 * 60_000;
            await used.renew();
            expect(await ownerInBucket()).to.equal(first);
            later = HOUR;
            await used.renew();
            const second = await ownerInBucket();
            await ownership(original, { challengeMs: 60_000 }).renew();
            await used.renew();
            const third = await ownerInBucket();

            expect(new Set([first, second, third]).size).to.equal(3);
        });

        it('are no copies when nodes of one database start and write tokens at the same time, and one stood still', async () => {

            await Promise.all(Array.from({ length: 5 }, async () => {

                await start(original);
                await rotate(original);
            }));
            await expect(ownership(original).demand()).to.not.reject();

            const { repository } = await marker();
            const late = (readClaim(await claimOf(original))?.owners ?? []).at(-3) ?? '';
            await bucket.put('repository.json', Buffer.from(JSON.stringify({ repository, owner: late })));

            await expect(ownership(original).demand()).to.not.reject();
            await rotate(original);
            await expect(ownership(original).demand()).to.not.reject();
        });

        it('are no copies when tokens do not get into the bucket, however often', async () => {

            const used = ownership(original);
            await used.renew();
            relay.behave((request) => (request.startsWith('PUT') ? { status: 507, code: 'InsufficientStorage' } : undefined));
            for (let i = 0; i < 120; ++i) {
                later += HOUR;
                expect(await used.renew()).to.be.true();
            }

            relay.behave();
            await expect(used.demand()).to.not.reject();
            expect((readClaim(await claimOf(original))?.owners ?? []).length).to.be.below(101);
        });

        it('end a read of the marker that does not go on, as an outage', async () => {

            relay.behave((request) => (request.includes('repository.json') ? { truncate: 5 } : undefined));

            await expect(ownership(original).demand()).to.reject(S3Error);
        });

        it('remove only old bytes of a number without a row, as another node may have given it to a new payload', async () => {

            const { store } = processOn(original);
            await store.write(4200, body('new'));
            const ahead = new S3ElementStore({ db: original, bucket, ownership: ownership(original), log: SILENT, memoryBytes: 2 * PART_BYTES, stallMs: 2000 });
            await ahead.removeAll(4200, { hasRow: false });

            expect((await blobKeys()).filter((key) => key.includes('4200-'))).to.have.length(1);
            await store.removeAll(4200, { hasRow: false });
            expect((await blobKeys()).filter((key) => key.includes('4200-'))).to.have.length(0);
        });

        it('own nothing where the marker was replaced by that of another repository', async () => {

            const former = await marker();
            await bucket.put('repository.json', Buffer.from(JSON.stringify({ ...former, repository: 'another' })));
            const found = await ownership(original).demand().catch((error: Error) => error.message);
            await bucket.put('repository.json', Buffer.from(JSON.stringify(former)));

            expect(found).to.equal(NOT_OWNER);
        });

        it('ask the bucket once in half a minute, and not while it does not answer', async () => {

            relay.behave();
            const kept = ownership(original, { checkedMs: 30_000 });
            await Promise.all([kept.demand(), kept.demand()]);
            await kept.demand();
            const asked = relay.requests.filter((request) => request.includes('repository.json')).length;
            relay.behave(() => 'cut');

            await expect(kept.demand()).to.not.reject();
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
