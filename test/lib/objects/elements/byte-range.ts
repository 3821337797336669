import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { resolveRange } from '../../../../lib/objects/elements/byte-range.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a byte range', () => {

    const resolved: [string, { start?: number; end?: number }, number, { start: number; end: number } | null][] = [
        ['with both ends', { start: 2, end: 4 }, 10, { start: 2, end: 4 }],
        ['without ends', {}, 10, null],
        ['without an end', { start: 2 }, 10, { start: 2, end: 9 }],
        ['of the last bytes', { end: 3 }, 10, { start: 7, end: 9 }],
        ['of more last bytes than there are', { end: 30 }, 10, { start: 0, end: 9 }],
        ['with an end beyond the size', { start: 8, end: 100 }, 10, { start: 8, end: 9 }],
        ['of the first byte', { start: 0, end: 0 }, 10, { start: 0, end: 0 }],
        ['of the last bytes of nothing', { end: 5 }, 0, null],
        ['of nothing, without ends,', {}, 0, null]
    ];
    for (const [title, wanted, size, expected] of resolved) {
        it(`${title} is resolved`, () => {

            expect(resolveRange(wanted, size)).to.equal(expected);
        });
    }

    const refused: [string, { start?: number; end?: number }, number][] = [
        ['that begins behind the last byte', { start: 10 }, 10],
        ['that ends before it begins', { start: 5, end: 4 }, 10],
        ['of the last zero bytes', { end: 0 }, 10],
        ['of nothing, from its beginning,', { start: 0 }, 0],
        ['of the first bytes of nothing', { start: 0, end: 5 }, 0]
    ];
    for (const [title, wanted, size] of refused) {
        it(`${title} cannot be satisfied, and gives the size`, () => {

            try {
                resolveRange(wanted, size);
            }
            catch (error) {
                expect((error as DoipError).http).to.equal(416);
                expect<unknown>((error as DoipError).attributes).to.equal({ size });
                return;
            }

            throw new Error('it was resolved');
        });
    }
});
