/** Moves of payloads by two processes, one of which was suspended. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { BlobMover, type MovablePayload } from '../../../../lib/stores/blobs/blob-mover.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { BucketOwnership } from '../../../../lib/stores/s3/bucket-ownership.js';
import { openS3Store } from '../../../../lib/stores/s3/open-s3-store.js';
import { S3Bucket } from '../../../../lib/stores/s3/s3-bucket.js';
import { S3_STORE } from '../../../../lib/stores/s3/s3-claim.js';
import { S3ElementStore } from '../../../../lib/stores/s3/s3-element-store.js';
import { body, gather, pattern } from '../../../support/bytes.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { HAS_S3, s3Options, startS3, type TestS3 } from '../../../support/s3.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;
const SIZE = MIB + 5;
const ROUTE = { from: 'database', to: S3_STORE };
const BACK = { from: ROUTE.to, to: ROUTE.from };
const { signal } = new AbortController();

forEachDatabase((name, create) => {

    describe(`the mover of blobs, on ${name}`, { skip: !HAS_S3 }, () => {

        let s3: TestS3;
        let place: TestDatabase;
        let database: Database;
        let bucket: S3Bucket;
        let ownership: BucketOwnership;
        let blobs: BlobStore;

        before(async () => {

            s3 = await startS3();
            place = await create();
            database = await place.open();
            bucket = await S3Bucket.open(s3Options(s3.url));
            (await openS3Store(s3Options(s3.url), { db: database, log: SILENT })).close();
            ownership = new BucketOwnership({ bucket, db: database, log: SILENT, checkedMs: Infinity, challengeMs: 0 });
            await ownership.demand();
            blobs = new BlobStore(database, storesOf(database), { log: SILENT });
        });

        after(async () => {

            blobs?.close();
            bucket?.close();
            await place?.dispose();
            await s3?.stop();
        });

        /** The stores of a process. */
        function storesOf(db: Database): ElementStores {

            const stores = new ElementStores(new DatabaseElementStore(database.blobs));
            stores.register(S3_STORE, new S3ElementStore({ db, bucket, ownership, log: SILENT, memoryBytes: 24 * MIB, stallMs: 5000 }));
            return stores;
        }

        async function payload(): Promise<MovablePayload> {

            const blob = await blobs.stage(body(SIZE), { maxBytes: SIZE });
            await database.commit({ steps: blobs.linkSteps(blob) });
            return { objectId: 'test/1', name: 'file', store: ROUTE.from, blobId: blob.blobId, size: SIZE, hash: null };
        }

        it('keeps a payload readable when what another process has sent arrives after it has given up', async () => {

            const late: Unit[] = [];
            const losing = new Proxy(database, {
                get(target, key) {

                    const value: unknown = Reflect.get(target, key, target);
                    return key === 'commit' ? (unit: Unit) => Promise.reject(new Error(`no answer to ${late.push(unit)}`)) :
                        typeof value === 'function' ? value.bind(target) as unknown : value;
                }
            });
            const moved = await payload();
            const { blobId } = moved;
            await new BlobMover(losing, storesOf(losing)).copy(moved, ROUTE, signal).catch(() => {});
            const mover = new BlobMover(database, storesOf(database));
            await database.commit({ steps: [...await mover.copy(moved, ROUTE, signal), ...mover.switchSteps(moved, ROUTE)] });
            await mover.remove(ROUTE, blobId);

            for (const unit of late) {
                await database.commit(unit);
            }

            expect((await gather(blobs.open({ blobId, store: S3_STORE, size: SIZE }))).equals(pattern(0, SIZE - 1))).to.be.true();
        });

        it('keeps what was moved back while the removal of the former bytes was suspended', async () => {

            const moved = await payload();
            const { blobId } = moved;
            const stores = storesOf(database);
            const mover = new BlobMover(database, stores);
            await database.commit({ steps: await mover.copy(moved, ROUTE, signal) });
            const listObjects = bucket.listObjects.bind(bucket);
            bucket.listObjects = async (...range) => {

                const page = await listObjects(...range);
                bucket.listObjects = listObjects;
                await database.commit({ steps: [...await mover.copy(moved, ROUTE, signal), ...mover.switchSteps(moved, ROUTE)] });
                return page;
            };

            await mover.remove(BACK, blobId);

            expect((await gather(blobs.open({ blobId, store: S3_STORE, size: SIZE }))).equals(pattern(0, SIZE - 1))).to.be.true();
        });

        it('keeps all chunks of what was moved back to the database while the removal of the former bytes was suspended', async () => {

            const moved = await payload();
            const { blobId } = moved;
            const mover = new BlobMover(database, storesOf(database));
            await database.commit({ steps: [...await mover.copy(moved, ROUTE, signal), ...mover.switchSteps(moved, ROUTE)] });
            const deleteChunks = database.blobs.deleteChunks.bind(database.blobs);
            // The first batch has been sent before the suspension, and deletes one of the chunks.
            database.blobs.deleteChunks = async (id) => {

                const deleted = await deleteChunks(id, 1);
                database.blobs.deleteChunks = deleteChunks;
                await database.commit({ steps: [...await mover.copy({ ...moved, store: S3_STORE }, BACK, signal), ...mover.switchSteps(moved, BACK)] });
                return deleted * 16;
            };

            await mover.remove(ROUTE, blobId);

            expect((await gather(blobs.open({ blobId, store: ROUTE.from, size: SIZE }))).equals(pattern(0, SIZE - 1))).to.be.true();
        });

        it('keeps what was moved back before a deletion that was sent long ago arrives, on a database that several processes use', { skip: name === 'SQLite' }, async () => {

            const moved = await payload();
            const { blobId } = moved;
            const mover = new BlobMover(database, storesOf(database));
            await database.commit({ steps: [...await mover.copy(moved, ROUTE, signal), ...mover.switchSteps(moved, ROUTE)] });
            const deleteChunks = database.blobs.deleteChunks.bind(database.blobs);
            database.blobs.deleteChunks = async (...args) => {

                database.blobs.deleteChunks = deleteChunks;
                await database.commit({ steps: [...await mover.copy({ ...moved, store: S3_STORE }, BACK, signal), ...mover.switchSteps(moved, BACK)] });
                return await deleteChunks(...args);
            };

            await mover.remove(ROUTE, blobId);

            expect((await gather(blobs.open({ blobId, store: ROUTE.from, size: SIZE }))).equals(pattern(0, SIZE - 1))).to.be.true();
        });

        it('changes nothing of what is found before its steps are committed', async () => {

            const moved = await payload();
            const mover = new BlobMover(database, storesOf(database));
            const keys = async (): Promise<unknown[]> => (await database.read<{ key: string }>(
                { sql: 'select object_key as "key" from blob_checksums where blob_id = ?' }, [moved.blobId])).map(({ key }) => key);

            const first = await mover.copy(moved, ROUTE, signal);
            const before = await keys();
            await database.commit({ steps: first });
            const after = await keys();
            await mover.copy(moved, ROUTE, signal);

            expect([before, after.length, await keys()]).to.equal([[], 1, after]);
        });
    });
});
