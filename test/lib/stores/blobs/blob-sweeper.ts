import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { SILENT } from '../../../../db/log.js';
import { BlobStore } from '../../../../lib/stores/blobs/blob-store.js';
import type { BlobRef } from '../../../../lib/stores/blobs/blob-store.js';
import { BlobSweeper } from '../../../../lib/stores/blobs/blob-sweeper.js';
import { CHUNK_SIZE, DatabaseElementStore } from '../../../../lib/stores/blobs/database-element-store.js';
import { ElementStores } from '../../../../lib/stores/blobs/element-store.js';
import { PayloadTextStore } from '../../../../lib/stores/blobs/payload-text-store.js';
import { SettingStore, UPLOAD_SETTING } from '../../../../lib/stores/setting-store.js';
import { collectGarbage } from '../../../../lib/util/garbage.js';
import { body, gather } from '../../../support/bytes.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const PATIENCE = { grace: 1000, stagedTtl: 1000, limit: 100 };

forEachDatabase((name, create) => {

    describe(`the blob sweeper on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let stores: ElementStores;
        let blobs: BlobStore;
        let sweeper: BlobSweeper;

        before(async () => {

            place = await create();
            database = await place.open();
            stores = new ElementStores(new DatabaseElementStore(database.blobs));
            blobs = new BlobStore(database, stores, { log: SILENT });
            sweeper = new BlobSweeper(database, stores, blobs, SILENT);
        });

        after(async () => {

            blobs.close();
            await place.dispose();
        });

        async function link(blob: BlobRef): Promise<void> {

            expect(await database.commit({ steps: blobs.linkSteps(blob) })).to.include({ ok: true });
        }

        /** Removes a link at a time (epoch ms). */
        async function unlink({ blobId }: BlobRef, now: number): Promise<void> {

            await database.commit({ steps: new BlobStore(database, stores, { log: SILENT, now: () => now }).unlinkSteps(blobId) });
        }

        async function row(blobId: number): Promise<Record<string, unknown> | undefined> {

            const [found] = await database.read({ sql: 'select state, links, size, unlinked_on from blobs where id = ?' }, [blobId]);
            return found && { ...found };
        }

        /** What a process that died has left: rows and bytes, and nobody who holds them. */
        function stranger(now = Date.now): { blobs: BlobStore; sweeper: BlobSweeper } {

            const other = new BlobStore(database, stores, { log: SILENT, now });
            return { blobs: other, sweeper: new BlobSweeper(database, stores, other, SILENT) };
        }

        it('removes the texts of a blob together with it', async () => {

            const blob = await blobs.stage(body(10), { maxBytes: 10 });
            await link(blob);
            const texts = new PayloadTextStore(database);
            const key = { blobId: blob.blobId, format: 'plain' };
            expect(await texts.save({ key, rules: 1, text: 'found', reason: null }, 1)).to.be.true();
            expect(await texts.text(key)).to.equal('found');

            const now = Date.now();
            await unlink(blob, now);
            await sweeper.sweep(now + 500, PATIENCE);
            expect((await texts.facts([blob.blobId])).size).to.equal(1);

            await sweeper.sweep(now + 1001, PATIENCE);
            expect((await texts.facts([blob.blobId])).size).to.equal(0);
            expect(await texts.save({ key, rules: 1, text: 'too late', reason: null }, 1)).to.be.false();
            expect(await texts.text(key)).to.be.null();
        });

        it('keeps a shared blob until its last link is removed and the grace period has passed', async () => {

            const blob = await blobs.stage(body(10), { maxBytes: 10 });
            await link(blob);
            await link(blob);
            const now = Date.now();

            await unlink(blob, now);
            await sweeper.sweep(now + 5000, { ...PATIENCE, stagedTtl: 1e9 });
            expect(await row(blob.blobId)).to.include({ links: 1, unlinked_on: null });

            await unlink(blob, now);
            await sweeper.sweep(now + 999, { ...PATIENCE, stagedTtl: 1e9 });
            expect(await row(blob.blobId)).to.include({ links: 0, unlinked_on: now });

            await sweeper.sweep(now + 1000, { ...PATIENCE, stagedTtl: 1e9 });
            expect(await row(blob.blobId)).to.be.undefined();
            expect(await database.blobs.readChunk(blob.blobId, 0)).to.be.null();
        });

        it('keeps a blob that was linked again', async () => {

            const blob = await blobs.stage(body(10), { maxBytes: 10 });
            const now = Date.now();
            await link(blob);
            await unlink(blob, now);
            await link(blob);

            await sweeper.sweep(now + 5000, { ...PATIENCE, stagedTtl: 1e9 });

            expect(await row(blob.blobId)).to.equal({ state: 'linked', links: 1, size: 10, unlinked_on: null });
        });

        it('keeps what has lost its links, whenever that was by any clock, while all objects are uploaded, on any node and across restarts', async () => {

            const settings = new SettingStore(database);
            const blobsWithout = await Promise.all([0, 1].map(() => blobs.stage(body(10), { maxBytes: 10 })));
            const now = Date.now();
            for (const [i, blob] of blobsWithout.entries()) {
                await link(blob);
                await unlink(blob, i === 0 ? 0 : now);
            }

            await database.commit({ steps: settings.insertSteps(UPLOAD_SETTING, '999999', 'taken') });
            const sweep = { grace: 0, stagedTtl: 1e12, limit: 100 };

            for (const each of [sweeper, stranger().sweeper]) {
                expect(await each.sweep(now + 1e9, sweep)).to.include({ unlinked: 0 });
            }

            await database.commit({ steps: settings.removeSteps(UPLOAD_SETTING, '999999') });
            await sweeper.sweep(now + 1, sweep);
            expect(await Promise.all(blobsWithout.map(({ blobId }) => row(blobId)))).to.equal([undefined, undefined]);
        });

        it('leaves a store elsewhere out when it frees disk space of the database', async () => {

            const elsewhere = new DatabaseElementStore(database.blobs);
            const all = new ElementStores(new DatabaseElementStore(database.blobs));
            all.register('elsewhere', Object.assign(elsewhere, { isRemote: true }));
            const both = new BlobStore(database, all, { log: SILENT });
            const found = [];
            for (const store of ['database', 'elsewhere']) {
                const blob = await both.stage(body(10), { maxBytes: 10, store });
                await link(blob);
                await unlink(blob, 0);
                found.push(blob.blobId);
            }

            await new BlobSweeper(database, all, both, SILENT).sweep(Date.now(), { grace: 0, stagedTtl: 1e12, limit: 100, isForSpace: true });

            expect(await Promise.all(found.map(async (id) => await row(id) !== undefined))).to.equal([false, true]);
            both.close();
        });

        it('removes blobs that another process staged and never linked, with all chunks', async () => {

            const past = Date.now() - 10_000;
            const dead = stranger(() => past);
            const blob = await dead.blobs.stage(body(20 * CHUNK_SIZE), { maxBytes: 20 * CHUNK_SIZE });
            const living = await blobs.stage(body(10), { maxBytes: 10 });
            dead.blobs.close();

            await dead.sweeper.sweep(past + 5000, PATIENCE);
            expect(await row(blob.blobId)).to.not.be.undefined();

            await sweeper.sweep(Date.now() + 5000, PATIENCE);
            expect(await row(blob.blobId)).to.be.undefined();
            expect(await row(living.blobId)).to.not.be.undefined();
            expect(await database.blobs.listBlobs(blob.blobId - 1, 1)).to.not.equal([blob.blobId]);
        });

        it('keeps a blob while it is read', async () => {

            const blob = await blobs.stage(body(3 * CHUNK_SIZE), { maxBytes: 3 * CHUNK_SIZE });
            await link(blob);
            await unlink(blob, 0);
            const reader = blobs.open(blob);
            await reader.next();

            await sweeper.sweep(Date.now(), PATIENCE);

            expect(await gather(reader)).to.have.length(2 * CHUNK_SIZE);
            await sweeper.sweep(Date.now(), PATIENCE);
            expect(await row(blob.blobId)).to.be.undefined();
        });

        it('removes a blob after its reader stopped early', async () => {

            const blob = await blobs.stage(body(3 * CHUNK_SIZE), { maxBytes: 3 * CHUNK_SIZE });
            await link(blob);
            await unlink(blob, 0);
            for await (const bytes of blobs.open(blob)) {
                expect(bytes).to.have.length(CHUNK_SIZE);
                break;
            }

            await sweeper.sweep(Date.now(), PATIENCE);

            expect(await row(blob.blobId)).to.be.undefined();
        });

        it('removes bytes of unknown blobs', async () => {

            await database.blobs.writeChunk(900_000_001, 0, Buffer.alloc(10));

            const { orphans } = await sweeper.sweep(Date.now(), { ...PATIENCE, stagedTtl: 1e9 });

            expect(orphans).to.equal(1);
            expect(await database.blobs.readChunk(900_000_001, 0)).to.be.null();
        });

        it('keeps the bytes of a blob that gets the number of an orphan while others are removed', async () => {

            const [first, second] = [910_000_001, 910_000_002];
            const removed: number[] = [];
            const own = new ElementStores({
                write: () => Promise.resolve(),
                async *read() {},
                async remove(id) {

                    removed.push(id);
                    const sql = 'insert into blobs (id, store, state, created_on, touched_on) values (?, ?, ?, ?, ?)';
                    await database.commit({ steps: [{ sql, bindings: [second, 'database', 'staged', 1e15, 1e15] }] });
                },
                list: (after) => Promise.resolve([first, second].filter((id) => id > after))
            });

            expect(await new BlobSweeper(database, own, blobs, SILENT).sweep(1, PATIENCE)).to.include({ orphans: 1 });
            expect(removed).to.equal([first]);
            await database.commit({ steps: [{ sql: 'delete from blobs where id = ?', bindings: [second] }] });
        });

        it('keeps the bytes of a blob that gets the number of a large orphan while its bytes are removed', async () => {

            const id = 920_000_001;
            const chunks = 40;
            for (let n = 0; n < chunks; ++n) {
                await database.blobs.writeChunk(id, n, Buffer.alloc(10, 'old'));
            }

            let batches = 0;
            const own = new ElementStores(new DatabaseElementStore({
                writeChunk: (...args) => database.blobs.writeChunk(...args), seal: (...args) => database.blobs.seal(...args),
                readsAtOnce: database.blobs.readsAtOnce, readChunk: (...args) => database.blobs.readChunk(...args),
                readPart: (...args) => database.blobs.readPart(...args), measureChunks: (...args) => database.blobs.measureChunks(...args),
                listBlobs: () => Promise.resolve([id]),
                async deleteChunks(...args) {

                    const deleted = await database.blobs.deleteChunks(...args);
                    batches += 1;
                    if (batches === 1) {
                        const sql = 'insert into blobs (id, store, state, created_on, touched_on) values (?, ?, ?, ?, ?)';
                        await database.commit({ steps: [{ sql, bindings: [id, 'database', 'staged', 1e15, 1e15] }] });
                        await database.blobs.writeChunk(id, 0, Buffer.from('new'));
                    }

                    return deleted;
                }
            }));

            await new BlobSweeper(database, own, blobs, SILENT).sweep(1, PATIENCE);

            expect(batches).to.equal(1);
            expect((await database.blobs.readChunk(id, 0))?.toString()).to.equal('new');
            await database.commit({ steps: [{ sql: 'delete from blobs where id = ?', bindings: [id] }] });
            await new DatabaseElementStore(database.blobs).remove(id);
            expect(await database.blobs.readChunk(id, 0)).to.be.null();
        });

        it('removes at most its limit at a time', async () => {

            const dead = stranger(() => 1);
            for (const size of [1, 2, 3]) {
                await dead.blobs.stage(body(size), { maxBytes: 10 });
            }

            dead.blobs.close();

            expect(await sweeper.sweep(Date.now(), { ...PATIENCE, limit: 2 })).to.include({ staged: 2 });
            expect(await sweeper.sweep(Date.now(), { ...PATIENCE, limit: 2 })).to.include({ staged: 1 });
            expect(await sweeper.sweep(Date.now(), { ...PATIENCE, signal: AbortSignal.abort() })).to.include({ staged: 0 });
        });

        it('keeps the bytes of an upload that takes days', async () => {

            const DAY = 86_400_000;
            const start = Date.now();
            let now = start;
            const slow = new BlobStore(database, stores, { log: SILENT, now: () => now, heartbeatMs: 5 });
            const sent = new TransformStream<Uint8Array, Uint8Array>();
            const sender = sent.writable.getWriter();
            const first = await slow.stage(body(10), { maxBytes: 10 });
            const staging = slow.stage(sent.readable, { maxBytes: 10 });
            await sender.write(Buffer.from('first'));
            for (let day = 1; day <= 3; ++day) {
                now = start + day * DAY;
                const touched = { sql: 'select count(*) as n from blobs where touched_on = ?' };
                await until(async () => (await database.read<{ n: number }>(touched, [now]))[0]?.n === 2);
                await stranger(() => now).sweeper.sweep(now, PATIENCE);
            }

            await sender.write(Buffer.from(' last'));
            await sender.close();
            const second = await staging;
            await link(first);
            await link(second);
            expect((await gather(slow.open(second))).toString()).to.equal('first last');
            slow.close();
        });

        it('removes what was staged and is neither linked nor discarded, when nothing refers to it', async () => {

            let now = Date.now();
            const store = new BlobStore(database, stores, { log: SILENT, now: () => now });
            const abandon = async (): Promise<number> => (await store.stage(body(10), { maxBytes: 10 })).blobId;
            const blobId = await abandon();
            await until(() => {

                collectGarbage();
                return !store.inUse.isPinned(blobId);
            });

            now += 2000;
            await new BlobSweeper(database, stores, store, SILENT).sweep(now, PATIENCE);
            expect(await row(blobId)).to.be.undefined();
            store.close();
        });

        it('renews the lease of a long upload for other processes', async () => {

            let now = 1000;
            const slow = new BlobStore(database, stores, { log: SILENT, now: () => now, heartbeatMs: 5 });
            const blob = await slow.stage(body(10), { maxBytes: 10 });

            now = 77_000;
            const touched = { sql: 'select touched_on from blobs where id = ?' };
            await until(async () => (await database.read<{ touched_on: number }>(touched, [blob.blobId]))[0]?.touched_on === now);

            await link(blob);
            await until(() => !slow.inUse.isPinned(blob.blobId));

            slow.close();
        });
    });
});
