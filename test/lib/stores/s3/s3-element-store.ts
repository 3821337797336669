import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import type { BlobRef } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { BLOCK_BYTES } from '../../../../lib/stores/s3/block-checksums.js';
import { S3_STORE } from '../../../../lib/stores/s3/s3-claim.js';
import { BucketOwnership } from '../../../../lib/stores/s3/bucket-ownership.js';
import { openS3Store } from '../../../../lib/stores/s3/open-s3-store.js';
import { S3Bucket } from '../../../../lib/stores/s3/s3-bucket.js';
import { S3ElementStore } from '../../../../lib/stores/s3/s3-element-store.js';
import { PART_BYTES } from '../../../../lib/stores/s3/s3-upload.js';
import { body, gather, pattern, sha256 } from '../../../support/bytes.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { BUCKET, HAS_S3, s3Options, startS3, startS3Relay, type S3Fate, type S3Relay, type TestS3 } from '../../../support/s3.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const MIB = 1024 * 1024;
const HOUR = 60 * 60_000;
/** Longer than an answer or a byte takes on a busy machine. */
const STALL_MS = 2000;
const SLOW_MS = 8000;
/** For how long memory is waited for: much longer than until a slow upload gives way. */
const WAIT_MS = 120_000;
/** Of a slow upload: a little more than what needs no memory of the budget. */
const SLOW_BYTES = 300 * 1024;
/** More than the connections of all other requests to the bucket. */
const SLOW_READERS = 150;
/** Long enough for three parts. */
const LONG = 2 * PART_BYTES + 3 * MIB + 7;

forEachDatabase((name, create) => {

    describe(`the payload store in a bucket, with its rows on ${name}`, { skip: !HAS_S3 }, () => {

        let s3: TestS3;
        let relay: S3Relay;
        let place: TestDatabase;
        let database: Database;
        let bucket: S3Bucket;
        let stores: ElementStores;
        let store: S3ElementStore;
        let blobs: BlobStore;
        /** What is added to the time. */
        let later = 0;

        before(async () => {

            s3 = await startS3();
            relay = await startS3Relay(s3.url);
            place = await create();
            database = await place.open();
            bucket = await S3Bucket.open(s3Options(relay.url, { stallMs: STALL_MS }));
            stores = new ElementStores(new DatabaseElementStore(database.blobs));
            (await openS3Store(s3Options(s3.url), { db: database, log: SILENT })).close();
            const ownership = new BucketOwnership({ bucket, db: database, log: SILENT, checkedMs: Infinity, challengeMs: 0 });
            await ownership.demand();
            store = new S3ElementStore({
                db: database, bucket, ownership, log: SILENT, memoryBytes: 3 * PART_BYTES, memory: { slowMs: SLOW_MS, waitMs: WAIT_MS },
                stallMs: STALL_MS, now: () => Date.now() + later
            });
            stores.register(S3_STORE, store);
            blobs = new BlobStore(database, stores, { log: SILENT });
        });

        beforeEach(() => {

            later = 0;
            relay.behave();
        });

        after(async () => {

            blobs?.close();
            bucket?.close();
            await relay?.stop();
            await place?.dispose();
            await s3?.stop();
        });

        async function stage(size: number, more: { hash?: boolean } = {}): Promise<BlobRef & { sha256: string | null }> {

            return await blobs.stage(body(size, 70_001), { maxBytes: size, store: S3_STORE, ...more });
        }

        /** Fails the requests of a method whose query matches. */
        function failing(expression: RegExp, fate: S3Fate, times = Infinity): void {

            let count = 0;
            relay.behave((request) => (expression.test(request) && count++ < times ? fate : undefined));
        }

        /** Runs an attempt that fails, and expects nothing to be left of it. */
        async function expectNothingLeft(attempt: () => Promise<unknown>): Promise<Error> {

            const rows = { sql: 'select (select count(*) from blobs) + (select count(*) from blob_checksums) as n' };
            const read = async (): Promise<unknown> => [{ ...(await database.read(rows, []))[0] }, await s3.keys(), await s3.uploads()];
            const former = await read();
            const error = await attempt().then(() => new Error('it did not fail'), (found: Error) => found);
            expect(await read()).to.equal(former);
            expect(store.memory.taken).to.equal(0);
            return error;
        }

        for (const size of [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, PART_BYTES, PART_BYTES + 1, LONG]) {
            it(`returns ${size} bytes unchanged`, async () => {

                const blob = await stage(size, { hash: true });

                const expected = size === 0 ? Buffer.alloc(0) : pattern(0, size - 1);
                expect([blob.size, blob.sha256]).to.equal([size, sha256(expected)]);
                expect((await gather(blobs.open(blob))).equals(expected)).to.be.true();
                expect(store.memory.taken).to.equal(0);
            });
        }

        describe('with ranges', () => {

            const size = 2 * BLOCK_BYTES + 10;
            let blob: BlobRef;

            before(async () => {

                blob = await stage(size);
            });

            for (const [start, end] of [
                [0, 0], [size - 1, size - 1], [0, size - 1], [5, 10], [BLOCK_BYTES - 1, BLOCK_BYTES], [BLOCK_BYTES, 2 * BLOCK_BYTES - 1], [7, 2 * BLOCK_BYTES + 1]
            ] as const) {
                it(`returns bytes ${start} to ${end}`, async () => {

                    expect((await gather(blobs.open(blob, { start, end }))).equals(pattern(start, end))).to.be.true();
                });
            }

            it('fetches only the blocks that are needed', async () => {

                const before = bucket.usage.receivedBytes;

                await gather(blobs.open(blob, { start: BLOCK_BYTES + 3, end: BLOCK_BYTES + 5 }));

                expect(bucket.usage.receivedBytes - before).to.equal(BLOCK_BYTES);
            });
        });

        it('knows without a read whether all bytes of a blob are there', async () => {

            const [blob, empty] = [await stage(BLOCK_BYTES + 1), await stage(0)];
            await database.commit({ steps: [...blobs.linkSteps(blob), ...blobs.linkSteps(empty)] });
            const received = bucket.usage.receivedBytes;
            expect([await blobs.hasAll(blob), await blobs.hasAll(empty)]).to.equal([true, true]);
            expect(bucket.usage.receivedBytes).to.equal(received);

            failing(/^HEAD/, { status: 503 });
            expect((await expect(blobs.hasAll(blob)).to.reject(DoipError)).http).to.equal(503);

            for (const fate of [{ status: 404, code: 'NoSuchKey' }, { status: 404, code: '' }]) {
                failing(/^HEAD/, fate);
                expect((await expect(blobs.hasAll(blob)).to.reject(DoipError)).http, 'an answer that the list of objects contradicts').to.equal(503);
            }

            failing(/./, { status: 404, code: '' });
            expect((await expect(blobs.hasAll(blob)).to.reject(DoipError)).http, 'answers without a body').to.equal(503);
            expect([await bucket.ping('repository.json'), bucket.usage.isUp], 'answers without a body').to.equal([false, false]);

            relay.behave();
            expect(await bucket.ping('nothing'), 'an answer of the bucket').to.be.true();
            const key = (await s3.keys()).find((each) => each.includes(`/${String(blob.blobId).padStart(16, '0')}-`));
            await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: Buffer.alloc(BLOCK_BYTES) }));
            expect(await blobs.hasAll(blob), 'with a shorter object').to.be.false();
            await s3.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: key }));
            expect(await blobs.hasAll(blob), 'without its object').to.be.false();
            await store.removeAll(blob.blobId, { hasRow: true });
            expect(await blobs.hasAll(blob), 'without its key').to.be.false();
        });

        it('is unavailable, and not damaged, where a server before the bucket answers that there is nothing', async () => {

            const blob = await stage(BLOCK_BYTES);
            for (const expression of [/^GET/, /./]) {
                failing(expression, { status: 404, code: '' });
                expect((await expect(gather(blobs.open(blob))).to.reject(DoipError)).http).to.equal(503);
            }

            relay.behave();
            expect((await gather(blobs.open(blob))).length).to.equal(BLOCK_BYTES);
        });

        it('answers a reader at once while many others read slowly', async () => {

            const blob = await stage(2 * MIB);
            const slow = Array.from({ length: SLOW_READERS }, () => blobs.open(blob)[Symbol.asyncIterator]());
            try {
                for (const reading of slow) {
                    await reading.next();
                }

                expect((await gather(blobs.open(blob))).equals(pattern(0, 2 * MIB - 1))).to.be.true();
                expect(bucket.usage.isUp).to.be.true();
            }
            finally {
                await Promise.all(slow.map((reading) => reading.return?.(undefined)));
            }
        });

        it('never holds more than its budget of memory, and stores all that wait for it', async () => {

            let most = 0;
            const watched = async function *(): AsyncGenerator<Uint8Array> {

                for await (const chunk of body(PART_BYTES + MIB)) {
                    most = Math.max(most, store.memory.taken);
                    yield chunk;
                }
            };

            const staged = await Promise.all(Array.from({ length: 8 }, () => blobs.stage(watched(), { maxBytes: 2 * PART_BYTES, store: S3_STORE })));

            expect(most).to.equal(3 * PART_BYTES);
            expect(store.memory.taken).to.equal(0);
            const all = await Promise.all(staged.map((each) => gather(blobs.open(each, { start: PART_BYTES - 1, end: PART_BYTES + 1 }))));
            expect(all.every((bytes) => bytes.equals(pattern(PART_BYTES - 1, PART_BYTES + 1)))).to.be.true();
        });

        it('ends slow uploads while others wait for their memory, and leaves nothing of them', async () => {

            const controller = new AbortController();
            const trickling = async function *(): AsyncGenerator<Uint8Array> {

                yield *body(SLOW_BYTES);
                for (let i = 0; ; ++i) {
                    await sleep(100, undefined, { signal: controller.signal });
                    yield pattern(i, i);
                }
            };

            const options = { maxBytes: LONG, store: S3_STORE };
            const error = await expectNothingLeft(async () => {

                const slow = Array.from({ length: 3 }, (_, i) => blobs.stage(trickling(), { ...options, caller: `user-${i}` })
                    .then(() => new Error('it was stored'), (reason: unknown) => reason));
                await until(() => store.memory.taken === 3 * PART_BYTES);
                const staged = await blobs.stage(body(2 * MIB), { ...options, caller: 'another' });
                expect((await gather(blobs.open(staged))).equals(pattern(0, 2 * MIB - 1))).to.be.true();
                await staged.discard();
                const first = await Promise.race(slow);
                controller.abort();
                await Promise.all(slow);
                throw first;
            });

            expect(error).to.be.an.error(DoipError, 'the payload arrives slowly, and others wait to be stored: try again later');
            expect((error as DoipError).http).to.equal(503);
        });

        describe('when a body fails', () => {

            for (const size of [10, MIB, PART_BYTES + MIB]) {
                it(`leaves nothing of ${size} bytes`, async () => {

                    const broken = async function *(): AsyncGenerator<Uint8Array> {

                        yield *body(size);
                        throw new Error('connection lost');
                    };

                    const error = await expectNothingLeft(() => blobs.stage(broken(), { maxBytes: LONG, store: S3_STORE }));

                    expect(error.message).to.equal('connection lost');
                });
            }

            it('leaves nothing of one that is too long', async () => {

                const error = await expectNothingLeft(() => blobs.stage(body(LONG), { maxBytes: LONG - 1, store: S3_STORE }));

                expect((error as DoipError).http).to.equal(413);
            });

            it('leaves nothing of one that stalls until the client disconnects', async () => {

                const controller = new AbortController();
                const stalling = async function *(): AsyncGenerator<Uint8Array> {

                    yield *body(PART_BYTES + 1);
                    setImmediate(() => controller.abort(new Error('the client has gone')));
                    await new Promise(() => {});
                };

                const error = await expectNothingLeft(() => blobs.stage(stalling(), { maxBytes: LONG, store: S3_STORE, signal: controller.signal }));

                expect(error.message).to.equal('the client has gone');
            });
        });

        describe('when requests fail for a while', () => {

            const faults: [string, RegExp, S3Fate][] = [
                ['a part is answered with 503', /^PUT .*partNumber=2/, { status: 503 }],
                ['the connection of a part is cut', /^PUT .*partNumber=1/, 'cut'],
                ['a part is never answered', /^PUT .*partNumber=3/, 'silent'],
                ['the answer to a part is lost', /^PUT .*partNumber=1/, 'lose'],
                ['the answer to the begin is lost', /^POST .*uploads/, 'lose'],
                ['the answer to the end is lost', /^POST .*uploadId=/, 'lose'],
                ['the end is answered with 500', /^POST .*uploadId=/, { status: 500, code: 'InternalError' }]
            ];
            for (const [title, expression, fate] of faults) {
                it(`stores all bytes although ${title}`, async () => {

                    failing(expression, fate, 1);

                    const blob = await stage(LONG);

                    expect(await s3.uploads()).to.equal([]);
                    for (const [start, end] of [[PART_BYTES - 2, PART_BYTES + 2], [2 * PART_BYTES - 2, 2 * PART_BYTES + 2], [LONG - 2, LONG - 1]] as const) {
                        expect((await gather(blobs.open(blob, { start, end }))).equals(pattern(start, end))).to.be.true();
                    }
                });
            }

            it('stores a short body although the answer is lost', async () => {

                failing(/^PUT/, 'lose', 1);

                expect((await gather(blobs.open(await stage(100)))).equals(pattern(0, 99))).to.be.true();
            });

            for (const [title, fate] of [
                ['cut', 'cut'], ['answered with 503', { status: 503 }], ['never answered', 'silent'], ['truncated', { truncate: 3 * BLOCK_BYTES + 11 }],
                ['changed in one byte', { flip: 2 * BLOCK_BYTES }]
            ] as [string, S3Fate][]) {
                it(`reads all bytes although two answers are ${title}`, async () => {

                    const size = 5 * BLOCK_BYTES;
                    const blob = await stage(size);
                    failing(/^GET/, fate, 2);

                    expect((await gather(blobs.open(blob))).equals(pattern(0, size - 1))).to.be.true();
                });
            }
        });

        describe('during an outage', () => {

            for (const [title, fate, status] of [
                ['cut', 'cut', 503], ['answered with 503', { status: 503 }, 503],
                ['answered with 409', { status: 409, code: 'OperationAborted' }, 503], ['answered with 400', { status: 400, code: 'BadRequest' }, 503], ['refused', { status: 403, code: 'AccessDenied' }, 503],
                ['refused for lack of space', { status: 507, code: 'InsufficientStorage' }, 503], ['never answered', 'silent', 503]
            ] as [string, S3Fate, number][]) {
                it(`rejects with ${status} what is ${title}, and what was stored is there afterwards`, async () => {

                    const blob = await stage(BLOCK_BYTES + 1);
                    relay.behave(() => fate);

                    for (const attempt of [() => gather(blobs.open(blob)), () => stage(10), () => stage(PART_BYTES + 1)]) {
                        const error = await expect(attempt()).to.reject(DoipError);
                        expect([error.http, Number(error.attributes['retryAfter']) > 0]).to.equal([status, true]);
                    }

                    relay.behave();
                    expect((await gather(blobs.open(blob))).equals(pattern(0, BLOCK_BYTES))).to.be.true();
                });
            }
        });

        describe('never gives out wrong bytes', () => {

            const size = 2 * BLOCK_BYTES + 5;
            const read = async (blob: BlobRef): Promise<{ bytes: Buffer; message: string }> => {

                const pieces: Uint8Array[] = [];
                try {
                    for await (const piece of blobs.open(blob)) {
                        pieces.push(piece);
                    }

                    return { bytes: Buffer.concat(pieces), message: 'no error' };
                }
                catch (error) {
                    return { bytes: Buffer.concat(pieces), message: (error as Error).message };
                }
            };

            const replaced = async (blob: BlobRef, bytes: Buffer): Promise<void> => {

                const key = (await s3.keys()).find((each) => each.includes(`/${String(blob.blobId).padStart(16, '0')}-`));
                await s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: bytes }));
            };

            it('of an object with another byte', async () => {

                const blob = await stage(size);
                const changed = pattern(0, size - 1);
                changed[BLOCK_BYTES + 1] = (changed[BLOCK_BYTES + 1] ?? 0) ^ 128;
                await replaced(blob, changed);

                const { bytes, message } = await read(blob);

                expect(message).to.equal(`blob ${blob.blobId} is damaged: block 1 has another checksum than when it was stored`);
                expect(bytes.equals(pattern(0, BLOCK_BYTES - 1))).to.be.true();
            });

            for (const length of [0, size - 1, size + 1]) {
                it(`of an object with ${length} bytes instead of ${size}`, async () => {

                    const blob = await stage(size);
                    await replaced(blob, length === 0 ? Buffer.alloc(0) : pattern(0, length - 1));

                    const { bytes, message } = await read(blob);

                    expect(message).to.match(/is damaged: (the payload store has|its bytes are not in)/);
                    expect(bytes).to.have.length(0);
                });
            }

            it('of an object that was removed', async () => {

                const blob = await stage(size);
                await store.remove(blob.blobId);

                const { bytes, message } = await read(blob);

                expect(message).to.equal(`blob ${blob.blobId} is damaged: its bytes are not in the payload store`);
                expect(bytes).to.have.length(0);
            });
        });

        describe('is swept', () => {

            const OPTIONS = { grace: 1000, stagedTtl: HOUR, limit: 1000 };

            /** What another process sees, which holds nothing. */
            function sweeper(): BlobSweeper {

                return new BlobSweeper(database, stores, new BlobStore(database, stores, { log: SILENT }), SILENT);
            }

            it('of blobs that nothing refers to, with their checksums', async () => {

                const blob = await stage(100);
                await database.commit({ steps: blobs.linkSteps(blob) });
                await database.commit({ steps: blobs.unlinkSteps(blob.blobId) });
                const of = async (): Promise<number> => (await s3.keys()).filter((key) => key.includes(`/${String(blob.blobId).padStart(16, '0')}-`)).length;
                expect(await of()).to.equal(1);

                await sweeper().sweep(Date.now() + 2000, OPTIONS);

                expect(await of()).to.equal(0);
                expect(await database.read({ sql: 'select n from blob_checksums where blob_id = ?' }, [blob.blobId])).to.equal([]);
            });

            it('of an upload whose process was killed, and of its parts', async () => {

                // The row is there, and nobody touches it; of the upload there is one part.
                const { blobId } = await new BlobStore(database, stores, { log: SILENT, now: () => 1 }).stage(body(0), { maxBytes: 0, store: S3_STORE });
                const key = `blobs/${String(blobId).padStart(16, '0')}-0123456789abcdef`;
                const { signal } = new AbortController();
                const { uploadId } = await bucket.createUpload(key, signal);
                await bucket.putPart(key, { uploadId, number: 1, bytes: pattern(0, 99), signal });
                expect(await s3.uploads()).to.equal([`one/${key}`]);

                await sweeper().sweep(Date.now(), OPTIONS);

                expect(await s3.uploads()).to.equal([]);
            });

            it('of bytes without a row, objects and parts, when they are an hour old', async () => {

                const ids = [7_000_000_001, 7_000_000_002, 7_000_000_003];
                const [object = '', part = '', foreign = ''] = [...ids.slice(0, 2).map((id) => `blobs/${String(id).padStart(16, '0')}-0123456789abcdef`), 'blobs/readme.txt'];
                await bucket.put(object, pattern(0, 9));
                await bucket.put(foreign, pattern(0, 9));
                await bucket.createUpload(part, new AbortController().signal);
                const kept = await stage(10);

                await sweeper().sweep(Date.now(), OPTIONS);
                expect(await s3.keys()).to.include([`one/${object}`]);
                expect(await s3.uploads()).to.equal([`one/${part}`]);

                later = 25 * HOUR;
                await sweeper().sweep(Date.now(), OPTIONS);

                expect(await s3.keys()).to.not.include(`one/${object}`).and.to.include(`one/${foreign}`);
                expect(await s3.uploads()).to.equal([]);
                expect(await gather(blobs.open(kept))).to.have.length(10);
            });

            it('later, of what an outage has left', async () => {

                // The first part is stored; then nothing works any more.
                let isDown = false;
                relay.behave((request) => {

                    isDown ||= /partNumber=2/.test(request);
                    return isDown ? 'cut' : undefined;
                });
                await expect(stage(LONG)).to.reject(DoipError);
                expect(await s3.uploads()).to.have.length(1);
                relay.behave();

                later = 25 * HOUR;
                await sweeper().sweep(Date.now(), OPTIONS);

                expect(await s3.uploads()).to.equal([]);
            });
        });

        it('lists the numbers of blobs in ascending order, page by page', async () => {

            for (let i = 0; i < 5; ++i) {
                await stage(1);
            }

            later = 25 * HOUR;
            const all = await store.list(0, 10_000);
            const first = await store.list(0, 2);
            const second = await store.list(first[1] ?? 0, 2);

            expect(all.length).to.be.at.least(5);
            expect([...first, ...second]).to.equal(all.slice(0, 4));
        });
    });
});
