import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { DoipError } from '../../../lib/errors/errors.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import { checkValuesOf, countValues } from '../../../lib/json/value-counter.js';
import type { JsonObject } from '../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MOST = 1000;

const read = (text: string): unknown => parseJson(text, { maxValues: MOST });
const array = (count: number, value: string): string => `[${Array.from({ length: count }, () => value).join(',')}]`;
const object = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"name${i}":1`).join(',')}}`;

describe('the limit of values in a JSON text', () => {

    const accepted: [string, string][] = [
        ['an array', array(MOST - 1, '1')],
        ['arrays inside each other', array((MOST - 1) / 3 | 0, '[1]')],
        ['a text with commas and brackets', `"${',[{'.repeat(MOST)}"`],
        ['a text with escaped quotes', `["${'\\",\\\\'.repeat(MOST)}"]`],
        ['an object', object(MOST / 4)],
        ['objects beside each other', `[${object(MOST / 4)},${object(MOST / 4)},[[${object(MOST / 4)}]],1]`],
        ['a name with many commas', `{"${','.repeat(3 * MOST)}":1}`],
        ['a text of quotes', `["${'\\"'.repeat(3 * MOST)}"]`],
        ['long numbers', array(25, `1.${'0'.repeat(MOST - 2)}`)]
    ];

    for (const [title, text] of accepted) {
        it(`accepts exactly that number: ${title}`, () => {

            expect<unknown>(read(text)).to.equal(JSON.parse(text));
        });
    }

    const refused: [string, string, string][] = [
        ['an array', array(MOST + 1, '1'), 'JSON holds more than the allowed 1000 values'],
        ['empty objects', array(MOST / 2 + 1, '{}'), 'JSON holds more than the allowed 1000 values'],
        ['empty arrays', array(MOST / 2 + 1, '[]'), 'JSON holds more than the allowed 1000 values'],
        ['an object', object(MOST / 4 + 1), 'JSON holds an object with more than the allowed 250 properties'],
        ['an object behind others', `[${object(1)},[${object(MOST / 4 + 1)}]]`, 'JSON holds an object with more than the allowed 250 properties'],
        ['long numbers', array(26, `1.${'0'.repeat(MOST - 2)}`), 'JSON holds numbers of more than the allowed 25000 characters together'],
        ['what is no JSON', ','.repeat(MOST + 1), 'JSON holds more than the allowed 1000 values'],
        ['what is no JSON behind', `[${'{},'.repeat(MOST)}x`, 'JSON holds more than the allowed 1000 values']
    ];

    for (const [title, text, message] of refused) {
        it(`rejects more with 413: ${title}`, () => {

            const error = expect(() => read(text)).to.throw(DoipError, message);
            expect(error.http).to.equal(413);
        });
    }

    const counted: readonly unknown[] = [
        {}, { a: [] }, { a: [{}] }, { a: [[], {}, 1, null, 'b'] }, { a: 1, b: 2, c: { d: [1, 2, 3], e: {} } }, { a: [[[[[]]]]] },
        { a: Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? {} : [n])) }, { a: ',[{'.repeat(50), '{},': 1 }
    ];

    for (const value of counted) {
        it(`is that of the value: ${JSON.stringify(value).slice(0, 60)}`, () => {

            const count = countValues(JSON.stringify(value), 1e6);

            // A single object may have a quarter as many properties.
            const wide = Math.max(count, 4 * Object.keys(value as JsonObject).length, 12);
            checkValuesOf(value as JsonObject, wide, 'it');
            expect(() => checkValuesOf(value as JsonObject, count - 1, 'it')).to.throw(DoipError);
        });
    }

    it('is that of a value for wide objects as well', () => {

        const wide = Object.fromEntries(Array.from({ length: MOST / 4 + 1 }, (_, i) => [`name${i}`, 1]));

        expect(() => checkValuesOf({ a: [wide] }, MOST, 'it')).to.throw(DoipError, 'it holds an object with more than the allowed 250 properties');
        expect(() => checkValuesOf({ a: [wide] }, Infinity, 'it')).to.not.throw();
    });

    it('does not apply to short texts, and by default', () => {

        expect(parseJson(array(100_000, '1'))).to.have.length(100_000);
        expect<unknown>(parseJson('[1,2,3]', { maxValues: 10 })).to.equal([1, 2, 3]);
    });
});
