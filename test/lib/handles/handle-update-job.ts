import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { SILENT } from '../../../db/log.js';
import type { RecordUpdater } from '../../../lib/handles/handle-update-job.js';
import { HandleUpdate } from '../../../lib/handles/handle-update-job.js';
import { JobRunner } from '../../../lib/jobs/job-runner.js';
import { JobStore } from '../../../lib/stores/jobs/job-store.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { SettingStore } from '../../../lib/stores/setting-store.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

/** Objects besides those that every service has. */
const MADE = 40;

const NEVER = { inProgress: false, total: 0, progress: 0, startTime: 0, exceptionCount: 0 };

forEachDatabase((name, create) => {

    describe(`the update of handles on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let jobStore: JobStore;
        let ids: string[];
        let runners: JobRunner[] = [];

        before(async () => {

            place = await create();
            const gateway = await startGateway(place);
            for (let n = 0; n < MADE; ++n) {
                await gateway.create('Document', { name: `object ${n}` });
            }

            await gateway.stop();
            db = await place.open();
            jobStore = new JobStore(db);
            ids = (await new ObjectScan(db).idsAfter('')).filter((id) => id !== 'design');
        });

        beforeEach(async () => {

            await db.commit({ steps: [
                { sql: 'delete from jobs where kind = ?', bindings: ['handles.update'] },
                { sql: 'delete from settings where name = ?', bindings: ['handles.update'] }
            ] });
        });

        afterEach(async () => {

            await Promise.all(runners.map((runner) => runner.stop()));
            runners = [];
        });

        after(() => place.dispose());

        /** A service's part in it, at work. */
        function node(update: RecordUpdater['update']): HandleUpdate {

            const jobs = new JobRunner(jobStore, { log: SILENT, pollMs: 10 });
            const made = new HandleUpdate({
                jobs, jobStore, settings: new SettingStore(db), objects: new ObjectScan(db), log: SILENT,
                refresh: () => Promise.resolve(), updater: { batch: 16, update }
            });
            jobs.register(made.kind);
            jobs.start();
            runners.push(jobs);
            return made;
        }

        /** Holds an update at its n-th batch until it is let go. */
        function gate(at: number): { update: RecordUpdater['update']; seen: string[][]; open: () => void } {

            let open = (): void => {};
            const opened = new Promise<void>((resolve) => {

                open = resolve;
            });
            const seen: string[][] = [];
            return {
                seen,
                open: () => open(),
                async update(batch) {

                    seen.push([...batch]);
                    if (seen.length === at) {
                        await opened;
                    }

                    return 0;
                }
            };
        }

        it('goes on within a minute after an error, however often it has begun', () => {

            const { kind } = node(() => Promise.resolve(0));

            expect([1, 3, 13, Infinity].map((attempts) => kind.backOff?.(attempts))).to.equal([1000, 4000, 60_000, 60_000]);
        });

        it('has zero counts before the first one', async () => {

            expect(await node(() => Promise.resolve(0)).status()).to.equal(NEVER);
        });

        it('covers every object except the design once, and counts failures', async () => {

            const seen: string[] = [];
            const update = node((batch) => {

                seen.push(...batch);
                return Promise.resolve(batch.length > 1 ? 2 : 0);
            });
            const before = Date.now();

            await update.start();
            await until(async () => !(await update.status()).inProgress);

            const { startTime, ...status } = await update.status();
            const batches = Math.ceil(ids.length / 16);
            expect(seen.toSorted()).to.equal(ids.toSorted());
            expect(status).to.equal({ inProgress: false, total: ids.length, progress: ids.length, exceptionCount: 2 * batches });
            expect(startTime).to.be.within(before, Date.now());
        });

        it('is started once, for any number of requests', async () => {

            const { update: held, seen, open } = gate(1);
            const update = node(held);

            await update.start();
            await until(() => seen.length === 1);
            const first = await update.status();
            await update.start();
            const second = await update.status();
            open();
            await until(async () => !(await update.status()).inProgress);

            expect(first).to.include({ inProgress: true, total: ids.length, progress: 0, exceptionCount: 0 });
            expect(second).to.equal(first);
            expect(seen.flat()).to.have.length(ids.length);
            expect((await jobStore.list({ kind: 'handles.update', limit: 10 })).map(({ state }) => state)).to.equal(['done']);
        });

        it('is in progress while one is, though an earlier one has a higher number, as another server of a cluster has given it', async () => {

            const { update: held, seen, open } = gate(1);
            const update = node(held);
            await update.start();
            await until(() => seen.length === 1);
            await jobStore.enqueue({ kind: 'handles.update', payload: null, runAt: Date.now() + 60_000 });
            await db.commit({ steps: [{ sql: `update jobs set state = 'done' where kind = ? and state = 'waiting'`, bindings: ['handles.update'] }] });

            const status = await update.status();
            open();
            await until(async () => !(await update.status()).inProgress);

            expect(status.inProgress).to.be.true();
        });

        it('keeps its outcome after its job was purged, and on other nodes', async () => {

            const update = node(() => Promise.resolve(1));
            await update.start();
            await until(async () => !(await update.status()).inProgress);
            const status = await update.status();

            await jobStore.purge(Date.now() + 1000, 100);

            expect(await node(() => Promise.resolve(0)).status()).to.equal(status);
            expect(status.total).to.equal(ids.length);
        });

        it('resumes after the service was stopped', async () => {

            const { update: held, seen, open } = gate(2);
            const update = node(held);
            await update.start();
            await until(() => seen.length === 2);

            const stopped = runners[0]!.stop();
            open();
            await stopped;
            const waiting = await update.status();
            const later: string[] = [];
            const resumed = node((batch) => {

                later.push(...batch);
                return Promise.resolve(0);
            });
            await until(async () => !(await resumed.status()).inProgress);

            expect(waiting).to.include({ inProgress: true, total: ids.length });
            expect(new Set([...seen.flat(), ...later])).to.equal(new Set(ids));
            expect(await resumed.status()).to.include({ progress: ids.length, total: ids.length, startTime: waiting.startTime });
        });

        it('moves to another node when its node dies, which then changes nothing more', async () => {

            const { update: held, seen, open } = gate(2);
            const dead = node(held);
            await dead.start();
            await until(() => seen.length === 2);
            await db.commit({ steps: [{ sql: `update jobs set state = 'waiting', run_at = 0 where kind = ?`, bindings: ['handles.update'] }] });
            const later: string[] = [];
            const heir = node((batch) => {

                later.push(...batch);
                return Promise.resolve(1);
            });
            await until(async () => !(await heir.status()).inProgress);
            const status = await heir.status();

            open();
            await Promise.all(runners.map((runner) => runner.stop()));

            expect(new Set([...seen.flat(), ...later])).to.equal(new Set(ids));
            expect(status).to.include({ progress: ids.length, total: ids.length });
            expect(await heir.status()).to.equal(status);
            expect(seen).to.have.length(2);
        });
    });
});
