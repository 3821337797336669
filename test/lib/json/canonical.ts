/**
 * Canonical JSON: the same text for the same value, however it was written.
 */

import { createHash } from 'node:crypto';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { canonicalJson, hashJson } from '../../../lib/json/canonical.js';
import { processorTime } from '../../support/processor-time.js';
import { randomSource } from '../../support/random-json.js';

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

/** The definition, taken literally. */
function literally(value: JsonValue): string {

    if (typeof value !== 'object' || value === null) {
        return JSON.stringify(value);
    }

    return Array.isArray(value) ? `[${value.map(literally).sort().join(',')}]` :
        `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${literally(value[name] ?? null)}`).join(',')}}`;
}

/** Values whose texts are often equal for a long way, of lengths from a few characters to some thousands. */
function similarValue(random: (below: number) => number, depth: number): JsonValue {

    const kind = random(depth > 0 ? 8 : 4);
    if (kind < 4) {
        return [random(12), 'x'.repeat([1, 60, 64, 300][random(4)] ?? 0) + ['', '\n', '\uffff', '\u{1f600}'][random(4)], null, 'x'][kind] ?? null;
    }

    const children = Array.from({ length: random(8) }, () => similarValue(random, depth - 1));
    return kind < 7 ? children : Object.fromEntries(children.map((child, i) => [`${['b', 'a', '"'][random(3)]}${i}`, child]));
}

describe('canonical JSON', () => {

    for (const [title, value, text] of TEXTS) {
        it(`writes ${title}`, () => {

            expect(canonicalJson(value)).to.equal(text);
        });
    }

    it('is that of its definition for any value', () => {

        const random = randomSource(7);
        const lengths: number[] = [];
        for (let i = 0; i < 6000; ++i) {
            const value = similarValue(random, i % 9);
            const text = canonicalJson(value);
            lengths.push(text.length);

            expect(text === literally(value), JSON.stringify(value)).to.be.true();
        }

        expect(lengths.filter((length) => length > 2000).length).to.be.above(100);
    });

    const deep: [title: string, around: (value: JsonValue) => JsonValue][] = [
        ['objects', (value) => ({ n: 1, b: value })], ['arrays', (value) => [1, value]], ['lists of arrays', (value) => [[1], [value]]]
    ];
    for (const [title, around] of deep) {
        it(`of a long text deep in ${title} takes no time per level`, () => {

            let value: JsonValue = 'x'.repeat(5_000_000);
            for (let i = 0; i < 500; ++i) {
                value = around(value);
            }

            const milliseconds = processorTime();
            expect(canonicalJson(value).length).to.be.above(5_000_000);
            expect(milliseconds()).to.be.below(500);
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
