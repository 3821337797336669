/** JSON in the web UI: numbers keep their text, and faults have a place. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { ExactNumber, isEqual } from '../../../ui/src/json/exact-number.js';
import { JsonSyntaxError, parseJson } from '../../../ui/src/json/parse-json.js';
import { formatPointer, parsePointer, renamed, valueAt, withMember, withoutMember, withValue } from '../../../ui/src/json/pointer.js';
import { writeJson } from '../../../ui/src/json/write-json.js';
import { randomSource, randomValue } from '../../support/random-json.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

const UNCHANGED = [
    '1.10', '-0', '1e3', '12345678901234567890', '0.1', '{"a":1.0,"b":[2.50,{"c":1E-7}]}', '""', '"\\u2028"', '[]', '{}', 'null', '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":1}}', '"\\\\\\""', '[true,false]', '{"":{"":1}}'
];

const FAULTS: readonly (readonly [text: string, fault: string, line: number, column: number])[] = [
    ['', 'end', 1, 1], ['{"a":\n 01}', 'comma', 2, 3], ['[1,]', 'value', 1, 4], ['{a:1}', 'name', 1, 2], ['{"a" 1}', 'colon', 1, 6], ['{"a":1 "b"}', 'comma', 1, 8],
    ['"a\nb"', 'string', 1, 1], ['"a\\q"', 'string', 1, 1], ['{"a":1,\n"a":2}', 'duplicate', 2, 1], ['1 2', 'rest', 1, 3], ['[1', 'end', 1, 3], ['+1', 'value', 1, 1],
    ['.5', 'value', 1, 1], ['NaN', 'value', 1, 1], ['[\'a\']', 'value', 1, 2], [`${'['.repeat(600)}`, 'depth', 1, 501]
];

describe('JSON of the web UI', () => {

    for (const text of UNCHANGED) {
        it(`is written as it was read: ${text}`, () => {

            const value = parseJson(text);

            expect(writeJson(value)).to.equal(text === '"\\u2028"' ? '"\u2028"' : text);
            expect(Object.getPrototypeOf({})).to.equal(Object.prototype);
            expect(({} as Record<string, unknown>)['x']).to.be.undefined();
        });
    }

    it('is read and written like that of JavaScript', () => {

        const random = randomSource(7);
        for (let i = 0; i < 500; ++i) {
            const text = JSON.stringify(randomValue(random, 5));

            expect(writeJson(parseJson(text))).to.equal(text);
            expect(writeJson(parseJson(text), 2)).to.equal(JSON.stringify(JSON.parse(text), null, 2));
        }
    });

    for (const [text, fault, line, column] of FAULTS) {
        it(`has a fault at line ${line}, column ${column}: ${text.slice(0, 12).replace('\n', '⏎')}`, () => {

            const error = expect(() => parseJson(text)).to.throw(JsonSyntaxError);

            expect({ fault: error.fault, line: error.line, column: error.column }).to.equal({ fault: fault as never, line, column });
        });
    }

    it('of 1 MB is read in much less than the time that a user notices', () => {

        const text = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ name: `entry ${i}`, text: 'x'.repeat(60), number: i })));
        const elapsed = processorTime();
        parseJson(text);

        expect(elapsed()).to.be.below(2000);
    });

    it('is equal by value, with the text of numbers', () => {

        expect(isEqual(parseJson('{"a":1,"b":[1.0]}'), parseJson('{"b":[1.0],"a":1}'))).to.be.true();
        expect(isEqual(parseJson('1.0'), 1)).to.be.false();
        expect(isEqual(parseJson('1.0'), new ExactNumber('1.0'))).to.be.true();
        expect(isEqual({ a: undefined as never }, {})).to.be.false();
        expect(isEqual([1], { 0: 1 })).to.be.false();
    });

    it('is changed at a pointer without a change of the former value', () => {

        const value = parseJson('{"a":{"b/c":[1,2]},"__proto__":3}');
        const path = parsePointer('/a/b~1c/1');

        expect(formatPointer(path)).to.equal('/a/b~1c/1');
        expect(valueAt(value, path) as number).to.equal(2);
        expect(writeJson(withValue(value, parsePointer('/a/__proto__/polluted'), 5))).to.equal('{"a":{"b/c":[1,2],"__proto__":{"polluted":5}},"__proto__":3}');
        expect('polluted' in {}).to.be.false();
        expect(writeJson(withMember(value, '__proto__', 4))).to.equal('{"a":{"b/c":[1,2]},"__proto__":4}');
        expect(writeJson(withoutMember(value, '__proto__'))).to.equal('{"a":{"b/c":[1,2]}}');
        expect(writeJson(renamed({ a: 1, b: 2, c: 3 }, 'b', 'x'))).to.equal('{"a":1,"x":2,"c":3}');
        expect(valueAt(value, ['toString']) as undefined).to.be.undefined();
        expect(valueAt([1], ['00']) as undefined).to.be.undefined();
        expect(writeJson(value)).to.equal('{"a":{"b/c":[1,2]},"__proto__":3}');
    });
});
