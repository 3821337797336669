import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { KeyedLocks } from '../../../../lib/util/concurrency/keyed-mutex.js';
import { DoipError } from '../../../../lib/errors/errors.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('keyed locks', () => {

    it('let one holder in at a time, in the order of asking', async () => {

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

    it('do not let keys wait for each other', async () => {

        const locks = new KeyedLocks();
        await locks.acquire('a', 10);

        const release = await locks.acquire('b', 10);

        release();
    });

    it('end the waiting at the deadline with a conflict, and let the next one in later', async () => {

        const locks = new KeyedLocks();
        const release = await locks.acquire('a', 10);

        const error = await expect(locks.acquire('a', 10)).to.reject(DoipError, /a is busy/);
        release();
        const again = await locks.acquire('a', 10);

        expect(error.status).to.equal('0.DOIP/Status.105');
        again();
    });

    it('are free again after work that fails', async () => {

        const locks = new KeyedLocks();

        await expect(locks.run('a', async () => {

            throw new Error('no');
        }, 10)).to.reject('no');

        expect(await locks.run('a', async () => 'yes', 10)).to.equal('yes');
    });

    it('survive a release that is called twice', async () => {

        const locks = new KeyedLocks();
        const release = await locks.acquire('a', 10);
        const second = locks.acquire('a', 1000);
        release();
        release();
        await second;

        await expect(locks.acquire('a', 10)).to.reject(DoipError);
    });
});
