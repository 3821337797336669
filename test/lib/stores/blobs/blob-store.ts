import { expect } from '@hapi/code';
import { getEventListeners } from 'node:events';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { BLOB_DELETED, BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import type { BlobRef } from '../../../../lib/stores/blobs/blob-store.js';
import { CHUNK_SIZE, DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { body, gather, pattern, sha256 } from '../../../support/bytes.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { openProxied } from '../../../support/mysql-proxy.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;

forEachDatabase((name, create, dialect) => {

    describe(`blobs on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let stores: ElementStores;
        let blobs: BlobStore;

        before(async () => {

            place = await create();
            database = await place.open();
            stores = new ElementStores(new DatabaseElementStore(database.blobs));
            blobs = new BlobStore(database, stores, { log: SILENT });
        });

        after(async () => {

            blobs.close();
            await place.dispose();
        });

        async function link(blob: BlobRef): Promise<void> {

            expect(await database.commit({ steps: blobs.linkSteps(blob) })).to.include({ ok: true });
        }

        async function row(blobId: number): Promise<Record<string, unknown> | undefined> {

            const [found] = await database.read({ sql: 'select state, links, size, unlinked_on from blobs where id = ?' }, [blobId]);
            return found && { ...found };
        }

        for (const size of [0, 1, CHUNK_SIZE, CHUNK_SIZE + 1, 64 * CHUNK_SIZE, 66 * CHUNK_SIZE + 5]) {
            it(`of ${size} bytes are known to be complete, or not`, async () => {

                const blob = await blobs.stage(body(size), { maxBytes: size });
                expect(await blobs.hasAll(blob), 'without a link').to.be.false();
                await link(blob);
                expect(await blobs.hasAll(blob)).to.be.true();

                await database.blobs.deleteChunks(blob.blobId, 1);
                expect(await blobs.hasAll(blob), 'without its end').to.equal(size === 0);
            });
        }

        it('in stores that cannot tell are complete when their last byte can be read', async () => {

            const bytes = new Map<number, Buffer>();
            const others = new ElementStores(new DatabaseElementStore(database.blobs));
            others.register('memory', {
                async write(id, source) {

                    bytes.set(id, await gather(source));
                },
                async *read(id, { start, end }) {

                    const found = bytes.get(id);
                    if (!found) {
                        throw new Error('there is no such file');
                    }

                    yield found.subarray(start, end + 1);
                },
                remove: () => Promise.resolve(),
                list: () => Promise.resolve([])
            });
            const store = new BlobStore(database, others, { log: SILENT });
            const blob = await store.stage(body(10), { maxBytes: 10, store: 'memory' });
            await link(blob);

            expect(await store.hasAll(blob)).to.be.true();
            bytes.set(blob.blobId, Buffer.alloc(9));
            expect(await store.hasAll(blob)).to.be.false();
            bytes.delete(blob.blobId);
            expect(await store.hasAll(blob)).to.be.false();
            store.close();
        });

        for (const size of [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 3 * CHUNK_SIZE, 5_000_001]) {
            it(`return ${size} bytes unchanged`, async () => {

                const blob = await blobs.stage(body(size, 70_001), { maxBytes: size, hash: true });
                await link(blob);

                const expected = size === 0 ? Buffer.alloc(0) : pattern(0, size - 1);
                expect(blob.size).to.equal(size);
                expect(blob.sha256).to.equal(sha256(expected));
                expect((await gather(blobs.open(blob))).equals(expected)).to.be.true();
                expect(await row(blob.blobId)).to.equal({ state: 'linked', links: 1, size, unlinked_on: null });
            });
        }

        if (dialect === 'mysql') {
            it('are staged by statements that can be repeated, so that no outcome is unknown', async () => {

                const opened = await openProxied(create);
                const own = new BlobStore(opened.database, new ElementStores(new DatabaseElementStore(opened.database.blobs)), { log: SILENT });
                try {
                    const before = opened.proxy.sent('commit');
                    const blob = await own.stage(body(CHUNK_SIZE + 1, 70_001), { maxBytes: CHUNK_SIZE + 1 });

                    expect(opened.proxy.sent('commit')).to.equal(before);
                    expect(await gather(own.open(blob))).to.equal(pattern(0, CHUNK_SIZE));
                }
                finally {
                    own.close();
                    await opened.stop();
                }
            });
        }

        it('accept chunks of any size, and parts of a shared buffer', async () => {

            const whole = pattern(0, 2 * MIB - 1);
            async function *pieces(): AsyncGenerator<Uint8Array> {

                yield whole.subarray(0, MIB + 7);
                yield new Uint8Array(0);
                yield whole.subarray(MIB + 7, MIB + 8);
                yield whole.subarray(MIB + 8);
            }

            const blob = await blobs.stage(pieces(), { maxBytes: 2 * MIB });

            expect((await gather(blobs.open(blob))).equals(whole)).to.be.true();
            expect(whole.equals(pattern(0, 2 * MIB - 1))).to.be.true();
            expect(blob.sha256).to.be.null();
        });

        describe('with ranges', () => {

            const size = 3 * CHUNK_SIZE + 10;
            let blob: BlobRef;

            before(async () => {

                blob = await blobs.stage(body(size), { maxBytes: size });
            });

            const ranges: [number, number][] = [
                [0, 0], [size - 1, size - 1], [0, size - 1], [5, 10], [CHUNK_SIZE - 1, CHUNK_SIZE], [CHUNK_SIZE, 2 * CHUNK_SIZE - 1],
                [CHUNK_SIZE + 1, 3 * CHUNK_SIZE + 5]
            ];
            for (const [start, end] of ranges) {
                it(`return bytes ${start} to ${end}`, async () => {

                    const bytes = await gather(blobs.open(blob, { start, end }));

                    expect(bytes.equals(pattern(start, end))).to.be.true();
                });
            }

            for (const [start, end] of [[-1, 5], [5, 4], [0, size], [size, size]] as const) {
                it(`reject bytes ${start} to ${end}`, async () => {

                    await expect(gather(blobs.open(blob, { start, end }))).to.reject(RangeError);
                });
            }

            it('read only the needed chunks, at most one ahead, and stop with the reader', async () => {

                const read: number[] = [];
                const counting = new DatabaseElementStore({
                    ...database.blobs,
                    writeChunk: () => Promise.reject(new Error('not in this test')),
                    readChunk(blobId, index) {

                        read.push(index);
                        return database.blobs.readChunk(blobId, index);
                    }
                });
                for await (const bytes of counting.read(blob.blobId, { start: CHUNK_SIZE, end: size - 1 }, size)) {
                    expect(bytes).to.have.length(CHUNK_SIZE);
                    break;
                }

                expect(read).to.equal(database.blobs.readsAtOnce ? [1] : [1, 2]);
            });
        });

        it('report a missing or short chunk', async () => {

            const blob = await blobs.stage(body(3 * CHUNK_SIZE), { maxBytes: 3 * CHUNK_SIZE });
            await database.blobs.deleteChunks(blob.blobId, 1);

            await expect(gather(blobs.open(blob))).to.reject(`blob ${blob.blobId} is damaged: chunk 2 is missing`);
            await expect(gather(blobs.open({ ...blob, size: 2 * CHUNK_SIZE - 1 })))
                .to.reject(`blob ${blob.blobId} is damaged: chunk 1 has 262144 bytes instead of 262143`);
        });

        describe('with broken uploads', () => {

            async function expectNothingLeft(attempt: () => Promise<unknown>, message: string | RegExp): Promise<void> {

                const rows = { sql: 'select count(*) as n from blobs' };
                const [before] = await database.read(rows, []);
                const chunksBefore = await database.blobs.listBlobs(0, 10_000);
                await expect(attempt()).to.reject(message);
                const [now] = await database.read(rows, []);
                expect({ ...now }).to.equal({ ...before });
                expect(await database.blobs.listBlobs(0, 10_000)).to.equal(chunksBefore);
            }

            it('are removed when the body fails in mid-stream', async () => {

                async function *broken(): AsyncGenerator<Uint8Array> {

                    yield *body(3 * MIB);
                    throw new Error('connection lost');
                }

                await expectNothingLeft(() => blobs.stage(broken(), { maxBytes: 10 * MIB }), 'connection lost');
            });

            it('are removed when the body is too long, and close the body', async () => {

                let closed = false;
                async function *endless(): AsyncGenerator<Uint8Array> {

                    try {
                        for (;;) {
                            yield Buffer.alloc(100_000);
                        }
                    }
                    finally {
                        closed = true;
                    }
                }

                await expectNothingLeft(() => blobs.stage(endless(), { maxBytes: MIB }),
                    `the element is longer than the allowed ${MIB} bytes`);
                expect(closed).to.be.true();
            });

            it('are removed when the client disconnects while the body stalls', async () => {

                const controller = new AbortController();
                async function *stalling(): AsyncGenerator<Uint8Array> {

                    yield *body(MIB);
                    setImmediate(() => controller.abort(new Error('the client has gone')));
                    await new Promise(() => {});
                }

                await expectNothingLeft(() => blobs.stage(stalling(), { maxBytes: 10 * MIB, signal: controller.signal }),
                    'the client has gone');
            });

            it('are stored concurrently under one signal, with one listener', async () => {

                const controller = new AbortController();
                const { signal } = controller;
                const counts: number[] = [];
                const silent = async function *(): AsyncGenerator<Uint8Array> {

                    yield Buffer.from('x');
                    await new Promise(() => {});
                };

                const counting = async function *(): AsyncGenerator<Uint8Array> {

                    yield Buffer.from('x');
                    counts.push(getEventListeners(signal, 'abort').length);
                };

                const staged = await Promise.all(Array.from({ length: 50 }, () => blobs.stage(counting(), { maxBytes: MIB, signal })));
                await Promise.all(staged.map((each) => each.discard()));
                const stalled = Array.from({ length: 20 }, () => blobs.stage(silent(), { maxBytes: MIB, signal }));
                controller.abort(new Error('gone'));

                expect(counts).to.have.length(50).and.to.only.include([1]);
                expect((await Promise.allSettled(stalled)).map((each) => each.status === 'rejected' && String(each.reason))).to.only.include('Error: gone');
            });

            it('are removed when the signal was aborted before', async () => {

                await expectNothingLeft(() => blobs.stage(body(MIB), {
                    maxBytes: MIB, signal: AbortSignal.abort(new Error('too late'))
                }), 'too late');
            });
        });

        it('are discarded if staged, but not if linked', async () => {

            const staged = await blobs.stage(body(10), { maxBytes: 10 });
            const linked = await blobs.stage(body(10), { maxBytes: 10 });
            await link(linked);

            await staged.discard();
            await staged.discard();
            await linked.discard();

            expect(await row(staged.blobId)).to.be.undefined();
            await expect(gather(blobs.open(staged))).to.reject(/is damaged/);
            expect(await gather(blobs.open(linked))).to.have.length(10);
        });

        it('cannot be linked after they were removed, which rolls back the unit', async () => {

            const blob = await blobs.stage(body(10), { maxBytes: 10 });
            await blob.discard();

            const result = await database.commit({ steps: [
                { sql: 'insert into settings (name, value) values (?, ?)', bindings: ['with-blob', ''] },
                ...blobs.linkSteps(blob)
            ] });

            expect(result).to.equal({ ok: false, failed: BLOB_DELETED });
            expect(await database.read({ sql: 'select name from settings where name = ?' }, ['with-blob'])).to.equal([]);
        });
    });
});
