import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { readQueryJson } from '../../../../lib/search/query/query-by-example.js';
import { describeQuery } from '../../../support/query-text.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MEANINGS: readonly (readonly [example: JsonValue, meaning: string])[] = [
    [{ name: 'Foo' }, '/name:foo'],
    [{ name: 'Foo Bar' }, '/name:"foo bar"~0'],
    [{ a: { 'b/c': 'x', d: true } }, '+/a/b~1c:x +/a/d:true'],
    [{ n: -2.5 }, '/n:[-2.5 TO -2.5]'],
    [{ n: null }, '/n:null'],
    [{ empty: '' }, '/empty=""'],
    [{ dots: '...' }, '/dots="..."'],
    [{ list: ['a', { x: 'b' }, ['c']] }, '+/list/_:a +/list/_/x:b +/list/_/_:c'],
    [{}, '*:*'],
    [{ a: {}, b: [] }, '*:*']
];

describe('query by example', () => {

    for (const [example, meaning] of MEANINGS) {
        it(`reads ${JSON.stringify(example)} as ${meaning}`, () => {

            expect(describeQuery(readQueryJson(example))).to.equal(meaning);
        });
    }

    for (const wrong of ['text', 5, null, ['a']]) {
        it(`rejects ${JSON.stringify(wrong)}`, () => {

            expect(() => readQueryJson(wrong)).to.throw(DoipError, 'queryJson must be a JSON object');
        });
    }

    it('rejects too great a depth, and too many leaves', () => {

        let deep: JsonValue = 'x';
        for (let depth = 0; depth < 300; ++depth) {
            deep = { a: deep };
        }

        expect(() => readQueryJson(deep)).to.throw(DoipError, /nested deeper/);
        expect(() => readQueryJson({ a: new Array<string>(5000).fill('x') })).to.throw(DoipError, /more than 4096 leaves/);
    });

    it('rejects too long values and pointers', () => {

        expect(() => readQueryJson({ a: 'x '.repeat(70_000) })).to.throw(DoipError, /queryJson is longer than 131072 characters/);
        expect(() => readQueryJson({ ['x'.repeat(10_000)]: Array.from({ length: 20 }, () => 1) })).to.throw(DoipError, /queryJson is longer than 131072 characters/);
    });
});
