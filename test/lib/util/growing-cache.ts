import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { growingCache } from '../../../lib/util/cache/growing-cache.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a growing cache', () => {

    it('evicts the least recently used entry beyond its limit', () => {

        const cache = growingCache<string, number>(3);
        ['a', 'b', 'c'].forEach((key, i) => cache.set(key, i));
        cache.get('a');
        cache.set('d', 3).set('c', 9);

        expect([...cache.keys()]).to.equal(['c', 'd', 'a']);
        expect([cache.get('a'), cache.get('b'), cache.get('c')]).to.equal([0, undefined, 9]);
        expect(cache.size).to.equal(3);
    });

    it('takes memory for its entries only', () => {

        const before = process.memoryUsage().heapUsed;
        const caches = Array.from({ length: 100 }, () => growingCache<string, number>(1_000_000));

        expect(caches).to.have.length(100);
        expect(process.memoryUsage().heapUsed - before).to.be.below(10_000_000);
    });
});
