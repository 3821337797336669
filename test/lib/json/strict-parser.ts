import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonValue } from '../../../lib/util/json-types.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { SentNumber } from '../../../lib/json/exact-numbers.js';
import { decodeUtf8, parseJson, parseJsonOrText, parseLenientJson } from '../../../lib/json/strict-parser.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

function errorOf(action: () => unknown): DoipError {

    const error = expect(action).to.throw(DoipError);
    expect(error.status).to.equal('0.DOIP/Status.101');
    return error;
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('parseJson', () => {

    const accepted: [string, string, JsonValue][] = [
        ['an object', '{"a":{"b":[1,"x",null,true]},"c":"d:e"}', { a: { b: [1, 'x', null, true] }, c: 'd:e' }],
        ['a scalar', ' "x" ', 'x'],
        ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
        ['a number written with a fraction of zeros', '1.0', 1],
        ['a number with many zeros', '100000000000000000000000', 1e23],
        ['the smallest and the largest number', '[5e-324,1.7976931348623157e+308]', [5e-324, 1.7976931348623157e308]],
        ['zero with an absurd exponent', '0e99999', 0],
        ['an integer beyond 2^53', '9007199254740993', 9007199254740992],
        ['a number too small for a double', '-1e-400', -0],
        ['an absurdly small exponent', '1e-99999999999999999999999', 0],
        ['an integer of sixteen digits that a double holds', '9007199254740991', 9007199254740991],
        ['a fraction of sixteen digits that a double holds', '0.1234567890123456', 0.1234567890123456],
        ['surrogates in capitals', '"\\uD83D\\ude00\\uDBFF\\uDfFf\\u00FE"', '😀\u{10ffff}þ'],
        ['surrogates in pairs', '"\\ud83d\\uDE00 😀"', '😀 😀'],
        ['escaped backslashes before a u', '"\\\\ud800"', '\\ud800'],
        ['quotes, braces and colons inside strings', '{"a\\"{:":"[{:\\\\"}', { 'a"{:': '[{:\\' }],
        ['the property names constructor and prototype on their own', '{"constructor":"Esso","prototype":{}}',
            { constructor: 'Esso', prototype: {} }],
        ['equal names in different objects', '[{"a":1},{"a":1,"b":{"a":1}}]', [{ a: 1 }, { a: 1, b: { a: 1 } }]],
        ['nesting up to the limit', nested(128), JSON.parse(nested(128)) as JsonValue]
    ];

    for (const [title, text, value] of accepted) {
        it(`reads ${title}`, () => {

            expect<unknown>(parseJson(text)).to.equal(value);
            expect<unknown>(parseJson(Buffer.from(text))).to.equal(value);
        });
    }

    const changed: [string, string, string, RegExp][] = [
        ['a number beyond any double', '{"x/y":1e400}', '/x~1y', /number 1e400 is beyond the range/],
        ['a negative number beyond any double', '[-1e309]', '/0', /number -1e309 is beyond the range/],
        ['an absurd exponent', '1e99999999999999999999999', '', /beyond the range/],
        ['a number of a million digits', '9'.repeat(1_000_000), '', /number 9{60}… has more than 1000 characters/],
        ['a fraction of a thousand digits', `{"a":0.${'3'.repeat(999)}}`, '/a', /more than 1000 characters/],
        ['a repeated property', '{"a":{"b":1,"c":2,"b":3}}', '/a/b', /more than once/],
        ['a repeated property in another spelling', '{"a":1,"\\u0061":2}', '/a', /more than once/],
        ['a property __proto__', '{"a":{"__proto__":{"x":1}}}', '/a/__proto__', /not allowed/],
        ['a property __proto__ in another spelling', '{"\\u005f_proto__":1}', '/__proto__', /not allowed/],
        ['a property __proto__ that is repeated', '{"__proto__":1,"__proto__":1}', '/__proto__', /not allowed/],
        ['the prototype of a constructor', '{"constructor":{"prototype":{"x":1}}}', '/constructor', /not allowed/],
        ['a lone high surrogate', '["\\ud800"]', '/0', /surrogate/],
        ['a lone low surrogate', '{"a":"x\\uDC00"}', '/a', /surrogate/],
        ['a high surrogate before another escape', '"\\ud83d\\u0041"', '', /surrogate/],
        ['a high surrogate before half of an escape', '"\\ud83d\\\\ude00"', '', /surrogate/],
        ['a high surrogate before an escape with another letter', '["\\ud83d\\ude0g"]', '/0', /surrogate/],
        ['a low surrogate after a pair', '"\\ud83d\\ude00\\ude00"', '', /surrogate/],
        ['two high surrogates', '"\\ud800\\ud800"', '', /surrogate/],
        ['a lone surrogate in a property name', '{"a":{"\\ud800":1}}', '/a', /surrogate/],
        ['a fault at the end of a long path', `{"${'k'.repeat(300)}":1e400}`, '/' + 'k'.repeat(199) + '…', /beyond the range/],
        ['nesting beyond the limit', nested(129), '/0'.repeat(128).slice(0, 200) + '…', /deeper than the allowed 128 levels/]
    ];

    for (const [title, text, pointer, message] of changed) {
        it(`rejects ${title} and says where`, () => {

            const error = errorOf(() => parseJson(text));

            expect(error.message).to.match(message);
            expect(error.details['errors']).to.be.an.array();
            expect((error.details['errors'] as { pointer: string }[])[0]?.pointer).to.equal(pointer);
            expect(error.message.length).to.be.below(600);
        });
    }

    const malformed: [string, string, number, number][] = [
        ['nothing', '', 1, 1],
        ['blanks', ' \n ', 2, 2],
        ['an open object', '{"a":1', 1, 7],
        ['a missing comma', '{"a":1\n "b":2}', 2, 2],
        ['a trailing comma', '[1,\n2,\n]', 3, 1],
        ['a word after empty lines', '[\n\n\n 1,\n\n2\n\n\n  x', 9, 3],
        ['a line feed inside a string after empty lines', '\n\n["a\n\n', 3, 4],
        ['single quotes', '{\'a\':1}', 1, 2],
        ['text behind the end', '{} x', 1, 4],
        ['a leading zero', '[01]', 1, 3],
        ['a lone minus', '[-]', 1, 2],
        ['an unknown word', '[undefined]', 1, 2],
        ['an unknown escape', '"\\x41"', 1, 2],
        ['half an escape', '"\\u12"', 1, 2],
        ['an escape with another letter', '"\\u12g4"', 1, 2],
        ['an open string', '["abc', 1, 2],
        ['a control character', '"a\nb"', 1, 3],
        ['an unquoted name', '{a:1}', 1, 2],
        ['a missing colon', '{"a" 1}', 1, 6],
        ['two dots', '1.2.3', 1, 4],
        ['a closing bracket too many', '[]]', 1, 3],
        ['brackets that do not match', '[}', 1, 2]
    ];

    for (const [title, text, line, column] of malformed) {
        it(`rejects ${title} with line and column`, () => {

            const error = errorOf(() => parseJson(text));

            expect(error.message).to.startWith(`JSON is malformed at line ${line}, column ${column}: `);
            expect<unknown>(error.details).to.equal({ line, column });
        });
    }

    it('rejects a lone surrogate that is not escaped', () => {

        expect(errorOf(() => parseJson('{"a":"\ud800"}')).message).to.match(/^\/a: string contains an unpaired surrogate/);
    });

    it('rejects bytes that are not UTF-8', () => {

        expect(errorOf(() => parseJson(Buffer.from('"\xfc"', 'latin1'), { name: 'the body' })).message)
            .to.equal('the body is not valid UTF-8');
    });

    it('accepts the greatest depth that can be configured', () => {

        const deep = (inner: string): string => '{"a":['.repeat(1000) + inner + ']}'.repeat(1000);

        expect(JSON.stringify(parseJson(deep('1'), { maxDepth: 2000 }))).to.equal(deep('1'));
        expect(errorOf(() => parseJson(deep('1e400'), { maxDepth: 2000 })).message).to.match(/: number 1e400/);
        expect(errorOf(() => parseJson(deep('x'), { maxDepth: 2000 })).message).to.match(/column 6001/);
    });

    it('applies another depth limit', () => {

        expect<unknown>(parseJson('[[]]', { maxDepth: 2 })).to.equal([[]]);
        expect(errorOf(() => parseJson('[[{}]]', { maxDepth: 2 })).message).to.match(/deeper than the allowed 2 levels/);
    });

    it('agrees with JSON.parse on random values', () => {

        let seed = 7;
        const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
        const make = (depth: number): JsonValue => {

            switch (random(depth > 4 ? 5 : 7)) {
                case 0: return null;
                case 1: return random(2) === 0;
                case 2: return (random(2) ? -1 : 1) * random(1e9) * 10 ** (random(40) - 20);
                case 3: return random(1e9);
                case 4: return ['', 'a"\\b', 'é😀\u0007\u2028', 'x'.repeat(random(30))][random(4)] as string;
                case 5: return Array.from({ length: random(5) }, () => make(depth + 1));
                default: return Object.fromEntries(Array.from({ length: random(5) }, (_, i) => [`k${i}"`, make(depth + 1)]));
            }
        };

        for (let i = 0; i < 500; ++i) {
            const value = make(0);
            const text = JSON.stringify(value, null, random(3));
            expect<unknown>(parseJson(text)).to.equal(JSON.parse(text));
        }
    });

    it('responds at once to hostile input of a megabyte', () => {

        const bodies = [nested(500_000), '"' + '\\'.repeat(1e6), '{"a":'.repeat(200_000), '-'.repeat(1e6), '1' + '0'.repeat(1e6),
            '[' + '1e1,'.repeat(250_000) + '1]', '"' + '\\ud83d\\ude00'.repeat(80_000) + '"', '[' + '\n'.repeat(1e6)];
        const elapsed = processorTime();

        for (const body of bodies) {
            try {
                parseJson(body);
            }
            catch (error) {
                expect(error).to.be.instanceof(DoipError);
            }
        }

        expect(elapsed()).to.be.below(3000);
    });

    it('shows the beginning of a long property name', () => {

        const elapsed = processorTime();

        const error = errorOf(() => parseJson(`{"${'~'.repeat(24_000_000)}":1e400}`));

        expect((error.details['errors'] as { pointer: string }[])[0]?.pointer).to.equal(`/${'~0'.repeat(99)}~…`);
        expect(elapsed()).to.be.below(1500);
    });
});

describe('parseLenientJson', () => {

    const accepted: [string, string, JsonValue][] = [
        ['strict JSON', '["/id"]', ['/id']],
        ['a Python list', '[\'/id\', \'/name\']', ['/id', '/name']],
        ['a Python dictionary', '{\'a\': True, \'b\': [False, None]}', { a: true, b: [false, null] }],
        ['words of Python on their own only', '[True,None,False,\'True\',"None",\'a\',True]', [true, null, false, 'True', 'None', 'a', true]],
        ['both kinds of quotes', '["it\'s", \'say "x"\']', ['it\'s', 'say "x"']],
        ['quotes of either kind at the beginning and the end of others', '[\'"a"\', \'\\\'a\\\'\', \'\\"\', \'\\\\\', \'\\x4a\\x4A\\n\']',
            ['"a"', '\'a\'', '"', '\\', 'JJ\n']],
        ['escapes of Python', '[\'a\\\'b\', \'\\xe9\', \'True\', \'\\\\\']', ['a\'b', 'é', 'True', '\\']]
    ];

    for (const [title, text, value] of accepted) {
        it(`reads ${title}`, () => {

            expect<unknown>(parseLenientJson(text)).to.equal(value);
        });
    }

    const refused = ['[\'a', '[\'a\', Truex]', '[\'a\', xNone]', '[\'a\', NoneTrue]', '[\'a\', Tru]', '{\'a\': 1, \'a\': 2', '[julia]', '', '[\'a\' \'b\']'];

    for (const text of refused) {
        it(`rejects ${text || 'nothing'} with the error in the text as sent`, () => {

            expect(errorOf(() => parseLenientJson(text, { name: 'parameter filter' })).message)
                .to.startWith('parameter filter is malformed at line 1, column');
        });
    }

    it('converts the notation of Python in texts of at most 64 KB', () => {

        const list = (length: number): string => `['${'x'.repeat(length - 4)}']`;

        expect((parseLenientJson(list(65_536)) as string[])[0]).to.have.length(65_532);
        expect(errorOf(() => parseLenientJson(list(65_537))).message).to.startWith('JSON is malformed at line 1, column 2: ');
        expect((parseLenientJson(`["${'it\'s'.repeat(20_000)}"]`) as string[])[0]).to.have.length(80_000);
    });

    it('is strict about values', () => {

        expect(errorOf(() => parseLenientJson('{"a":1,"a":"it\'s"}')).message).to.match(/^\/a: property occurs/);
    });
});

describe('parseJsonOrText', () => {

    const cases: [string, JsonValue][] = [
        ['true', true], ['10', 10], ['20.5', 20.5], ['1e400', '1e400'], ['["a"]', ['a']], ['{"a":1}', { a: 1 }], ['"x"', 'x'], ['null', null],
        ['', ''], ['foo', 'foo'], ['True', 'True'], ['007', '007'], ['[a TO b]', '[a TO b]'], ['-x', '-x'], ['nullable', 'nullable'],
        ['2024-01-01', '2024-01-01'], ['"a" AND "b"', '"a" AND "b"'],
        ['\'x\'', '\'x\''], [' 5 ', 5]
    ];

    for (const [text, value] of cases) {
        it(`reads ${text || 'the empty text'} as ${JSON.stringify(value)}`, () => {

            expect<unknown>(parseJsonOrText(text)).to.equal(value);
        });
    }

    for (const [text, isExact] of [
        ['1.0', true], ['1e3', true], ['-0', true], ['20.5000', true], ['-1.50E+1', true], ['0.00', true], ['1000000000000000000000000', true], ['1.0e-7', true],
        ['12345678901234567890', false], ['9007199254740993', false], ['0.1000000000000000055', false], ['4.9e-324', false], ['1e-400', false]
    ] as const) {
        it(`keeps the text of ${text}, of which ${isExact ? 'the value' : 'not even the value'} is that of a double`, () => {

            const number = parseJsonOrText(` ${text} `) as unknown as SentNumber;

            expect([number.toString(), number.isExact]).to.equal([text, isExact]);
            expect(number.toJSON()).to.equal(Number(text));
        });
    }

    it('rejects values that would be altered inside of arrays and objects', () => {

        errorOf(() => parseJsonOrText('[1e400]'));
        errorOf(() => parseJsonOrText('{"__proto__":1}'));
    });
});

describe('decodeUtf8', () => {

    it('accepts any view of bytes', () => {

        const bytes = Buffer.from('xüx');

        expect(decodeUtf8(new Uint8Array(bytes.buffer, bytes.byteOffset + 1, 2))).to.equal('ü');
        expect(decodeUtf8(bytes)).to.equal('xüx');
    });
});
