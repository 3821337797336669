import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { nearestName } from '../../../../lib/util/text/nearest-name.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the nearest name', () => {

    const NAMES = ['url', 'user', 'element', 'service-key', 'all', 'put', 'get'];
    const CASES: readonly (readonly [name: string, nearest: string | null])[] = [
        ['elemnt', 'element'], ['elements', 'element'], ['servicekey', 'service-key'], ['servise-keys', 'service-key'], ['ulr', 'url'], ['usre', 'user'], ['pt', 'put'],
        ['ps', null], ['xyz', null], ['frobnicate', null], ['', null]
    ];
    for (const [name, nearest] of CASES) {
        it(`of "${name}" is ${nearest ?? 'none'}`, () => {

            expect(nearestName(name, NAMES)).to.equal(nearest);
        });
    }

    it('is none among no names', () => {

        expect(nearestName('url', [])).to.be.null();
    });
});
