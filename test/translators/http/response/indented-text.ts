/** JSON text is indented without being parsed, as it would be written of its value. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { indented } from '../../../../translators/http/response/indented-text.js';

export const lab = Lab.script();
const { describe, it } = lab;

const VALUES: readonly unknown[] = [
    null, true, -1.5e-7, '', 'a', '"', '\\', '\\"', 'a\\\\', ',:{}[]"\\', [], {}, [[]], [{}], { a: {} }, { a: [] }, [[], {}, [[], []]], [1, [2, [3]]],
    { '': '' }, { '{"a":[1,2]}': '{"b": [3]}' }, { a: 1, b: [true, null, 'x, y: z'], c: { d: { e: [] }, f: 'g' } },
    Array.from({ length: 500 }, (_, n) => ({ n, text: '\\'.repeat(n % 5) + '"'.repeat(n % 3) }))
];

describe('the indentation of JSON text', () => {

    for (const value of VALUES) {
        const text = JSON.stringify(value);
        it(`is that of its value: ${text.slice(0, 60)}`, () => {

            expect([...indented(text)].join('')).to.equal(JSON.stringify(value, null, 2));
        });
    }
});
