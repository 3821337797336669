import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { closeWhenIdle } from '../../../../lib/util/streams/idle-timeout.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const IDLE_MS = 30;

describe('a sequence with an idle timeout', () => {

    /** Numbers that take some time each; tells when they are closed. */
    function numbersOf(count: number, ms = 0): { sequence: AsyncGenerator<number, void, undefined>; isClosed: () => boolean } {

        let isClosed = false;
        const numbers = async function *(): AsyncGenerator<number, void, undefined> {

            try {
                for (let n = 0; n < count; ++n) {
                    await sleep(ms);
                    yield n;
                }
            }
            finally {
                isClosed = true;
            }
        };

        const sequence = closeWhenIdle(numbers(), { ms: IDLE_MS, error: () => new Error('not read') });
        return { sequence, isClosed: () => isClosed };
    }

    it('is read to its end, however long its reads take', async () => {

        const { sequence } = numbersOf(3, 2 * IDLE_MS);
        const read: number[] = [];
        for await (const number of sequence) {
            read.push(number);
        }

        expect(read).to.equal([0, 1, 2]);
    });

    it('is closed when it is not read for too long, and rejects later reads', async () => {

        const { sequence, isClosed } = numbersOf(3);
        await sequence.next();
        await until(isClosed);

        await expect(sequence.next()).to.reject('not read');
    });

    it('is closed when it is never read', async () => {

        const { sequence } = numbersOf(3);
        await sleep(3 * IDLE_MS);

        await expect(sequence.next()).to.reject('not read');
    });

    it('ends without an error when it was closed in time', async () => {

        const { sequence, isClosed } = numbersOf(3);
        await sequence.next();
        await sequence.return();
        await sleep(3 * IDLE_MS);

        expect(isClosed()).to.be.true();
        expect(await sequence.next()).to.equal({ done: true, value: undefined });
    });
});
