import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { SILENT } from '../../../db/log.js';
import { HandleDelivery } from '../../../lib/handles/outbox-worker.js';
import { HandleOutboxStore } from '../../../lib/stores/handle-outbox-store.js';
import { forEachDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`the delivery of handles on ${name}`, () => {

        it('delivers what was postponed while the clock was ahead, but not what is not to be delivered', async () => {

            const place = await create();
            const outbox = new HandleOutboxStore(await place.open());
            const now = Date.now();
            const ahead = now + 10 * 365 * 24 * 3_600_000;
            for (const [handle, runAt] of [['test/ahead', ahead], ['test/later', now + 3_600_000], ['test/never', null]] as const) {
                await outbox.mark(handle, now);
                const [entry] = await outbox.due(now, 1);
                await outbox.postpone(entry!, { error: 'away', runAt, hasFailed: false }, now);
            }

            const due = await outbox.due(now, 10);
            await place.dispose();

            expect(due.map(({ handle }) => handle)).to.equal(['test/ahead']);
        });

        it('goes on a second after an error, however often a run has begun', async () => {

            const place = await create();
            const outbox = new HandleOutboxStore(await place.open());
            const { kind } = new HandleDelivery({ outbox, log: SILENT, pace: {}, notify: () => Promise.resolve() });
            await place.dispose();

            expect([1, 13, Infinity].map((attempts) => kind.backOff?.(attempts))).to.equal([1000, 1000, 1000]);
        });

        it('sends a record again whose sending a stopped process has ended after another one may have sent a newer one', async () => {

            for (const outcome of ['stored', 'failed'] as const) {
                const place = await create();
                const outbox = new HandleOutboxStore(await place.open());
                let isHeld = true;
                let answer = (): void => {};
                const told: string[] = [];
                const delivery = new HandleDelivery({
                    outbox, log: SILENT, pace: { pollMs: 60_000 },
                    notify: (handle) => new Promise<void>((resolve, reject) => {

                        told.push(handle);
                        answer = outcome === 'stored' ? resolve : () => reject(new Error('cut'));
                    })
                });
                await outbox.mark('test/1', Date.now());
                const stop = new AbortController();
                const checkLease = (): void => {

                    if (!isHeld) {
                        throw new Error('the lease of the job is lost');
                    }
                };

                const report = (): Promise<void> => Promise.resolve();
                const running = delivery.kind.run({ id: 1, payload: null, progress: null, attempts: 1, signal: stop.signal, checkLease, report });
                await until(() => told.length === 1);
                // Another process sends what is stored now, and the first one goes on.
                const [entry] = await outbox.due(Date.now(), 1);
                await outbox.remove(entry!);
                isHeld = false;
                stop.abort();
                answer();
                await running;
                const due = await outbox.due(Date.now(), 10);
                await place.dispose();

                expect(due.map(({ handle }) => handle), outcome).to.equal(['test/1']);
            }
        });

        it('does not poll while everything is in progress', async () => {

            const place = await create();
            const outbox = new HandleOutboxStore(await place.open());
            let looks = 0;
            const due = outbox.due.bind(outbox);
            outbox.due = (...wanted) => {

                looks += 1;
                return due(...wanted);
            };

            const told: string[] = [];
            let answer = (): void => {};
            const answered = new Promise<void>((resolve) => {

                answer = resolve;
            });
            const delivery = new HandleDelivery({
                outbox, log: SILENT, pace: { pollMs: 60_000 },
                notify: (handle) => {

                    told.push(handle);
                    return answered;
                }
            });
            await outbox.mark('test/1', Date.now());
            const stop = new AbortController();
            const job = { id: 1, payload: null, progress: null, attempts: 1, signal: stop.signal, checkLease: () => {}, report: () => Promise.resolve() };
            const running = delivery.kind.run(job);

            await until(() => told.length === 1);
            await delay(100);
            const before = looks;
            answer();
            await until(async () => await outbox.nextDue() === null);
            stop.abort();
            await running;
            await place.dispose();

            expect(told).to.equal(['test/1']);
            expect(before).to.be.at.most(3);
        });
    });
});
