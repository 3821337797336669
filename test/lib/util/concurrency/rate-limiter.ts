import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { RateLimiter } from '../../../../lib/util/concurrency/rate-limiter.js';
import { seeded } from '../../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A limiter with a clock that the test sets, in milliseconds. */
function limiterAt(quota: number, seconds: number, maxKeys?: number): { limiter: RateLimiter; clock: { ms: number } } {

    const clock = { ms: 5_000 };
    const limiter = new RateLimiter({ quota, seconds, now: () => clock.ms, ...maxKeys === undefined ? {} : { maxKeys } });
    return { limiter, clock };
}

describe('a rate limiter', () => {

    it('gives the whole quota at once, and restores it evenly over the window', () => {

        const { limiter, clock } = limiterAt(4, 60);

        expect([1, 2, 3, 4, 5].map(() => limiter.take('a', 1))).to.equal([true, true, true, true, false]);
        expect([limiter.remaining('a'), limiter.secondsToComplete('a'), limiter.secondsUntil('a', 1)]).to.equal([0, 60, 15]);

        clock.ms += 14_999;
        expect(limiter.take('a', 1)).to.be.false();
        clock.ms += 1;
        expect([limiter.take('a', 1), limiter.take('a', 1)]).to.equal([true, false]);

        clock.ms += 1e9;
        expect([limiter.remaining('a'), limiter.secondsToComplete('a')]).to.equal([4, 0]);
    });

    it('takes nothing when it cannot take all', () => {

        const { limiter } = limiterAt(10, 60);
        limiter.take('a', 7);

        expect([limiter.take('a', 4), limiter.remaining('a'), limiter.take('a', 3), limiter.remaining('a')]).to.equal([false, 3, true, 0]);
        expect(limiter.take('b', 11)).to.be.false();
        expect(limiter.take('b', 10)).to.be.true();
    });

    it('never allows more than a naive count of what was taken and restored', () => {

        const random = seeded(4711);
        for (let round = 0; round < 50; ++round) {
            const [quota, seconds] = [random.integer(1, 1000), random.integer(1, 3600)];
            const { limiter, clock } = limiterAt(quota, seconds);
            let [left, at] = [quota, clock.ms];
            for (let step = 0; step < 200; ++step) {
                clock.ms += random.integer(0, seconds * 300);
                left = Math.min(quota, left + (clock.ms - at) * quota / (seconds * 1000));
                at = clock.ms;
                const units = random.integer(0, Math.ceil(quota / 3));
                const isTaken = limiter.take('key', units);
                // Within the rounding of fractions either is right.
                expect(isTaken === left >= units || Math.abs(left - units) < 1e-3).to.be.true();
                left -= isTaken ? units : 0;
                expect(Math.abs(limiter.remaining('key') - left)).to.be.below(1.001);
            }
        }
    });

    it('keeps a bounded number of keys: of many addresses those that come again are counted', () => {

        const { limiter } = limiterAt(3, 60, 100);
        const results: boolean[] = [];
        for (let i = 0; i < 10_000; ++i) {
            limiter.take(`address-${i}`, 1);
            if (i % 50 === 0) {
                results.push(limiter.take('again', 1));
            }
        }

        expect(results.slice(0, 3)).to.equal([true, true, true]);
        expect(results.slice(3)).to.not.include(true);
        expect([limiter.remaining('address-0'), limiter.remaining('address-9999')]).to.equal([3, 2]);
    });

    it('does not depend on the time of day', () => {

        const limiter = new RateLimiter({ quota: 1, seconds: 3600 });
        const { now } = Date;
        limiter.take('a', 1);
        try {
            for (const jump of [86_400_000, -86_400_000]) {
                Date.now = () => now() + jump;
                expect(limiter.take('a', 1)).to.be.false();
            }
        }
        finally {
            Date.now = now;
        }
    });

    it('counts bytes one by one, whatever the size of the quota', () => {

        const { limiter } = limiterAt(1024 ** 4, 3600);
        for (let i = 0; i < 1000; ++i) {
            limiter.take('a', 1);
        }

        expect(limiter.remaining('a')).to.equal(1024 ** 4 - 1000);
    });
});
