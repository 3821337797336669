import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { hasNumberTexts, restoreNumberTexts, searchableTexts, SentNumber } from '../../../lib/json/exact-numbers.js';
import { removeAt, requireAt, setAt } from '../../../lib/json/pointer.js';
import { prune } from '../../../lib/json/filter.js';
import { parseJson } from '../../../lib/json/strict-parser.js';
import { readStored, writeJson, writeStored } from '../../../lib/json/serializer.js';
import { processorTime } from '../../support/processor-time.js';
import { randomSource, randomValue } from '../../support/random-json.js';
import { seeded } from '../../support/random.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const MIB = 1024 * 1024;

/** Numbers that JavaScript would write otherwise. */
const SENT = [
    '123456789.123456789', '9007199254740993', '1.0', '-0', '-0.0', '1E-7', '1e5', '1.10', '4.9e-324', '1795353533548123457', '0.0000001',
    '100000000000000000000000', '1e21', '3.14159265358979323846', '-1e-400', '0e9', '0.00', `0.${'3'.repeat(990)}`
];

const parsed = (text: string): JsonObject => parseJson(text) as JsonObject;

describe('numbers in JSON', () => {

    for (const number of SENT) {
        it(`keep the text ${number.slice(0, 40)} in objects and arrays`, () => {

            const text = `{"a":${number},"b":[{"c":1},[2,${number}],"${number}"],"d":{"x\\"y":{"e":${number}}},"f":1.5}`;

            expect(writeJson(parsed(text))).to.equal(text);
            expect(writeJson(readStored(writeStored(parsed(text))))).to.equal(text);
            expect<unknown>((parsed(text)['d'] as { 'x"y': JsonObject })['x"y']['e']).to.equal(Number(number));
        });
    }

    const plain = ['1', '-1', '0', '0.1', '-0.5', '1.5e-7', '1e+21', '123456789012345', '9007199254740991', '0.000001', '5e-324', '10.0000001', '-1e-7'];

    it('have no stored text when JavaScript writes them identically', () => {

        for (const number of plain) {
            expect(hasNumberTexts(parseJson(`{"a":[${number}]}`)), number).to.be.false();
            expect(writeStored(parseJson(`{"a":[${number}]}`))).to.equal(`{"a":[${number}]}`);
        }
    });

    for (const [sent, texts] of [
        ['5', ['5']], ['5.0', ['5', '5.0']], ['1.10', ['1.1', '1.10']], ['1E-7', ['1e-7', '1E-7']], ['9007199254740991.0', ['9007199254740991', '9007199254740991.0']],
        ['9007199254740993', ['9007199254740993']], ['-9007199254740993.0', ['-9007199254740993.0']], ['9007199254740992.0', ['9007199254740992', '9007199254740992.0']],
        ['9007199254740993e0', ['9007199254740992', '9007199254740993e0']], ['1000000000000000000000', ['1000000000000000000000']], ['1e+16', ['10000000000000000', '1e+16']],
        ['1e21', ['1e+21', '1e21']], ['1e+21', ['1e+21']]
    ] as const) {
        it(`are found by ${texts.join(' and ')} when ${sent} was sent`, () => {

            expect(searchableTexts(Number(sent), sent === String(Number(sent)) ? undefined : sent)).to.equal([...texts]);
        });
    }

    it('are indented as by JSON.stringify', () => {

        const text = '{"a":[1.0,{"b":[]},{}],"c":{"d":"x"}}';

        expect(writeJson(parseJson(text), 2)).to.equal(JSON.stringify(JSON.parse(text), null, 2).replace('1,', '1.0,'));
    });

    it('are the only difference to what JSON.stringify writes, indented or not', () => {

        const random = randomSource(3);
        for (let i = 0; i < 500; ++i) {
            const value = randomValue(random, i % 6);
            for (const indent of [0, 2]) {
                const text = JSON.stringify([value, { skipped: undefined, date: new Date(0), n: 77.125 }], null, indent);
                const sent = [value, { skipped: undefined, date: new Date(0), n: new SentNumber('77.1250') }];

                expect(writeJson(sent, indent)).to.equal(text.replace('77.125', '77.1250'));
            }
        }
    });

    it('deep in objects and arrays around a long text are written in no time per level', () => {

        let value: JsonValue = 'x'.repeat(5_000_000);
        for (let i = 0; i < 250; ++i) {
            value = { ...parsed('{"n":1.10}'), b: [value] };
        }

        const milliseconds = processorTime();
        expect(writeJson(value).length).to.be.above(5_000_000);
        expect(milliseconds()).to.be.below(500);
    });

    it('follow escaped names, and strings with quotes and brackets', () => {

        const text = '{"a\\"]":[1.0],"\\\\":"\\\\\\"{[1.0","\\u0061":[["]\\"",2.0],{"":3.0}]}';

        expect(writeJson(parseJson(text))).to.equal(text.replace('\\u0061', 'a'));
    });

    it('are written as by JavaScript after they have changed', () => {

        const value = parsed('{"a":1.10,"b":2.0}');

        expect(writeJson({ ...value, a: 7 })).to.equal('{"a":7,"b":2.0}');
        expect(writeJson({ ...value, a: '1.10' })).to.equal('{"a":"1.10","b":2.0}');
    });

    it('keep their text when a pointer sets or removes another value', () => {

        const value = parsed('{"a":{"list":[1.0,2.0,3.0],"x":1.10},"b":1.0}');

        expect(writeJson(setAt(value, '/a/list/1', 5))).to.equal('{"a":{"list":[1.0,5,3.0],"x":1.10},"b":1.0}');
        expect(writeJson(setAt(value, '/a/list/1', 2))).to.equal('{"a":{"list":[1.0,2,3.0],"x":1.10},"b":1.0}');
        expect(writeJson(setAt(value, '/a/list/-', 4, '4.00'))).to.equal('{"a":{"list":[1.0,2.0,3.0,4.00],"x":1.10},"b":1.0}');
        expect(writeJson(setAt(value, '/a/x', 1.1))).to.equal('{"a":{"list":[1.0,2.0,3.0],"x":1.1},"b":1.0}');
        expect(writeJson(removeAt(value, '/a/list/0'))).to.equal('{"a":{"list":[2.0,3.0],"x":1.10},"b":1.0}');
        expect(writeJson(removeAt(value, '/a/x'))).to.equal('{"a":{"list":[1.0,2.0,3.0]},"b":1.0}');
        expect(writeJson(value)).to.equal('{"a":{"list":[1.0,2.0,3.0],"x":1.10},"b":1.0}');
    });

    it('keep their text in the result of a pointer or filter', () => {

        const value = parsed('{"a":[{"n":1.0},{"n":2.0,"m":5}],"l":[1.0,2.0,3.0],"b":1E2}');

        expect(writeJson(requireAt(value, '/b'))).to.equal('1E2');
        expect(JSON.stringify(requireAt(value, '/b'))).to.equal('100');
        expect(writeJson(requireAt(value, '/l'))).to.equal('[1.0,2.0,3.0]');
        expect(writeJson(prune(value, ['/a/_/n', '/l/1', '/b']))).to.equal('{"a":[{"n":1.0},{"n":2.0}],"l":[2.0],"b":1E2}');
    });

    it('get their text back after code has processed them', () => {

        const before = parsed('{"a":1.10,"b":[-0,{"c":1.0}],"d":3.0,"e":[1.0]}');
        const after = parsed('{"b":[0,{"c":1,"x":1}],"a":1.1,"d":4,"e":{"0":1}}');

        expect(writeJson(restoreNumberTexts(before, after))).to.equal('{"b":[-0,{"c":1.0,"x":1}],"a":1.10,"d":4,"e":{"0":1}}');
    });

    it('are returned as sent, in values of any shape', () => {

        const random = seeded(11);
        const make = (depth: number): string => {

            const kind = random.integer(0, depth > 5 ? 2 : 4);
            if (kind < 3) {
                return [random.pick(SENT), random.pick(plain), '"a\\"[{,1.0"'][kind] as string;
            }

            const inner = Array.from({ length: random.integer(0, 5) }, (_, i) => `${kind === 3 ? '' : `"k${i}\\\\\\"":`}${make(depth + 1)}`);
            return kind === 3 ? `[${inner.join()}]` : `{${inner.join()}}`;
        };

        for (let i = 0; i < 300; ++i) {
            const text = `{"root":${make(0)}}`;
            expect(writeJson(parseJson(text))).to.equal(text);
            expect(writeJson(parseJson(text.replaceAll(':', ' :\n ')))).to.equal(text);
            expect(JSON.stringify(parseJson(text))).to.equal(JSON.stringify(JSON.parse(text)));
        }
    });

    for (const [title, numbers] of [['one', '"a":1234567890123456789'], ['several', '"a":1234567890123456789,"b":1.00000000000000000']] as const) {
        it(`do not keep the whole text in memory: ${title} of them`, () => {

            setFlagsFromString('--expose-gc');
            const collect = runInNewContext('gc') as () => void;
            collect();
            const before = process.memoryUsage().heapUsed;
            const kept = Array.from({ length: 8 }, () => parsed(`{${numbers}}${' '.repeat(2 * MIB)}`));
            collect();
            const grown = process.memoryUsage().heapUsed - before;

            expect(kept.length).to.equal(8);
            expect(grown).to.be.below(4 * MIB);
        });
    }
});
