/** The end of the change log, which a search waits for, and by which the lag of an index is known. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { IndexLag } from '../../../../lib/search/opensearch/index-lag.js';
import { orderedPosition } from '../../../../lib/search/opensearch/log-end.js';
import { LogOrderer } from '../../../../lib/search/runtime/change-log-sequencer.js';
import { SearchLogStore } from '../../../../lib/stores/search/change-log-store.js';
import { forEachDatabase, type TestDatabase } from '../../../support/database.js';
import { watchedDatabase } from '../../../support/watched-database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`the end of the change log on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let log: SearchLogStore;
        let written: number;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            log = new SearchLogStore(database);
            written = 0;
        });

        afterEach(() => place.dispose());

        async function write(rows: number): Promise<void> {

            const numbers = Array.from({ length: rows }, () => ++written);
            const { ok } = await log.append(numbers.map((number) => ({ objectId: `test/${number}`, origin: 'one', number })), []);
            expect(ok).to.be.true();
        }

        it('is behind all rows that were committed, while another node puts them into batches', async () => {

            await write(1200);
            let isOrdering = false;
            // Between its two reads the other node makes the batch that this one is about to make.
            const own = new SearchLogStore(watchedDatabase(database, async (sql) => {

                if (isOrdering && sql.includes('search_log')) {
                    await log.order();
                }
            }));
            const orderer = new LogOrderer({ log: own, read: () => Promise.resolve(false), failed: () => {} });
            let pauses = 0;
            const position = await orderedPosition({
                changes: own,
                async order() {

                    isOrdering = true;
                    await orderer.order();
                    isOrdering = false;
                },
                pause: () => Promise.resolve(void ++pauses)
            });

            const batches = (await log.batches(0)).filter((batch) => batch.position <= position);
            expect(batches.map(({ rows }) => rows.length)).to.equal([500, 500, 200]);
            expect(pauses).to.equal(2);
        });

        it('is given up while it cannot be reached', async () => {

            await write(1);

            await expect(orderedPosition({
                changes: log, order: () => Promise.resolve(), pause: () => Promise.reject(new Error('too late'))
            })).to.reject('too late');
        });

        it('is read by one statement when all rows are in batches', async () => {

            const statements: string[] = [];
            const watched = new SearchLogStore(watchedDatabase(database, (sql) => void statements.push(sql)));
            const empty = await watched.snapshot();
            await write(600);
            const full = await watched.snapshot();
            while (await log.order()) {
                // One batch at a time.
            }

            await log.order();
            const before = statements.length;
            const ordered = await watched.snapshot();

            expect([empty.unordered.size, empty.last]).to.equal([0, 0]);
            expect([full.unordered.size, full.last]).to.equal([600, 0]);
            expect([ordered.unordered.size, ordered.last]).to.equal([0, 2]);
            expect(statements.length - before).to.equal(1);
        });

        it('is noted without a change of the log, and reached when its rows are in batches that the index has', async () => {

            const lag = new IndexLag(() => log.snapshot(), 0);
            await write(1);
            await lag.update();
            lag.has(0);
            await lag.update();
            lag.has(0);
            const unordered = [lag.ms, await log.last()];

            await log.order();
            await lag.update();
            lag.has(0);
            const unfed = lag.ms;
            lag.has(1);

            expect(unordered).to.equal([Infinity, 0]);
            expect(unfed).to.equal(Infinity);
            expect(lag.ms).to.be.below(Infinity);
        });

        it('is noted again before the index has reached it, so that the lag is not twice as long', async () => {

            const lag = new IndexLag(() => log.snapshot(), 0);
            const begun = performance.now();
            await write(1);
            await log.order();
            await lag.update();
            const later = performance.now();
            await write(1);
            await log.order();
            await lag.update();

            lag.has(1);
            const first = performance.now() - lag.ms;
            const isFirstOnly = !lag.hasReachedAll;
            lag.has(2);
            const second = performance.now() - lag.ms;

            expect([first >= begun && first <= later, isFirstOnly]).to.equal([true, true]);
            expect([second >= later, lag.hasReachedAll]).to.equal([true, true]);
        });

        it('is noted a few times while the index does not reach it', async () => {

            let readings = 0;
            const lag = new IndexLag(() => {

                ++readings;
                return log.snapshot();
            }, 0);
            for (let i = 0; i < 30; ++i) {
                await lag.update();
            }

            expect(readings).to.equal(10);
            lag.has(0);
            await lag.update();
            expect(readings).to.equal(11);
        });
    });
});
