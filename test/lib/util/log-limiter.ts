import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { LogLimiter } from '../../../lib/util/log-limiter.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a log limiter', () => {

    it('passes a burst of lines, and counts the dropped ones', () => {

        const limiter = new LogLimiter({ burst: 2 });

        expect([limiter.pass(), limiter.pass(), limiter.pass(), limiter.pass()]).to.equal([0, 0, null, null]);
        expect(limiter.drain()).to.equal([['', 2]]);
        expect(limiter.drain()).to.equal([]);
    });

    it('passes further lines with time, with the number of those dropped before', async () => {

        const limiter = new LogLimiter({ burst: 1, perSecond: 50 });
        const passed: (number | null)[] = [limiter.pass(), limiter.pass(), limiter.pass()];

        await until(() => {

            passed.push(limiter.pass());
            return passed.at(-1) !== null;
        });

        expect(passed.slice(0, 3)).to.equal([0, null, null]);
        expect(passed.at(-1)).to.equal(passed.length - 2);
    });

    it('counts by key, and keys beyond the maximum together', () => {

        const limiter = new LogLimiter({ burst: 1, maxKeys: 2 });

        expect(['a', 'b', 'c', 'a', 'd', 'c'].map((key) => limiter.pass(key))).to.equal([0, 0, null, null, null, null]);
        expect(limiter.drain()).to.equal([['a', 1], ['', 3]]);
    });

    it('only counts without a burst', () => {

        const limiter = new LogLimiter({ burst: 0, perSecond: 1000 });

        expect(['a', 'b', 'a'].map((key) => limiter.pass(key))).to.equal([null, null, null]);
        expect(limiter.drain()).to.equal([['a', 2], ['b', 1]]);
    });
});
