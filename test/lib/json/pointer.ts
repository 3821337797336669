import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import {
    childPointer, escapeSegment, formatPointer, getAt, parsePointer, removeAt, requireAt, setAt
} from '../../../lib/json/pointer.js';
import { pointersOf, randomSource, randomValue } from '../../support/random-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

const BOOK: JsonObject = {
    title: 'Atlas',
    'a/b': 1,
    'm~n': 2,
    '': 3,
    authors: [{ name: 'Ann', born: 1950 }, { name: 'Bob' }, 'anonymous'],
    nothing: null,
    nested: { deep: { deeper: [[1, 2], [3, 4]] } }
};

describe('JSON pointers', () => {

    describe('as text', () => {

        const cases: [string, string, string[]][] = [
            ['the empty text is the root', '', []],
            ['a slash alone is the member with the empty name', '/', ['']],
            ['names are split at slashes', '/a/b/0', ['a', 'b', '0']],
            ['escapes are undone', '/a~1b/m~0n/~01', ['a/b', 'm~n', '~1']],
            ['blanks and percent signs are plain characters', '/a b/%2F', ['a b', '%2F']]
        ];
        for (const [title, text, segments] of cases) {
            it(`read and write: ${title}`, () => {

                expect(parsePointer(text)).to.equal(segments);
                expect(formatPointer(segments)).to.equal(text);
            });
        }

        for (const text of ['a', 'a/b', '/~', '/~2', '/a~', '#/a', '/a'.repeat(1001)]) {
            it(`reject ${text.slice(0, 20)}`, () => {

                expect(() => parsePointer(text)).to.throw(/^Invalid JSON Pointer/);
            });
        }

        it('name the rejected pointer, shortened if necessary', () => {

            expect(() => parsePointer('name')).to.throw('Invalid JSON Pointer name');
            expect(() => getAt({}, 'x'.repeat(100_000))).to.throw(`Invalid JSON Pointer ${'x'.repeat(200)}…`);
        });

        it('give the pointer of a child', () => {

            expect(childPointer('', 'a/b')).to.equal('/a~1b');
            expect(childPointer('/list', 3)).to.equal('/list/3');
            expect(escapeSegment('plain')).to.equal('plain');
        });
    });

    describe('for reading', () => {

        const cases: [string, JsonValue | undefined][] = [
            ['', BOOK],
            ['/title', 'Atlas'],
            ['/a~1b', 1],
            ['/m~0n', 2],
            ['/', 3],
            ['/nothing', null],
            ['/authors/1/name', 'Bob'],
            ['/nested/deep/deeper/1/0', 3],
            ['/missing', undefined],
            ['/title/0', undefined],
            ['/title/length', undefined],
            ['/authors/length', undefined],
            ['/authors/3', undefined],
            ['/authors/-', undefined],
            ['/authors/01', undefined],
            ['/authors/1e0', undefined],
            ['/authors/-1', undefined],
            ['/nothing/x', undefined],
            ['/__proto__', undefined],
            ['/constructor/prototype', undefined],
            ['/toString', undefined]
        ];
        for (const [pointer, expected] of cases) {
            it(`find ${expected === undefined ? 'nothing' : 'the value'} at "${pointer}"`, () => {

                expect<unknown>(getAt(BOOK, pointer)).to.equal(expected);
            });
        }

        it('reach own members with dangerous names', () => {

            const value = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as JsonObject;

            expect<unknown>(getAt(value, '/__proto__/x')).to.equal(1);
            expect<unknown>(getAt(value, '/constructor')).to.equal(2);
        });

        it('give 404 for a missing required value', () => {

            expect<unknown>(requireAt(BOOK, '/nothing')).to.be.null();
            expect(() => requireAt(BOOK, '/missing')).to.throw('Missing data at jsonPointer in object');
        });
    });

    describe('for setting', () => {

        const cases: [string, JsonValue, string, JsonValue][] = [
            ['replaces a member', { a: 1, b: 2 }, '/a', { a: 9, b: 2 }],
            ['adds a member', { a: 1 }, '/b', { a: 1, b: 9 }],
            ['replaces an element', [1, 2, 3], '/1', [1, 9, 3]],
            ['appends at -', [1], '/-', [1, 9]],
            ['appends at the length', [1], '/1', [1, 9]],
            ['changes deep inside', { a: [{ b: { c: 1 } }] }, '/a/0/b/c', { a: [{ b: { c: 9 } }] }],
            ['takes member names that look like indices', { a: {} }, '/a/0', { a: { 0: 9 } }]
        ];
        for (const [title, root, pointer, expected] of cases) {
            it(title, () => {

                const before = structuredClone(root);

                expect<unknown>(setAt(root, pointer, 9)).to.equal(expected);
                expect<unknown>(root).to.equal(before);
            });
        }

        const refused: [string, JsonValue, string][] = [
            ['the root', {}, ''],
            ['a missing parent', {}, '/a/b'],
            ['a scalar parent', { a: 'text' }, '/a/0'],
            ['a null parent', { a: null }, '/a/b'],
            ['an index beyond the end', [1], '/2'],
            ['a name in an array', [1], '/x'],
            ['an index with a leading zero', [1, 2], '/01'],
            ['a negative index', [1], '/-1'],
            ['- in the middle', [[1]], '/-/0'],
            ['the prototype', {}, '/__proto__'],
            ['something in the prototype', {}, '/__proto__/polluted'],
            ['something in the constructor', {}, '/constructor/prototype/polluted'],
            ['a malformed pointer', {}, 'a']
        ];
        for (const [title, root, pointer] of refused) {
            it(`reject ${title}`, () => {

                expect(() => setAt(root, pointer, 9)).to.throw(`Invalid JSON Pointer ${pointer}`);
                expect(({} as JsonObject)['polluted']).to.be.undefined();
            });
        }

        it('share unchanged values', () => {

            const root = { a: { x: 1 }, b: { y: 2 } };
            const changed = setAt(root, '/a/x', 9) as typeof root;

            expect<unknown>(changed.b).to.shallow.equal(root.b);
        });

        it('read back what they set, for any value and pointer', () => {

            const random = randomSource(7);
            for (let i = 0; i < 500; ++i) {
                const root = randomValue(random, 4);
                const pointers = pointersOf(root);
                const pointer = pointers[random(pointers.length)] ?? '';
                const before = JSON.stringify(root);
                if (pointer !== '') {
                    const changed = setAt(root, pointer, 'changed');
                    expect<unknown>(getAt(changed, pointer)).to.equal('changed');
                    expect(JSON.stringify(setAt(changed, pointer, getAt(root, pointer) ?? null))).to.equal(before);
                }

                expect(JSON.stringify(root)).to.equal(before);
            }
        });
    });

    describe('for removing', () => {

        const cases: [string, JsonValue, string, JsonValue][] = [
            ['a member', { a: 1, b: 2 }, '/a', { b: 2 }],
            ['an element', [1, 2, 3], '/1', [1, 3]],
            ['something deep', { a: [{ b: 1, c: 2 }] }, '/a/0/b', { a: [{ c: 2 }] }],
            ['a null', { a: null }, '/a', {}]
        ];
        for (const [title, root, pointer, expected] of cases) {
            it(`remove ${title}`, () => {

                const before = structuredClone(root);

                expect<unknown>(removeAt(root, pointer)).to.equal(expected);
                expect<unknown>(root).to.equal(before);
            });
        }

        it('reject the root, and give 404 for a missing value', () => {

            expect(() => removeAt({}, '')).to.throw('Cannot delete empty json pointer');
            expect(() => removeAt({}, 'x')).to.throw('Invalid JSON Pointer x');
            for (const pointer of ['/a', '/b/0/x', '/b/-', '/b/1', '/__proto__', '/toString']) {
                expect(() => removeAt({ b: [1] }, pointer)).to.throw('Missing data at jsonPointer in object');
            }
        });
    });
});
