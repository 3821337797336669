import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { TxnIdGenerator } from '../../../lib/objects/txn-id-generator.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the generator of transaction numbers', () => {

    /** An attempt that ends when it is told to. */
    function begin(clock: TxnIdGenerator, floor = 0, isDryRun = false): { number: number; end(error?: Error): Promise<unknown> } {

        let settle: (error?: Error) => void = () => {};
        const promise = new Promise<void>((resolve, reject) => {

            settle = (error) => (error ? reject(error) : resolve());
        });
        let number = 0;
        const attempt = clock.reserve(() => {

            number = clock.next(floor);
            return promise;
        }, isDryRun).catch((error: unknown) => error);
        return {
            number,
            end: (error) => {

                settle(error);
                return attempt;
            }
        };
    }

    it('gives ascending numbers that encode the time, above existing ones', () => {

        const ahead = Date.now() * 1000 + 5_000_000;
        const clock = new TxnIdGenerator();
        const before = Date.now() * 1000;
        const numbers = [begin(clock).number, begin(clock).number, begin(clock, ahead).number, begin(clock).number];
        expect(numbers[0] ?? 0).to.be.at.least(before);
        expect(numbers).to.equal(numbers.toSorted((a, b) => a - b));
        expect(new Set(numbers).size).to.equal(4);
        expect(numbers.slice(2)).to.equal([ahead + 1, ahead + 2]);
        expect(begin(new TxnIdGenerator(ahead)).number).to.equal(ahead + 1);
    });

    it('considers numbers below the first one in progress as settled', async () => {

        const clock = new TxnIdGenerator();
        const [first, second, third] = [begin(clock), begin(clock), begin(clock)];
        expect(clock.completedUpTo).to.be.below(first.number);
        await second.end();
        expect(clock.completedUpTo).to.be.below(first.number);
        await first.end();
        expect(clock.completedUpTo).to.be.within(second.number, third.number - 1);
        await third.end();
        expect(clock.completedUpTo).to.be.at.least(third.number);
    });

    it('does not wait for dry runs, whose numbers are never stored', async () => {

        const clock = new TxnIdGenerator();
        const [dryRun, change] = [begin(clock, 0, true), begin(clock)];
        expect(change.number).to.be.above(dryRun.number);
        expect(clock.completedUpTo).to.be.within(dryRun.number, change.number - 1);
        await change.end();
        expect(clock.completedUpTo).to.be.at.least(change.number);
        await dryRun.end(new Error('refused'));
        expect(() => clock.next()).to.throw();
    });

    it('considers numbers up to now as settled when none is in progress, and does not give them out later', () => {

        const clock = new TxnIdGenerator();
        const before = Date.now() * 1000;
        const { completedUpTo: settled } = clock;
        expect(settled).to.be.at.least(before - 1);
        expect(begin(clock).number).to.be.above(settled);
        const ahead = new TxnIdGenerator(before + 60_000_000);
        expect(ahead.completedUpTo).to.equal(before + 60_000_000);
    });

    it('releases the numbers of failed writes, at once or later', async () => {

        const clock = new TxnIdGenerator();
        const error = new Error('no');
        const later = begin(clock);
        expect(await later.end(error)).to.equal(error);
        expect(clock.completedUpTo).to.be.at.least(later.number);
        await expect(clock.reserve(() => {

            throw error;
        })).to.reject('no');
        const last = begin(clock);
        expect(clock.completedUpTo).to.be.below(last.number);
        await last.end();
        expect(clock.completedUpTo).to.be.at.least(last.number);
    });

    it('gives no number below a known one, and none outside of an attempt', () => {

        const clock = new TxnIdGenerator();
        const ahead = Date.now() * 1000 + 5_000_000;
        clock.raise(ahead);
        clock.raise(1);
        expect(begin(clock).number).to.equal(ahead + 1);
        expect(() => new TxnIdGenerator().next()).to.throw('a transaction number was taken outside of an attempt');
    });
});
