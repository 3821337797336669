import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { DoipError } from '../../../../lib/errors/errors.js';
import { retryOnConflict } from '../../../../lib/util/concurrency/retry-on-conflict.js';

export const lab = Lab.script();
const { describe, it } = lab;

const message = 'object test/1 is being changed by others, try again';

/** Loses so many races. */
function losing(times: number) {

    let attempts = 0;
    return () => Promise.resolve(attempts++ < times ? null : attempts);
}

describe('retry on conflict', () => {

    it('repeats an attempt until it has a result', async () => {

        expect(await retryOnConflict(losing(3), { deadline: performance.now() + 10_000, message })).to.equal(4);
    });

    it('tries once when there is no time left', async () => {

        expect(await retryOnConflict(losing(0), { deadline: 0, message })).to.equal(1);
        const error = await expect(retryOnConflict(losing(1), { deadline: 0, message })).to.reject(DoipError, message);
        expect(error.status).to.equal('0.DOIP/Status.105');
    });

    it('ends after a number of attempts', async () => {

        const options = { deadline: Infinity, maxAttempts: 3, message };

        expect(await retryOnConflict(losing(2), options)).to.equal(3);
        await expect(retryOnConflict(losing(3), options)).to.reject(DoipError, message);
    });

    it('does not repeat a failed attempt', async () => {

        let attempts = 0;

        await expect(retryOnConflict(async () => {

            ++attempts;
            throw new Error('no');
        }, { deadline: Infinity, message })).to.reject('no');
        expect(attempts).to.equal(1);
    });
});
