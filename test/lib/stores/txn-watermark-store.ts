import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Mysql from 'mysql2/promise';
import type { Database, Unit } from '../../../db/database.js';
import { BELOW_WATERMARK, TxnWatermarkStore } from '../../../lib/stores/txn-watermark-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

/** Epoch of types at which units are admitted. */
const EPOCH = 7;

/** Milliseconds that a call may take beside a stopped writer: it takes some 50. One that waits for the locks of the writer gives up after 10,000. */
const UNBLOCKED_MS = 9_000;

forEachDatabase((name, create, dialect) => {

    describe(`the transaction watermark on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let floor: TxnWatermarkStore;
        let writers: Mysql.Connection[];

        beforeEach(async () => {

            place = await create();
            writers = [];
            db = await place.open();
            floor = new TxnWatermarkStore(db, 'one');
            await floor.renew();
        });

        afterEach(async () => {

            writers.forEach((writer) => writer.destroy());
            await place.dispose();
        });

        it('starts at 0 and only rises', async () => {

            expect(await floor.renew()).to.equal(0);
            if (dialect === 'mysql') {
                expect([await floor.raise(500), await floor.raise(400), await floor.renew()]).to.equal([500, 400, 500]);
            }
        });

        if (dialect === 'sqlite') {
            it('needs no check where one process writes', () => {

                expect([floor.isNeeded, floor.precondition(7, 1)]).to.equal([false, undefined]);
            });

            return;
        }

        /** What a node holds that stops in the middle of a unit with a number. */
        async function stopIn(store: TxnWatermarkStore, number: number): Promise<Mysql.Connection> {

            const writer = await Mysql.createConnection(place.options.url ?? '');
            writers.push(writer);
            const { statement, slots } = store.precondition(number, EPOCH) ?? {};
            await writer.query('begin');
            await writer.query(statement?.sql ?? '', [...slots?.[0] ?? []]);
            await writer.query(`insert into settings (name, value) values ('n${number}', 'x')`);
            return writer;
        }

        /** A unit that leaves its number behind. */
        function unit(number: number, shared = true, store = floor, epoch = EPOCH): Unit {

            const precondition = store.precondition(number, epoch);
            return {
                steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: [`n${number}`, 'x'] }], shared, ...precondition ? { precondition } : {}
            };
        }

        /** A unit without a number of its own, of a setting that it removes. */
        function removal(number: number, epoch: number): Unit {

            const precondition = floor.precondition(null, epoch);
            return {
                steps: [{ sql: 'delete from settings where name = ?', bindings: [`n${number}`] }], shared: true, ...precondition ? { precondition } : {}
            };
        }

        /** The result of a call that waits for no lock. */
        async function unblocked<T>(call: Promise<T>): Promise<T> {

            const begun = performance.now();
            const result = await call;
            expect(performance.now() - begun).to.be.below(UNBLOCKED_MS);
            return result;
        }

        async function written(): Promise<number[]> {

            const rows = await db.read<{ name: string }>({ sql: `select name from settings where name like 'n%'` }, []);
            return rows.map((row) => Number(row.name.slice(1))).sort((a, b) => a - b);
        }

        it('rejects numbers at or below it, alone and in shared transactions', async () => {

            await floor.raise(500);
            expect(await db.commit(unit(500, false))).to.equal({ ok: false, failed: BELOW_WATERMARK });
            expect(await db.commit(unit(501, false))).to.include({ ok: true });
            const numbers = [490, 502, 503, 500, 504, 499, 505];
            const results = await Promise.all(numbers.map((number) => db.commit(unit(number))));
            expect(results.map(({ ok }) => ok)).to.equal(numbers.map((number) => number > 500));
            expect(results.filter(({ ok }) => !ok)).to.equal(Array.from({ length: 3 }, () => ({ ok: false, failed: BELOW_WATERMARK })));
            expect(await written()).to.equal([501, 502, 503, 504, 505]);
        });

        it('waits for writes in progress', async () => {

            const writer = await stopIn(floor, 300);
            let isRaised = false;
            const raising = new TxnWatermarkStore(db, 'one', 60_000).raise(400).then(() => {

                isRaised = true;
            });
            const later = db.commit(unit(350));
            expect([await floor.renew(), isRaised, (await written()).includes(300)]).to.equal([0, false, false]);
            await writer.query('commit');
            await raising;
            expect(await written()).to.include(300);
            const { ok } = await later;
            expect((await written()).includes(350)).to.equal(ok);
            expect(await db.commit(unit(400))).to.equal({ ok: false, failed: BELOW_WATERMARK });
        });

        it('does not block other nodes while one has stopped during a write, and stays below that write', async () => {

            const [stopped, one, other] = ['stopped', 'one', 'other'].map((node) => new TxnWatermarkStore(db, node, 50)) as [TxnWatermarkStore, TxnWatermarkStore, TxnWatermarkStore];
            await Promise.all([stopped.renew(), other.renew()]);
            await until(async () => await one.raise(100) === 100);
            const writer = await stopIn(stopped, 300);
            for (let number = 400; number < 410; ++number) {
                expect(await unblocked(one.raise(number))).to.equal(100);
                expect(await unblocked(other.raise(number))).to.equal(100);
                expect(await unblocked(db.commit(unit(number + 1, true, other)))).to.include({ ok: true });
                expect(await unblocked(db.commit(unit(number, false, other)))).to.equal({ ok: false, failed: BELOW_WATERMARK });
            }

            const late = new TxnWatermarkStore(db, 'late');
            expect([await late.renew(), await other.raise(409)]).to.equal([409, 100]);
            await writer.query('commit');
            await until(async () => await other.raise(409) === 409);
            expect(await written()).to.include(300);
            expect(await db.commit(unit(310, false, stopped))).to.equal({ ok: false, failed: BELOW_WATERMARK });
        });

        it('forgets nodes with old rows, which are renewed by a write', async () => {

            const other = new TxnWatermarkStore(db, 'other');
            await other.renew();
            await floor.raise(100);
            await db.commit({ steps: [{ sql: 'update node_floors set made_on = 1', bindings: [] }] });
            expect(await floor.raise(200)).to.equal(200);
            const rows = { sql: 'select node, floor from node_floors order by node' };
            expect(await db.read(rows, [])).to.equal(['one', 'one#1'].map((node) => ({ node, floor: 200 })));
            expect(await db.commit(unit(300, false, other))).to.equal({ ok: false, failed: BELOW_WATERMARK });
            expect(await other.renew()).to.equal(200);
            expect(await db.commit(unit(300, false, other))).to.include({ ok: true });
            expect(await db.commit(unit(200, false, other))).to.equal({ ok: false, failed: BELOW_WATERMARK });
        });

        it('has a fence that rejects what was admitted before, whatever its number', async () => {

            const other = new TxnWatermarkStore(db, 'other');
            await other.renew();
            await db.commit(unit(1));
            await floor.fence(EPOCH + 1);

            const passed = { ok: false, failed: BELOW_WATERMARK };
            const far = 2 ** 52;
            expect(await db.commit(unit(far, false))).to.equal(passed);
            expect(await db.commit(unit(far, true, other))).to.equal(passed);
            expect(await db.commit(removal(1, EPOCH))).to.equal(passed);
            const epochs = [EPOCH, EPOCH + 1, EPOCH + 2];
            const results = await Promise.all([...epochs, ...epochs].map((epoch, n) => db.commit(unit(n + 2, true, floor, epoch))));
            expect(results.map(({ ok }) => ok)).to.equal([false, true, true, false, true, true]);
            expect(await written()).to.equal([1, 3, 4, 6, 7]);
            expect(await db.commit(removal(1, EPOCH + 1))).to.include({ ok: true });
            expect([await floor.renew(), await floor.raise(0)]).to.equal([0, 0]);
        });

        it('has a fence that waits for writes in progress, and is not raised while one does not end', async () => {

            const impatient = new TxnWatermarkStore(db, 'one', 50);
            const writer = await stopIn(floor, 300);
            await expect(impatient.fence(EPOCH + 1)).to.reject('another node is in the middle of a transaction');

            await writer.query('commit');
            await until(async () => await impatient.fence(EPOCH + 1).then(() => true, () => false));
            expect(await written()).to.equal([300]);
            expect(await db.commit(unit(400))).to.equal({ ok: false, failed: BELOW_WATERMARK });
        });

        it('has a fence for nodes whose rows are added later', async () => {

            await floor.fence(EPOCH + 1);
            await floor.fence(EPOCH);
            // A run writes with the epoch at which it began, while later ones begin.
            await db.commit({ steps: [{ sql: 'update epochs set types = ?', bindings: [EPOCH + 5] }] });
            const late = new TxnWatermarkStore(db, 'late');
            await late.renew();

            expect(await db.commit(unit(100, false, late))).to.equal({ ok: false, failed: BELOW_WATERMARK });
            expect(await db.commit(unit(100, false, late, EPOCH + 1))).to.include({ ok: true });
        });

        it('is never passed from below by concurrent writes', async () => {

            let number = 0;
            const late: number[] = [];
            const writing = Array.from({ length: 8 }, async () => {

                for (let n = 0; n < 50; ++n) {
                    number += 1;
                    await db.commit(unit(number));
                }
            });
            let isOver = false;
            const reader = (async () => {

                let known: number[] = [];
                let last = 0;
                while (!isOver) {
                    const next = Math.max(last, number - 4);
                    await floor.raise(next);
                    const now = await written();
                    late.push(...now.filter((each) => each <= last && !known.includes(each)));
                    [known, last] = [now, next];
                }
            })();
            await Promise.all(writing);
            isOver = true;
            await reader;
            expect(late).to.equal([]);
            expect(await written()).to.not.be.empty();
        });
    });
});
