import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import { readSortFields } from '../../../../lib/search/query/search-request.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('sort fields', () => {

    const read: [string, JsonValue | undefined, [string, boolean][]][] = [
        ['nothing', undefined, []],
        ['an empty text', '', []],
        ['names', '/a,b', [['/a', false], ['b', false]]],
        ['directions in any case', '/a DESC, b asc,c\t:Desc', [['/a', true], ['b', false], ['c', true]]],
        ['blanks inside of names', 'a b  c desc', [['a b  c', true]]],
        ['a name that ends like a direction', 'adesc, xasc', [['adesc', false], ['xasc', false]]],
        ['a name that is a direction', 'desc', [['desc', false]]],
        ['a direction without a name', ':desc', []],
        ['two directions', 'a asc desc', [['a asc', true]]],
        ['a list', ['/a desc', { name: 'b', reverse: true }, { name: 'c', reverse: 'false' }], [['/a', true], ['b', true], ['c', false]]],
        ['the longest name', `${'a'.repeat(1018)} desc`, [['a'.repeat(1018), true]]]
    ];

    for (const [title, given, fields] of read) {
        it(`are read from ${title}`, () => {

            expect(readSortFields(given)).to.equal(fields.map(([field, reverse]) => ({ field, reverse })));
        });
    }

    const refused: [string, JsonValue][] = [
        ['more than twenty', 'a,'.repeat(21)], ['a number', 1], ['a name that is too long', 'a'.repeat(1025)],
        ['a long row of blanks', ['a' + ' '.repeat(10_000) + 'b']], ['an object with a name that is too long', [{ name: 'a'.repeat(1025) }]],
        ['an object without a name', [{}]], ['a direction that is none', [{ name: 'a', reverse: 1 }]]
    ];

    for (const [title, given] of refused) {
        it(`are rejected for ${title}`, () => {

            expect(() => readSortFields(given)).to.throw(DoipError);
        });
    }
});
