import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { JobStore } from '../../../../lib/stores/jobs/job-store.js';
import type { LeasedJob } from '../../../../lib/stores/jobs/job-store.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const LEASE = 1000;
const HOUR = 3_600_000;
const TIMES = { leaseMs: LEASE, longestWaitMs: 2 * HOUR };

forEachDatabase((name, create) => {

    describe(`the job store on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let now = 1_000_000;
        let store: JobStore;

        before(async () => {

            place = await create();
            database = await place.open();
            store = new JobStore(database, () => now, () => now);
        });

        after(() => place.dispose());

        async function claim(kind: string): Promise<LeasedJob> {

            const job = await store.claim(kind, TIMES);
            expect(job).to.not.be.null();
            return job!;
        }

        it('hands out due jobs, the oldest first, each once', async () => {

            await store.enqueue({ kind: 'order', payload: { n: 2 }, runAt: now - 1 });
            await store.enqueue({ kind: 'order', payload: { n: 1 }, runAt: now - 2 });
            await store.enqueue({ kind: 'order', payload: { n: 3 }, runAt: now + 5000 });

            expect<unknown>((await claim('order')).payload).to.equal({ n: 1 });
            expect<unknown>((await claim('order')).payload).to.equal({ n: 2 });
            expect(await store.claim('order', TIMES)).to.be.null();
            expect(await store.waits(new Map([['order', { ...TIMES, leaseMs: 40_000 }], ['other', TIMES]]))).to.equal(new Map([['order', 5000], ['other', Infinity]]));
            // Leases are looked at several times before they expire.
            expect(await store.waits(new Map([['order', TIMES], ['other', TIMES]]))).to.equal(new Map([['order', LEASE / 4], ['other', Infinity]]));
            now += LEASE - 1;
            expect((await store.waits(new Map([['order', TIMES]]))).get('order')).to.equal(1);
        });

        it('hands out a job again after its lease expired, and ignores the former holder', async () => {

            await store.enqueue({ kind: 'expire', payload: null });
            const first = await claim('expire');
            expect(await store.claim('expire', TIMES)).to.be.null();
            now += LEASE - 1;
            expect(await store.renew(first, LEASE)).to.be.true();
            now += LEASE - 1;
            expect(await store.claim('expire', TIMES)).to.be.null();

            now += LEASE - 1;
            expect(await store.claim('expire', TIMES)).to.be.null();
            now += 1;
            const second = await claim('expire');

            expect<object>(second).to.include({ id: first.id, attempts: 2 });
            expect(await store.renew(first, LEASE)).to.be.false();
            expect(await store.report(first, 'lost')).to.be.false();
            expect(await store.complete(first)).to.be.false();
            expect(await store.complete(second)).to.be.true();
            expect<object | null>(await store.get(first.id)).to.include({ state: 'done', attempts: 2, progress: null });
        });

        it('hands out a job whose lease has expired before others that are due, of which there may always be some', async () => {

            await store.enqueue({ kind: 'backlog', payload: 'of one that died' });
            await claim('backlog');
            for (let n = 0; n < 20; ++n) {
                await store.enqueue({ kind: 'backlog', payload: n });
            }

            const next = await claim('backlog');
            await store.complete(next);
            now += LEASE + 1;
            const taken = await claim('backlog');

            expect<unknown>([next.payload, taken.payload]).to.equal([0, 'of one that died']);
        });

        it('hands out a job whose lease has expired by the clock of the process that asks, whatever the time of the database and of the holder is', async () => {

            let ticks = 0;
            let ahead = HOUR;
            const other = new JobStore(database, () => now + ahead, () => ticks);
            await store.enqueue({ kind: 'clocks', payload: null });
            const held = await claim('clocks');
            const taken: (LeasedJob | null)[] = [];
            for (let n = 0; n < 8; ++n) {
                taken.push(await other.claim('clocks', TIMES));
                ticks += LEASE / 2;
                ahead = -ahead;
                // The time of the holder stands still.
                expect(await store.renew(held, LEASE)).to.be.true();
            }

            taken.push(await other.claim('clocks', TIMES));
            ticks += LEASE;
            const last = await other.claim('clocks', TIMES);

            expect(taken.every((job) => job === null)).to.be.true();
            expect<object | null>(last).to.include({ id: held.id, attempts: 2 });
            expect(await store.renew(held, LEASE)).to.be.false();
        });

        it('hands out a job with what its former holder has reported last', async () => {

            await store.enqueue({ kind: 'late', payload: null });
            const first = await claim('late');
            expect(await store.claim('late', TIMES)).to.be.null();
            now += LEASE;
            await store.report(first, 'late');

            expect<unknown>((await claim('late')).progress).to.equal('late');
        });

        it('hands out jobs that were stored while the clock was ahead, waiting or in progress', async () => {

            const right = now;
            now += 10 * 365 * 24 * 3_600_000;
            await store.enqueue({ kind: 'ahead', payload: 'waiting', runAt: now + 60_000 });
            await store.enqueue({ kind: 'ahead', payload: 'running', runAt: now });
            const held = await claim('ahead');
            now = right;
            await store.enqueue({ kind: 'ahead', payload: 'later', runAt: now + HOUR });

            const taken = [await claim('ahead')];
            now += LEASE;
            taken.push(await claim('ahead'));

            expect<unknown>(taken.map(({ payload }) => payload)).to.equal(['waiting', 'running']);
            expect(await store.claim('ahead', TIMES)).to.be.null();
            expect(await store.renew(held, LEASE)).to.be.false();
        });

        it('keeps reports for the next attempt, and errors for queries', async () => {

            await store.enqueue({ kind: 'retry', payload: ['€'] });
            const job = await claim('retry');
            await store.report(job, { done: 7 });
            await store.fail(job, 'disk on fire', now + 500);

            expect(await store.claim('retry', TIMES)).to.be.null();
            expect((await store.waits(new Map([['retry', TIMES]]))).get('retry')).to.equal(500);
            now += 500;
            const again = await claim('retry');
            expect<object>(again).to.include({ progress: { done: 7 }, lastError: 'disk on fire', attempts: 2 });

            await store.fail(again, 'x'.repeat(5000), null);
            const [failed] = await store.list({ kind: 'retry', limit: 10 });
            expect<object | undefined>(failed).to.include({ state: 'failed', payload: ['€'] });
            expect(failed?.lastError).to.have.length(2000);
            expect(await store.claim('retry', TIMES)).to.be.null();
        });

        it('releases a job as if it had not been started', async () => {

            await store.enqueue({ kind: 'release', payload: null });
            const job = await claim('release');

            await store.release(job);

            expect<object>(await claim('release')).to.include({ id: job.id, attempts: 1 });
        });

        it('defers a job as if it had not been started, with what ended it', async () => {

            await store.enqueue({ kind: 'defer', payload: null });
            const job = await claim('defer');
            await store.report(job, { done: 7 });

            expect(await store.defer(job, 'no room', now + 500)).to.be.true();
            expect(await store.defer(job, 'no room', now)).to.be.false();
            expect(await store.claim('defer', TIMES)).to.be.null();
            now += 500;
            expect<object>(await claim('defer')).to.include({ id: job.id, attempts: 1, progress: { done: 7 }, lastError: 'no room' });
        });

        it('hands out a job at once that was added or released by a process whose clock is ahead', async () => {

            const ahead = new JobStore(database, () => now + 5 * 60_000, () => now);
            await ahead.enqueue({ kind: 'skew', payload: null });
            const first = await claim('skew');
            await store.release(first);
            const released = await ahead.claim('skew', TIMES);
            await ahead.release(released!);

            expect((await store.waits(new Map([['skew', TIMES]]))).get('skew') ?? 1).to.be.at.most(0);
            expect<object>(await claim('skew')).to.include({ id: first.id, attempts: 1 });
        });

        it('hands out a job that is to wait longer than jobs of its kind do, as the clock was set back or is another one', async () => {

            const ahead = new JobStore(database, () => now + 5 * 60_000, () => now);
            await store.enqueue({ kind: 'set-back', payload: null });
            const retried = await ahead.claim('set-back', TIMES);
            await ahead.fail(retried!, 'no room', ahead.now() + 1000);

            const short = { leaseMs: LEASE, longestWaitMs: 60_000 };
            expect((await store.waits(new Map([['set-back', TIMES]]))).get('set-back')).to.equal(5 * 60_000 + 1000);
            expect((await store.waits(new Map([['set-back', short]]))).get('set-back') ?? 1).to.be.at.most(0);
            expect(await store.claim('set-back', TIMES)).to.be.null();
            expect<object | null>(await store.claim('set-back', short)).to.include({ id: retried!.id, attempts: 2 });
        });

        it('adds one job per key until it starts', async () => {

            const job = { kind: 'refresh', payload: null, dedup: { key: 'test/1', until: 'start' } } as const;
            expect(await store.enqueue(job)).to.be.true();
            expect(await store.enqueue(job)).to.be.false();
            expect(await store.enqueue({ ...job, dedup: { key: 'test/1 ', until: 'start' } })).to.be.true();

            await claim('refresh');

            expect(await store.enqueue(job)).to.be.true();
            expect(await store.enqueue(job)).to.be.false();
        });

        it('adds one job per key until it ends', async () => {

            const job = { kind: 'single', payload: null, dedup: { key: 'all', until: 'end' } } as const;
            expect(await store.enqueue(job)).to.be.true();
            const running = await claim('single');
            expect(await store.enqueue(job)).to.be.false();
            await store.fail(running, 'again', now);
            expect(await store.enqueue(job)).to.be.false();
            await store.complete(await claim('single'));

            expect(await store.enqueue(job)).to.be.true();
        });

        it('finds the job of a key that has not ended, whatever the number of others is', async () => {

            const job = { kind: 'join', payload: 'mine', dedup: { key: 'all', until: 'end' } } as const;
            const others = { payload: 'other', dedup: { key: 'other', until: 'end' } } as const;
            expect(await store.current('join', 'all')).to.be.null();
            const added = await store.join(job);
            await store.join({ ...job, ...others });
            await store.enqueue({ kind: 'join', payload: 'ended' });
            await database.commit({ steps: [{ sql: `update jobs set state = 'done' where kind = ? and payload = ?`, bindings: ['join', '"ended"'] }] });

            expect<object>(added).to.include({ payload: 'mine', state: 'waiting', attempts: 0 });
            expect<unknown>(await store.join({ ...job, payload: 'another' })).to.equal(added);
            expect<unknown>(await store.current('join', 'all')).to.equal(added);
            await store.complete(await claim('join'));
            expect(await store.current('join', 'all')).to.be.null();
            expect<unknown>((await store.join({ ...job, payload: 'another' })).payload).to.equal('another');
        });

        it('adds a job in a unit, which fails when the job exists', async () => {

            const step = store.enqueueStep({ kind: 'unit', payload: 1, dedup: { key: 'k', until: 'start' } });
            const other = (value: string): { sql: string; bindings: string[] } => {

                return { sql: 'insert into settings (name, value) values (?, ?)', bindings: [value, ''] };
            };

            expect(await database.commit({ steps: [step, other('unit-1')] })).to.include({ ok: true });
            expect(await database.commit({ steps: [step, other('unit-2')] })).to.include({ ok: true });
            await expect(database.commit({ steps: [store.enqueueStep({ kind: 'unit', payload: 2 }), other('unit-1')] })).to.reject();

            expect<object[]>(await store.list({ kind: 'unit', limit: 10 })).to.have.length(1);
            // One that is found has been changed, which excludes its start on every server of a cluster.
            const stored = { sql: `select updated_on from jobs where kind = 'unit'` };
            const [before] = await database.read<{ updated_on: number }>(stored, []);
            await database.commit({ steps: [step] });
            expect(await database.read(stored, [])).to.equal([{ updated_on: (before?.updated_on ?? 0) + 1 }]);
        });

        it('rejects keys that are too long', () => {

            expect(() => store.enqueueStep({ kind: 'k', payload: null, dedup: { key: 'ä'.repeat(128), until: 'end' } }))
                .to.throw(/at most 255 bytes/);
        });

        it('lists the newest first, by state, and purges old jobs', async () => {

            for (const payload of [1, 2, 3]) {
                await store.enqueue({ kind: 'list', payload });
            }

            await store.complete(await claim('list'));
            const payloads = async (state?: 'waiting' | 'done'): Promise<unknown[]> => {

                return (await store.list({ kind: 'list', limit: 2, ...(state ? { state } : {}) })).map(({ payload }) => payload);
            };

            expect(await payloads()).to.equal([3, 2]);
            expect(await payloads('done')).to.equal([1]);

            expect(await store.purge(now, 100)).to.be.a.number();
            expect(await payloads('done')).to.equal([1]);
            await store.purge(now + 1, 100);
            expect(await payloads('done')).to.equal([]);
            expect(await payloads('waiting')).to.equal([3, 2]);
        });
    });
});
