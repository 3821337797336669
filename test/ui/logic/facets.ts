/** Which values of the results are offered as filters. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { isUsefulFacet, type FieldKind } from '../../../ui/src/search/fields.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MAX_BUCKETS = 50;

/** Buckets with these counts; their values have `letters` letters. */
function buckets(counts: readonly number[], letters = 5): { readonly value: string; readonly count: number }[] {

    return counts.map((count, index) => ({ value: `${index}`.padEnd(letters, 'x'), count }));
}

const ones = (length: number): number[] => Array.from({ length }, () => 1);

const CASES: readonly (readonly [title: string, kind: FieldKind, counts: readonly number[], size: number, isUseful: boolean, letters?: number])[] = [
    ['some values that divide the results', 'text', [30, 20, 10], 60, true],
    ['one value of some results', 'text', [30], 60, true],
    ['one value of all results', 'text', [60], 60, false],
    ['no value', 'text', [], 60, false],
    ['another value for each result', 'text', ones(40), 40, false],
    ['long texts, some of which are equal', 'text', [5, 4, 3, 2, 2, 2, 2], 60, false, 200],
    ['values of which nearly each is alone', 'text', [2, ...ones(45)], 500, false],
    ['each of some choices once, such as types', 'choice', ones(12), 12, true],
    ['references, each of a few objects', 'reference', [9, 8, 7, 6, 5, 4, 3, 2], 200, true]
];

describe('a facet', () => {

    for (const [title, kind, counts, size, isUseful, letters] of CASES) {
        it(`of ${title} is ${isUseful ? 'offered' : 'left out'}`, () => {

            expect(isUsefulFacet(kind, buckets(counts, letters), size, MAX_BUCKETS)).to.equal(isUseful);
        });
    }
});
