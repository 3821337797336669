import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { isJsonType, isMediaType, parseMediaType } from '../../../../translators/http/headers/content-type.js';
import { formatDisposition, parseDisposition } from '../../../../translators/http/headers/content-disposition.js';
import { decodeHeader } from '../../../../lib/util/text/header-text.js';
import { header } from '../../../../translators/http/headers/decode.js';
import { answeredRange, formatContentRange, rangeAttributes } from '../../../../translators/http/headers/range.js';
import { processorTime } from '../../../support/processor-time.js';
import { parseParameters } from '../../../../translators/http/request/url.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

describe('header decoding', () => {

    it('reads valid UTF-8 as UTF-8, otherwise Latin-1', () => {

        expect(decodeHeader(Buffer.from('ü€').toString('latin1'))).to.equal('ü€');
        expect(decodeHeader('\u00fc')).to.equal('ü');
        expect(decodeHeader('plain')).to.equal('plain');
    });

    it('joins repeated headers', () => {

        expect(header({ a: ['x', 'y'] }, 'a')).to.equal('x, y');
        expect(header({}, 'a')).to.be.undefined();
    });
});

describe('the header Content-Disposition', () => {

    const written: [string, string, string | undefined, string][] = [
        ['a plain name', 'inline', 'map.png', 'inline; filename="map.png"'],
        ['no name', 'attachment', undefined, 'attachment'],
        ['an empty name', 'inline', '', 'inline'],
        ['quotes and backslashes', 'inline', 'a"b\\c', 'inline; filename="a\\"b\\\\c"'],
        ['names beyond ASCII', 'inline', 'ü€.txt', 'inline; filename="??.txt"; filename*=UTF-8\'\'%C3%BC%E2%82%AC.txt'],
        ['an emoji', 'inline', '😀', 'inline; filename="?"; filename*=UTF-8\'\'%F0%9F%98%80'],
        ['line breaks', 'inline', 'a\r\nSet-Cookie: b', 'inline; filename="a??Set-Cookie: b"; filename*=UTF-8\'\'a%0D%0ASet-Cookie%3A%20b'],
        ['what looks percent-encoded', 'inline', '100%20', 'inline; filename="100%20"; filename*=UTF-8\'\'100%2520'],
        ['the characters that RFC 5987 excludes', 'inline', 'é\'()*', 'inline; filename="?\'()*"; filename*=UTF-8\'\'%C3%A9%27%28%29%2A'],
        ['half a surrogate pair', 'inline', '\ud800', 'inline; filename="?"; filename*=UTF-8\'\'%EF%BF%BD']
    ];

    for (const [title, type, filename, expected] of written) {
        it(`is written with ${title}`, () => {

            expect(formatDisposition(type, filename)).to.equal(expected);
        });
    }

    for (const [, type, filename] of written) {
        it(`is read back for ${JSON.stringify(filename)}`, () => {

            const back = parseDisposition(formatDisposition(type, filename));
            const expected = filename === '\ud800' ? '\ufffd' : filename?.replace(/^.*\\/, '');

            expect(back).to.equal(filename ? { type, filename: expected as string } : { type });
        });
    }

    for (const type of ['', 'a b', 'inline;x', 'inline\r\nX: y', 'ü']) {
        it(`rejects ${JSON.stringify(type)} as a disposition`, () => {

            expect(() => formatDisposition(type)).to.throw(DoipError, /disposition must be a single word/);
        });
    }

    it('contains names of parts', () => {

        expect(formatDisposition('attachment', 'f', 'E"1')).to.equal('attachment; name="E\\"1"; filename="f"');
    });

    it('is parsed quickly when it is long', () => {

        const elapsed = processorTime();
        for (const text of [';a="\\'.repeat(16000), '; '.repeat(32000), ';a=\\"'.repeat(16000), '"'.repeat(64000), `x;${' '.repeat(64000)}a`,
            `;a=${' '.repeat(64000)}"`, `;a="x"${' '.repeat(64000)}x`, `;${'a'.repeat(64000)}`]) {
            parseDisposition(text);
        }

        expect(elapsed()).to.be.below(500);
    });
});

describe('the header Content-Type', () => {

    it('is parsed', () => {

        const type = parseMediaType('Multipart/Mixed;  Boundary="a b"; charset=UTF-8');

        expect(type.essence).to.equal('multipart/mixed');
        expect(Object.fromEntries(type.parameters)).to.equal({ boundary: 'a b', charset: 'UTF-8' });
        expect(parseMediaType('').essence).to.equal('');
    });

    const jsonTypes: [string, boolean][] = [
        ['application/json', true], ['application/ld+json', true], ['text/x+json', true], ['application/jsonl', false], ['', false]
    ];

    for (const [essence, expected] of jsonTypes) {
        it(`${expected ? 'is JSON' : 'is not JSON'} for ${essence || 'nothing'}`, () => {

            expect(isJsonType(essence)).to.equal(expected);
        });
    }

    const types: [string, boolean][] = [
        ['text/plain', true], ['image/svg+xml; charset=utf-8', true], ['text', false], ['text/plain\r\nX: y', false], ['a/ü', false], ['', false]
    ];

    for (const [text, expected] of types) {
        it(`${expected ? 'may be' : 'may not be'} ${JSON.stringify(text)}`, () => {

            expect(isMediaType(text)).to.equal(expected);
        });
    }
});

describe('the header Range', () => {

    const requested: [string | undefined, object | undefined][] = [
        ['bytes=0-99', { start: 0, end: 99 }],
        ['bytes=5-', { start: 5 }],
        ['bytes=-7', { end: 7 }],
        ['BYTES= 1-2 ', { start: 1, end: 2 }],
        ['bytes=9-3', { start: 9, end: 3 }],
        ['bytes=99999999999999999999-', { start: Number.MAX_SAFE_INTEGER }],
        ['bytes=-', undefined],
        ['bytes=0-1,5-6', undefined],
        ['items=0-1', undefined],
        ['bytes=a-b', undefined],
        ['bytes=0x1-2', undefined],
        ['bytes 0-1', undefined],
        ['', undefined],
        [undefined, undefined]
    ];

    for (const [text, expected] of requested) {
        it(`of ${text ?? 'no header'} is ${JSON.stringify(expected) ?? 'the whole'}`, () => {

            expect<unknown>(rangeAttributes({ range: text })).to.equal(expected === undefined ? {} : { range: expected });
        });
    }

    const CONDITIONS: [string, object][] = [
        ['"7"', { range: { start: 0, end: 1 }, ifRange: '7' }],
        [' "7" ', { range: { start: 0, end: 1 }, ifRange: '7' }],
        ['""', { range: { start: 0, end: 1 }, ifRange: '' }],
        ['W/"7"', {}],
        ['"7", "8"', {}],
        ['7', {}],
        ['', {}],
        ['Mon, 23 Nov 2026 22:00:00 GMT', {}]
    ];

    for (const [condition, expected] of CONDITIONS) {
        it(`with the condition ${condition} is ${JSON.stringify(expected)}`, () => {

            expect<unknown>(rangeAttributes({ range: 'bytes=0-1', 'if-range': condition })).to.equal(expected);
            expect<unknown>(rangeAttributes({ 'if-range': condition })).to.equal({});
        });
    }

    it('is written with the size if that is known', () => {

        expect(formatContentRange({ start: 0, end: 9, size: 20 })).to.equal('bytes 0-9/20');
        expect(formatContentRange({ start: 0, end: 9 })).to.equal('bytes 0-9/*');
    });

    it('is read from the attributes of a response', () => {

        expect(answeredRange({ start: 1, end: 2, size: 3 })).to.equal({ start: 1, end: 2, size: 3 });
        expect(answeredRange({ start: 1, end: 2 })).to.equal({ start: 1, end: 2 });
        expect(answeredRange({ start: 1 })).to.be.undefined();
        expect(answeredRange('1-2')).to.be.undefined();
        expect(answeredRange(undefined)).to.be.undefined();
    });
});

describe('the query parser', () => {

    const cases: [string, [string, string][]][] = [
        ['?a=1&b=2&a=3', [['a', '1'], ['b', '2'], ['a', '3']]],
        ['a=x+y%20z%2B&%C3%BC=%E2%82%AC', [['a', 'x y z+'], ['ü', '€']]],
        ['a&b=&=c&&d=e=f', [['a', ''], ['b', ''], ['', 'c'], ['d', 'e=f']]],
        ['__proto__=1', [['__proto__', '1']]],
        ['', []]
    ];

    for (const [text, expected] of cases) {
        it(`parses ${text || 'nothing'}`, () => {

            expect<unknown>(parseParameters(text, 10)).to.equal(expected);
        });
    }

    const refused: [string, RegExp][] = [
        ['a=%zz', /^parameter a is not percent-encoded UTF-8$/],
        ['q=100%', /^parameter q is not/],
        ['q=%ff', /^parameter q is not/],
        ['%ed%a0%80=1', /^name of a parameter is not/],
        ['a&'.repeat(11), /^the request has more than the allowed 10 parameters$/]
    ];

    for (const [text, message] of refused) {
        it(`rejects ${text.slice(0, 20)}`, () => {

            expect(() => parseParameters(text, 10)).to.throw(DoipError, message);
        });
    }
});
