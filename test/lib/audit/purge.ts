/** What is removed from the audit log because of its age: nothing because of a clock that is wrong, and by one node at a time. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pino } from 'pino';
import type { Database } from '../../../db/database.js';
import { toAuditRow } from '../../../lib/audit/audit-entry.js';
import { AuditLog } from '../../../lib/audit/audit-log.js';
import type { RunningJob } from '../../../lib/jobs/job-kind.js';
import { AuditStore } from '../../../lib/stores/audit-store.js';
import type { TestDatabase } from '../../support/database.js';
import { forEachDatabase } from '../../support/database.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const log = pino({ level: 'silent' });
const DAY = 24 * 3_600_000;
const YEAR = 365 * DAY;
const START = Date.UTC(2026, 0, 1);

forEachDatabase((name, create) => {

    describe(`the age of entries of the audit log on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let store: AuditStore;
        let now: number;

        beforeEach(async () => {

            place = await create();
            db = await place.open();
            store = new AuditStore(db);
            now = START;
        });

        afterEach(() => place.dispose());

        const node = (parts: { readonly store?: AuditStore; readonly ahead?: number; readonly ownAhead?: number } = {}): AuditLog => new AuditLog({
            store: parts.store ?? store, log, now: () => now + (parts.ahead ?? 0), ownNow: () => now + (parts.ownAhead ?? 0)
        });

        /** Seals an entry a day. */
        async function fill(days: number): Promise<void> {

            for (let day = 0; day < days; ++day) {
                await store.append([toAuditRow({ at: now, outcome: 'changed', objectId: 'test/1', caller: null })]);
                await node().seal();
                now += DAY;
            }
        }

        const run = (audit: AuditLog, days: number): Promise<void> | undefined =>
            audit.jobs(days).find(({ kind }) => kind === 'audit.purge')?.run({ signal: new AbortController().signal } as RunningJob);

        const first = async (): Promise<number | undefined> => (await store.seals(0))[0]?.seal;

        it('is judged by the clock of the database and by that of the node', async () => {

            await fill(20);
            await run(node({ ownAhead: YEAR }), 30);
            expect(await first()).to.equal(1);
            await run(node({ ahead: YEAR }), 30);
            expect(await first()).to.equal(1);

            await run(node(), 15);
            expect(await first()).to.equal(6);
        });

        it('does not end the log when all clocks are ahead for a while', async () => {

            await fill(30);
            await run(node({ ahead: YEAR, ownAhead: YEAR }), 90);
            expect(await first()).to.equal(8);

            now += YEAR;
            for (const left of [15, 22, 29, 30]) {
                await run(node(), 90);
                expect(await first()).to.equal(left);
            }

            await node().seal();
            expect((await node().verify()).problem).to.be.null();
        });

        it('is no reason to tell of a removal that another node has made and continued', async () => {

            await fill(30);
            const suspended = new Proxy(store, {
                get: (target, name) => (name !== 'seals' ? (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target) :
                    async (from: number) => {

                        const seals = await target.seals(from);
                        await node().purge(START + 20 * DAY);
                        return seals;
                    })
            });
            await node({ store: suspended }).purge(START + 20 * DAY);

            const { problem } = await node().verify();
            const { entries } = await node().find({ outcome: 'purged', limit: 100 });
            expect<unknown>([problem, entries.map(({ upToSeal }) => upToSeal)]).to.equal([null, [20, 16, 12, 8, 4]]);
        });
    });
});
