import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Watchdog } from '../../../../lib/search/runtime/watchdog.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the watchdog', () => {

    it('fires when calls are pending and none was answered for the limit', async () => {

        let now = 0;
        let isStuck = false;
        const watch = new Watchdog(10, () => now);
        watch.start(() => {

            isStuck = true;
        });

        // Others are answered before.
        for (; now < 100; now += 9) {
            watch.answered();
            await sleep(2);
            expect(isStuck).to.be.false();
        }

        now += 100;
        await until(async () => isStuck);
    });

    it('ends a call after the limit, and returns late answers', async () => {

        const watch = new Watchdog(20, () => 0);
        const late: string[] = [];
        let answer = (_text: string): void => {};
        const work = new Promise<string>((resolve) => {

            answer = resolve;
        });

        await expect(watch.run(() => work, { onHang: () => late.push('stuck'), onExpired: (text) => late.push(text) })).to.reject(/took too long/);
        answer('answer');
        await until(async () => late.length > 0);
        expect(late).to.equal(['answer']);
        expect(await watch.run(async () => 'soon', { onHang: () => late.push('stuck'), onExpired: (text) => late.push(text) })).to.equal('soon');
        await expect(watch.run(() => Promise.reject(new Error('fault')), { onHang: () => {}, onExpired: () => {} })).to.reject('fault');
    });

    it('does not fire without pending calls', async () => {

        let now = 0;
        const stuck: string[] = [];
        const watch = new Watchdog(1, () => now);
        const end = watch.start(() => stuck.push('first'));
        end();
        now = 100;
        watch.start(() => stuck.push('second'));
        now = 200;

        await until(async () => stuck.length > 0);
        expect(stuck).to.equal(['second']);
    });
});
