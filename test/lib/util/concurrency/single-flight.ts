import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { SingleFlight } from '../../../../lib/util/concurrency/single-flight.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Work whose calls end one by one. */
function counted() {

    const ends: ((error?: Error) => void)[] = [];
    const work = () => new Promise<number>((resolve, reject) => {

        const number = ends.length + 1;
        ends.push((error) => (error ? reject(error) : resolve(number)));
    });
    return { work, ends };
}

describe('single flight', () => {

    it('gives concurrent equal calls one result, and later ones another', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();

        const together = Promise.all([flight.run(work), flight.run(work)]);
        ends[0]?.();
        expect(await together).to.equal([1, 1]);
        const later = flight.run(work);
        ends[1]?.();

        expect(await later).to.equal(2);
        expect(flight.isRunning()).to.be.false();
    });

    it('gives each of them the error, and runs the next call again', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();

        const together = [flight.run(work), flight.run(work)];
        ends[0]?.(new Error('no'));
        const outcomes = await Promise.allSettled(together);
        const later = flight.run(work);
        ends[1]?.();

        expect(outcomes.map(({ status }) => status)).to.equal(['rejected', 'rejected']);
        expect(await later).to.equal(2);
    });

    it('keeps keys apart', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();

        const both = Promise.all([flight.run(work, 'a'), flight.run(work, 'b')]);
        ends.forEach((end) => end());

        expect(await both).to.equal([1, 2]);
    });

    it('does not share calls of an earlier epoch', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();

        const all = [flight.run(work, 'a', 1), flight.run(work, 'a', 2), flight.run(work, 'a', 1)];
        ends[0]?.();
        await all[0];
        const last = flight.run(work, 'a', 2);
        ends[1]?.();

        expect(await Promise.all([...all, last])).to.equal([1, 2, 2, 2]);
    });

    it('shares only calls that began later when fresh results are requested', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();

        const first = flight.runFresh(work);
        const others = Promise.all([flight.runFresh(work), flight.runFresh(work)]);
        expect(ends).to.have.length(1);
        ends[0]?.(new Error('no'));
        await expect(first).to.reject('no');
        await new Promise((resolve) => setImmediate(resolve));
        expect(ends).to.have.length(2);
        ends[1]?.();

        expect(await others).to.equal([2, 2]);
    });

    it('can be awaited, with any outcome', async () => {

        const flight = new SingleFlight<number>();
        const { work, ends } = counted();
        await flight.whenIdle();

        const failed = expect(flight.run(work)).to.reject('no');
        const idle = flight.whenIdle();
        ends[0]?.(new Error('no'));

        await idle;
        await failed;
    });
});
