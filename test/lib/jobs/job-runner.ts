import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { DatabaseError } from '../../../db/errors.js';
import { SILENT } from '../../../db/log.js';
import type { JobKind, RunningJob } from '../../../lib/jobs/job-kind.js';
import { defaultBackOff, longestWait } from '../../../lib/jobs/job-kind.js';
import { JobRunner } from '../../../lib/jobs/job-runner.js';
import { JobStore } from '../../../lib/stores/jobs/job-store.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { watchedDatabase } from '../../support/watched-database.js';
import { until } from '../../support/until.js';
import type { JobState } from '../../../lib/stores/jobs/job-store.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`the job runner on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let store: JobStore;
        let runner: JobRunner;
        let kinds = 0;

        before(async () => {

            place = await create();
            database = await place.open();
            store = new JobStore(database);
        });

        afterEach(() => runner.stop());
        after(() => place.dispose());

        /** Starts a runner with one kind of a fresh name; slow polling, so that whatever is fast was woken. */
        function start(run: JobKind['run'], options: Partial<JobKind> & { pollMs?: number } = {}): string {

            kinds += 1;
            const kind = `kind-${kinds}`;
            const { pollMs = 60_000, ...rest } = options;
            runner = new JobRunner(store, { log: SILENT, pollMs });
            runner.register({ kind, run, ...rest });
            runner.start();
            return kind;
        }

        async function state(kind: string): Promise<JobState | undefined> {

            return (await store.list({ kind, limit: 1 }))[0]?.state;
        }

        it('runs a job at once when it is enqueued in its process', async () => {

            const seen: unknown[] = [];
            const kind = start((job) => Promise.resolve(void seen.push(job.payload)));

            await runner.enqueue({ kind, payload: { id: 'test/1' } });
            await until(async () => await state(kind) === 'done');

            expect(seen).to.equal([{ id: 'test/1' }]);
        });

        it('deletes a completed job if its kind says so, but not a failed one', async () => {

            const kind = start((job) => (job.payload === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve()), { isForgotten: true, maxAttempts: 1 });

            await Promise.all(['good', 'bad', 'good'].map((payload) => runner.enqueue({ kind, payload })));
            await until(async () => (await store.list({ kind, limit: 10 })).every((job) => job.state === 'failed'));

            expect<unknown>((await store.list({ kind, limit: 10 })).map(({ payload }) => payload)).to.equal(['bad']);
        });

        it('finds jobs of other processes by polling', async () => {

            const kind = start(() => Promise.resolve(), { pollMs: 20 });
            await store.enqueue({ kind, payload: null });

            await until(async () => await state(kind) === 'done');
        });

        it('asks for the jobs of all kinds by one statement', async () => {

            const asked: string[] = [];
            runner = new JobRunner(new JobStore(watchedDatabase(database, (sql) => void asked.push(sql))), { log: SILENT, pollMs: 10 });
            for (let n = 0; n < 7; ++n) {
                runner.register({ kind: `idle-${n}`, run: () => Promise.resolve() });
            }

            runner.start();
            await until(() => asked.length >= 5);

            expect(new Set(asked).size).to.equal(1);
        });

        it('runs a job when it is due, without waiting for the next poll', async () => {

            const kind = start(() => Promise.resolve());
            await runner.enqueue({ kind, payload: null, runAt: store.now() + 50 });

            await until(async () => await state(kind) === 'done');
        });

        it('retries after a failure with the last report, then gives up', async () => {

            const seen: unknown[] = [];
            const kind = start(async (job) => {

                seen.push([job.attempts, job.progress]);
                await job.report({ reached: job.attempts });
                throw new Error(`attempt ${job.attempts} failed`);
            }, { maxAttempts: 3, backOff: () => 5 });

            await runner.enqueue({ kind, payload: null });
            await until(async () => await state(kind) === 'failed');

            expect(seen).to.equal([[1, null], [2, { reached: 1 }], [3, { reached: 2 }]]);
            expect((await store.list({ kind, limit: 1 }))[0]?.lastError).to.equal('attempt 3 failed');
        });

        it('gives up after an error that its kind calls final', async () => {

            let runs = 0;
            const kind = start(() => {

                runs += 1;
                return Promise.reject(new Error(`no. ${runs}`));
            }, { maxAttempts: 10, backOff: () => 1, isFinal: (error) => error instanceof Error && error.message === 'no. 3' });

            await runner.enqueue({ kind, payload: null });
            await until(async () => await state(kind) === 'failed');

            expect(runs).to.equal(3);
        });

        it('counts no attempt that an outage ended, and waits for its end', async () => {

            const away = new Error('the engine is away');
            const errors = [
                new DatabaseError('full', 'no room'), new DatabaseError('stalled', 'no room'), new DatabaseError('unavailable', 'away'),
                new DatabaseError('unknown-outcome', 'cut'), away, new DatabaseError('failed', 'no such column')
            ];
            const seen: unknown[] = [];
            const kind = start((job) => {

                seen.push([job.attempts, job.progress]);
                return Promise.reject(errors[seen.length - 1] ?? new Error('no luck'));
            }, { maxAttempts: 2, backOff: () => 5, isOutage: (error) => error === away });

            await runner.enqueue({ kind, payload: null });
            await until(async () => await state(kind) === 'failed');

            expect(seen).to.equal([...Array.from({ length: 6 }, () => [1, null]), [2, null]]);
            expect((await store.list({ kind, limit: 1 }))[0]?.lastError).to.equal('no luck');
        });

        it('runs as many jobs concurrently as the kind allows', async () => {

            let running = 0;
            let most = 0;
            const kind = start(async () => {

                running += 1;
                most = Math.max(most, running);
                await until(() => most >= 3);
                await sleep(5);
                running -= 1;
            }, { concurrency: 3 });
            await Promise.all(Array.from({ length: 12 }, (_, payload) => runner.enqueue({ kind, payload })));

            await until(async () => (await store.list({ kind, state: 'done', limit: 20 })).length === 12);

            expect(most).to.equal(3);
        });

        it('aborts running jobs, waits for them, and leaves them for the next start', async () => {

            let reached = '';
            const started = new EventTarget();
            const kind = start(async (job) => {

                started.dispatchEvent(new Event('running'));
                await once(job.signal, 'abort');
                await job.report('half');
                await sleep(20);
                reached = 'safe point';
                job.signal.throwIfAborted();
            });
            const running = once(started, 'running');
            await runner.enqueue({ kind, payload: null });
            await running;

            await runner.stop();

            expect(reached).to.equal('safe point');
            const [job] = await store.list({ kind, limit: 1 });
            const facts: unknown = [job?.state, job?.attempts, job?.progress, job?.lastError];
            expect(facts).to.equal(['waiting', 0, 'half', null]);
        });

        it('renews the lease of a long job', async () => {

            const finished = new EventTarget();
            const kind = start(async () => void await once(finished, 'finished'), { leaseMs: 9000 });
            await runner.enqueue({ kind, payload: null });
            await until(async () => await state(kind) === 'running');

            expect(await store.claim(kind, { leaseMs: 9500, longestWaitMs: 60_000 })).to.be.null();
            await sleep(11_000);
            expect(await store.claim(kind, { leaseMs: 9500, longestWaitMs: 60_000 })).to.be.null();
            finished.dispatchEvent(new Event('finished'));
            await until(async () => await state(kind) === 'done');
        });

        it('aborts a job whose lease is lost', async () => {

            let reason: unknown;
            const kind = start(async (job) => {

                await once(job.signal, 'abort');
                reason = job.signal.reason;
                throw reason;
            }, { leaseMs: 60 });
            await runner.enqueue({ kind, payload: null });
            await until(async () => await state(kind) === 'running');

            await database.commit({ steps: [{ sql: 'update jobs set lease_owner = ? where kind = ?', bindings: ['thief', kind] }] });

            await until(() => reason !== undefined);
            expect(reason).to.be.an.error('the lease of the job is lost');
        });

        it('holds no lease that may have expired while its machine was suspended', async () => {

            const { now } = Date;
            const held: boolean[] = [];
            const kind = start((job) => {

                for (const passed of [0, -60_000, 9_000, 60_000]) {
                    Date.now = () => now() + passed;
                    held.push(isHeld(job));
                    Date.now = now;
                }

                return Promise.resolve();
            }, { leaseMs: 30_000 });
            await runner.enqueue({ kind, payload: null });

            await until(() => held.length === 4);
            expect(held).to.equal([true, true, true, false]);
        });

        it('repeats a periodic job, also after failures', async () => {

            let runs = 0;
            const kind = start(() => {

                runs += 1;
                return runs % 2 === 0 ? Promise.reject(new Error('every second one fails')) : Promise.resolve();
            }, { repeatMs: 5, backOff: () => 1 });

            await until(() => runs >= 5);
            await runner.stop();

            expect<object[]>(await store.list({ kind, limit: 10 })).to.have.length(1);
            expect(await state(kind)).to.equal('waiting');
        });

        it('rejects two kinds with one name', () => {

            const kind = start(() => Promise.resolve());

            expect(() => runner.register({ kind, run: (job: RunningJob) => job.report(null) })).to.throw(/registered already/);
        });
    });
});

describe('the default back-off', () => {

    for (const [attempts, most] of [[1, 1000], [2, 2000], [5, 16_000], [40, 3_600_000]] as const) {
        it(`is at most ${most} ms after attempt ${attempts}`, () => {

            expect(defaultBackOff(attempts)).to.be.between(most / 2 - 1, most + 1);
        });
    }
});

describe('the longest wait of a job', () => {

    const run = (): Promise<void> => Promise.resolve();
    const KINDS: readonly (readonly [what: string, kind: Partial<JobKind>, ms: number])[] = [
        ['is little more than an hour by default', {}, 3_605_000],
        ['is the longest back-off', { backOff: (attempts) => Math.min(60_000, 1000 * 2 ** attempts) }, 65_000],
        ['is that of a constant back-off', { backOff: () => 1000 }, 6000],
        ['is the time between two runs where that is longer', { backOff: () => 1000, repeatMs: 60_000 }, 65_000]
    ];
    for (const [what, kind, ms] of KINDS) {
        it(what, () => {

            expect(longestWait({ kind: 'k', run, ...kind })).to.equal(ms);
        });
    }
});

function isHeld(job: RunningJob): boolean {

    try {
        job.checkLease();
        return true;
    }
    catch {
        return false;
    }
}
