import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { KeyedLocks } from '../../../../lib/util/concurrency/keyed-mutex.js';
import { DoipError } from '../../../../lib/errors/errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the keyed mutex', () => {

    it('has one holder at a time, in FIFO order', async () => {

        const locks = new KeyedLocks();
        const order: number[] = [];
        let inside = 0;
        const work = (n: number) => locks.run('a', async () => {

            expect(++inside).to.equal(1);
            await new Promise((resolve) => setImmediate(resolve));
            order.push(n);
            --inside;
        }, 5000);

        await Promise.all([1, 2, 3, 4, 5].map(work));

        expect(order).to.equal([1, 2, 3, 4, 5]);
    });

    it('is independent for each key', async () => {

        const locks = new KeyedLocks();
        await locks.acquire('a', 10);

        const release = await locks.acquire('b', 10);

        release();
    });

    it('ends a wait at the deadline with a conflict, and serves the next caller later', async () => {

        const locks = new KeyedLocks();
        const release = await locks.acquire('a', 10);

        const error = await expect(locks.acquire('a', 10)).to.reject(DoipError, /a is busy/);
        release();
        const again = await locks.acquire('a', 10);

        expect(error.status).to.equal('0.DOIP/Status.105');
        again();
    });

    it('is released after work that fails', async () => {

        const locks = new KeyedLocks();

        await expect(locks.run('a', async () => {

            throw new Error('no');
        }, 10)).to.reject('no');

        expect(await locks.run('a', async () => 'yes', 10)).to.equal('yes');
    });

    it('ignores a second release', async () => {

        const locks = new KeyedLocks();
        const release = await locks.acquire('a', 10);
        const second = locks.acquire('a', 1000);
        release();
        release();
        await second;

        await expect(locks.acquire('a', 10)).to.reject(DoipError);
    });
});
