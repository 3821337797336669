import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Mysql from 'mysql2/promise';
import type { Database, Unit } from '../../../db/database.js';
import { NUMBER_PASSED, NumberFloorStore } from '../../../lib/stores/number-floor-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

forEachDatabase((name, create, dialect) => {

    describe(`NumberFloorStore on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let floor: NumberFloorStore;

        beforeEach(async () => {

            place = await create();
            db = await place.open();
            floor = new NumberFloorStore(db);
        });

        afterEach(() => place.dispose());

        it('starts at 0 and rises only', async () => {

            expect(await floor.read()).to.equal(0);
            await floor.raise(500);
            await floor.raise(400);
            expect(await floor.read()).to.equal(500);
        });

        if (dialect === 'sqlite') {
            it('guards nothing where one process writes', () => {

                expect([floor.isNeeded, floor.guard(7)]).to.equal([false, undefined]);
            });

            return;
        }

        /** A unit that leaves its number behind. */
        function unit(number: number, shared = true): Unit {

            const guard = floor.guard(number);
            return {
                steps: [{ sql: 'insert into settings (name, value) values (?, ?)', bindings: [`n${number}`, 'x'] }], shared, ...guard ? { guard } : {}
            };
        }

        async function written(): Promise<number[]> {

            const rows = await db.read<{ name: string }>({ sql: `select name from settings where name like 'n%'` }, []);
            return rows.map((row) => Number(row.name.slice(1))).sort((a, b) => a - b);
        }

        it('refuses what it has passed, and only that, alone and among others', async () => {

            await floor.raise(500);
            expect(await db.commit(unit(500, false))).to.equal({ ok: false, failed: NUMBER_PASSED });
            expect(await db.commit(unit(501, false))).to.include({ ok: true });
            const numbers = [490, 502, 503, 500, 504, 499, 505];
            const results = await Promise.all(numbers.map((number) => db.commit(unit(number))));
            expect(results.map(({ ok }) => ok)).to.equal(numbers.map((number) => number > 500));
            expect(results.filter(({ ok }) => !ok)).to.equal(Array.from({ length: 3 }, () => ({ ok: false, failed: NUMBER_PASSED })));
            expect(await written()).to.equal([501, 502, 503, 504, 505]);
        });

        it('waits for what is being written', async () => {

            const writer = await Mysql.createConnection(place.options.url ?? '');
            try {
                const { statement } = floor.guard(300) ?? {};
                await writer.query('begin');
                await writer.query(statement?.sql ?? '');
                await writer.query(`insert into settings (name, value) values ('n300', 'x')`);
                let isRaised = false;
                const raising = floor.raise(400).then(() => {

                    isRaised = true;
                });
                // Comes behind the one that wants to raise it.
                const later = db.commit(unit(350));
                expect([await floor.read(), isRaised, await written()]).to.equal([0, false, []]);
                await writer.query('commit');
                await raising;
                expect(await written()).to.include(300);
                const { ok } = await later;
                expect((await written()).includes(350)).to.equal(ok);
                expect(await db.commit(unit(400))).to.equal({ ok: false, failed: NUMBER_PASSED });
            }
            finally {
                await writer.end();
            }
        });

        it('is never passed from below while many write and raise it', { timeout: 60_000 }, async () => {

            let number = 0;
            const late: number[] = [];
            const writers = Array.from({ length: 8 }, async () => {

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
            await Promise.all(writers);
            isOver = true;
            await reader;
            expect(late).to.equal([]);
            expect(await written()).to.not.be.empty();
        });
    });
});
