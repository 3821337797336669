/** Which entity tags are of the same version: the service and proxies mark those of compressed bodies. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { isSameVersion } from '../../../ui/src/api/entity-tag.js';

export const lab = Lab.script();
const { describe, it } = lab;

const PAIRS: readonly (readonly [one: string | null, other: string | null, isSame: boolean])[] = [
    ['"7"', '"7"', true], ['"7-gzip"', '"7"', true], ['"7"', 'W/"7"', true], ['W/"7-br"', '"7-deflate"', true], ['"7-zstd"', '"7-gzip"', true], [null, null, true],
    ['"7"', '"8"', false], ['"7-gzip"', '"8-gzip"', false], ['"7"', null, false], [null, '"7"', false], ['"7-gzip-7"', '"7"', false], ['"7"', '"17"', false]
];

describe('entity tags', () => {

    for (const [one, other, isSame] of PAIRS) {
        it(`${one} and ${other} are of ${isSame ? 'the same version' : 'different versions'}`, () => {

            expect(isSameVersion(one, other)).to.equal(isSame);
        });
    }
});
