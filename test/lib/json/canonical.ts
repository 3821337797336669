/**
 * Canonical JSON: the same text for the same value, however it was written.
 */

import { createHash } from 'node:crypto';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { canonicalJson, hashJson } from '../../../lib/json/canonical.js';

export const lab = Lab.script();

const { describe, it } = lab;
const { expect } = Code;

const TEXTS: readonly [string, JsonValue, string][] = [
    ['properties by the code units of their names', { b: 1, a: 2, B: 3, '10': 4, '9': 5 }, '{"10":4,"9":5,"B":3,"a":2,"b":1}'],
    ['a name beyond the basic plane before one at its end', { '\uffff': 1, '\u{1f600}': 2 }, '{"\u{1f600}":2,"\uffff":1}'],
    ['arrays by the texts of their entries', [3, 20, 'b', 'a', null, true], '["a","b",20,3,null,true]'],
    ['arrays in arrays', [[2, 1], [1, 1]], '[[1,1],[1,2]]'],
    ['objects in arrays', [{ b: 1 }, { a: 2 }], '[{"a":2},{"b":1}]'],
    ['numbers as JavaScript prints them', { a: 1.0, b: 1e-6, c: 1e-7, d: 1e20, e: 1e21, f: -0, g: 0.1 },
        '{"a":1,"b":0.000001,"c":1e-7,"d":100000000000000000000,"e":1e+21,"f":0,"g":0.1}'],
    ['strings with no more escapes than needed', ['é\n"\\\u0001/'], '["é\\n\\"\\\\\\u0001/"]'],
    ['nothing at all', {}, '{}'],
    ['no entries', [], '[]'],
    ['a bare string', 'x', '"x"']
];

describe('canonical JSON', () => {

    for (const [title, value, text] of TEXTS) {
        it(`writes ${title}`, () => {

            expect(canonicalJson(value)).to.equal(text);
        });
    }

    it('does not modify its input', () => {

        const value = { list: [2, 1], b: 1, a: 2 };
        canonicalJson(value);

        expect(JSON.stringify(value)).to.equal('{"list":[2,1],"b":1,"a":2}');
    });

    it('is hashed in UTF-8', () => {

        const expected = createHash('sha256').update(Buffer.from('{"a":"é"}', 'utf8')).digest('hex');
        expect(hashJson({ a: 'é' })).to.equal(expected);
        expect(hashJson({})).to.equal('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    });
});
