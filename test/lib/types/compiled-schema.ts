import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { inTurns } from '../../../lib/util/concurrency/steps.js';
import { BudgetExceeded } from '../../../lib/util/concurrency/time-budget.js';
import { compile, FACTS, isValid } from '../../support/types.js';
import { processorTime } from '../../support/processor-time.js';
import { randomSource } from '../../support/random-json.js';

export const lab = Lab.script();
const { describe, it } = lab;

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_6 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const ALL = [undefined, DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020];

type Case = [title: string, drafts: readonly (string | undefined)[], schema: JsonObject, valid: JsonValue[], invalid: JsonValue[]];

const CASES: Case[] = [
    ['types', ALL, { type: ['string', 'null'] }, ['a', null], [1, true, {}, []]],
    ['integers are numbers without fraction', ALL, { type: 'integer' }, [1, 1.0, -5], [1.5, '1']],
    ['no coercion', ALL, { properties: { n: { type: 'number' } } }, [{ n: 1 }], [{ n: '1' }]],
    ['numbers', ALL, { minimum: 2, maximum: 4, multipleOf: 0.01 }, [2, 3.99, 4, 'x'], [1.99, 4.01, 3.999]],
    ['multiples of a decimal fraction', ALL, { multipleOf: 0.01 }, [1234567.89, 114625.93, -115777.43, 1e300, 9007199254740993, 0, -0, 0.07], [0.010000000001, 1e-10, 114625.931, 5e-324]],
    ['multiples of a whole number', ALL, { multipleOf: 1 }, [5, 1e21, 1e308], [1e-10, 5.0000000001, 4503599627370495.5]],
    ['multiples of large and small numbers', ALL, { anyOf: [{ multipleOf: 5e-324 }, { multipleOf: 3e300 }] }, [1.7976931348623157e308, 1e-323, 0.1, 'x'], []],
    ['multiples of large numbers', ALL, { multipleOf: 3e300 }, [3e300, 6e305, -9e300], [1e301, 3, 5e-324]],
    ['texts are measured in characters', ALL, { minLength: 1, maxLength: 2 }, ['a', '😀😀'], ['', 'abc']],
    ['patterns match anywhere', ALL, { pattern: 'b+' }, ['abc', 5], ['ac']],
    ['enumerations', ALL, { enum: ['a', 1, null, { x: [1] }] }, ['a', 1, null, { x: [1] }], ['1', { x: [2] }]],
    ['long enumerations', ALL, { enum: [...Array.from({ length: 50 }, (_, i) => `v${i}`), { x: 1 }] }, ['v7', { x: 1 }], ['v50', 7, { x: 2 }]],
    ['unique elements', ALL, { uniqueItems: true }, [[], [1, '1', true, null], [{ a: 1 }, { a: 2 }]], [[1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }]]],
    ['elements that may be equal', ALL, { uniqueItems: false }, [[1, 1]], []],
    ['tuples', ALL, { items: [{ type: 'string' }, { type: 'number' }] }, [['a', 1, true], ['a']], [[1], ['a', 'b']]],
    ['an element that must be there, beside a tuple', [DRAFT_6, DRAFT_7, DRAFT_2019], { contains: {}, items: [{ type: 'string' }] }, [['a']], [[], [1]]],
    ['the same beside prefix items', [DRAFT_2020], { contains: { const: 1 }, prefixItems: [{ type: 'string' }] }, [['a', 1]], [[], ['a']]],
    ['closed tuples', [undefined, DRAFT_4, DRAFT_7, DRAFT_2019], { items: [{}], additionalItems: false }, [[1]], [[1, 2]]],
    ['prefix items', [undefined, DRAFT_2020], { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1, 2]], [['a', 'b'], [1]]],
    ['required and additional properties', ALL, { properties: { a: {} }, required: ['a'], additionalProperties: false }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    ['pattern properties', ALL, { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, [{ x1: 1 }], [{ x1: 'a' }, { y: 1 }]],
    ['names of properties', [undefined, DRAFT_6, DRAFT_2020], { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    ['inherited names are not there', ALL, { required: ['toString'], properties: { constructor: { type: 'number' } } }, [{ toString: 1 }], [{}]],
    ['alternatives', ALL, { anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 3], [2]],
    ['exclusive alternatives', ALL, { oneOf: [{ type: 'number' }, { minimum: 3, type: 'number' }] }, [2], [3, 'a']],
    ['negation', ALL, { not: { type: 'string' } }, [1], ['a']],
    ['conditions', [undefined, DRAFT_7, DRAFT_2019, DRAFT_2020], { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'number' } }, ['ab', 1], ['a', null]],
    ['conditions mean nothing to draft 4', [DRAFT_4, DRAFT_6], { if: {}, then: false }, [1], []],
    ['constants', [undefined, DRAFT_6, DRAFT_2020], { const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }]],
    ['constants mean nothing to draft 4', [DRAFT_4], { const: 1, contains: false }, [2, [1]], []],
    ['boolean limits', [undefined, DRAFT_4], { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false }, [2, 3], [1, 4]],
    ['numeric limits', [undefined, DRAFT_6, DRAFT_7, DRAFT_2020], { exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
    ['contained elements', [undefined, DRAFT_6, DRAFT_2020], { contains: { type: 'string' } }, [[1, 'a'], 'no array'], [[1], []]],
    ['counts of contained elements', [undefined, DRAFT_2019, DRAFT_2020], { contains: { type: 'string' }, minContains: 2, maxContains: 2 }, [['a', 'b', 1]], [['a'], ['a', 'b', 'c']]],
    ['counts of contained elements mean nothing to draft 7', [DRAFT_7], { contains: { type: 'string' }, minContains: 2 }, [['a']], [[]]],
    ['dependencies', [undefined, DRAFT_4, DRAFT_7], { dependencies: { a: ['b'], c: { required: ['d'] } } }, [{ a: 1, b: 2 }, { c: 1, d: 1 }, {}], [{ a: 1 }, { c: 1 }]],
    ['dependent schemas', [undefined, DRAFT_2019, DRAFT_2020], { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } }, [{ a: 1, b: 2 }], [{ a: 1 }, { c: 1 }]],
    ['unevaluated properties', [undefined, DRAFT_2019, DRAFT_2020], {
        allOf: [{ properties: { a: {} } }], anyOf: [{ properties: { b: { type: 'string' } }, required: ['b'] }, {}], unevaluatedProperties: false
    }, [{ a: 1 }, { a: 1, b: 'x' }], [{ c: 1 }, { b: 1 }]],
    ['unevaluated properties with a schema', [DRAFT_2020], { properties: { a: {} }, unevaluatedProperties: { type: 'string' } }, [{ a: 1, b: 'x' }], [{ b: 1 }]],
    ['unevaluated properties behind conditions', [DRAFT_2020], {
        if: { required: ['k'] }, then: { patternProperties: { '^x': true }, properties: { k: true } }, unevaluatedProperties: false
    }, [{ k: 1, x1: 2 }, {}], [{ x1: 1 }, { k: 1, y: 1 }]],
    ['unevaluated elements', [DRAFT_2020], { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false }, [[1, 'a']], [[1, 'a', 2]]],
    ['contained elements stay unevaluated in 2019-09', [DRAFT_2019], { contains: { type: 'string' }, unevaluatedItems: false }, [], [['a']]],
    ['unevaluated properties mean nothing to draft 7', [DRAFT_7], { unevaluatedProperties: false }, [{ a: 1 }], []],
    ['boolean schemas', [undefined, DRAFT_6, DRAFT_2020], { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
    ['references with siblings', ALL, { properties: { a: { $ref: '#/definitions/n', maximum: 5 } }, definitions: { n: { type: 'number' } } }, [{ a: 5 }], [{ a: 6 }, { a: 'x' }]],
    ['recursion', ALL, { properties: { child: { $ref: '#' }, n: { type: 'number' } } }, [{ child: { child: { n: 1 } } }], [{ child: { child: { n: 'x' } } }]],
    ['formats are checked', ALL, { format: 'date-time' }, ['2024-02-29T12:00:00Z', 5], ['2023-02-29T12:00:00Z', 'yesterday']],
    ['addresses may be short, names have underscores and references be relative before draft 7', [undefined, DRAFT_4, DRAFT_6],
        { properties: { u: { format: 'uri' }, h: { format: 'hostname' }, e: { format: 'email' } } },
        [{ u: '/rel' }, { u: 'x' }, { u: '' }, { u: 'https://a.example/ü?x=%20#y' }, { h: 'a_b' }, { h: 'a.example' }, { e: 'a@b' }, { e: 'a.b+c@d.example' }],
        [{ u: 'a b' }, { u: '%zz' }, { u: 'a#b#c' }, { u: ':x' }, { h: '-a' }, { h: 'a b' }, { h: '' }, { e: 'a' }, { e: 'a@b@c' }]],
    ['formats of later drafts are hints before draft 7', [undefined, DRAFT_4, DRAFT_6],
        { properties: { d: { format: 'date' }, t: { format: 'time' }, i: { format: 'iri' }, r: { format: 'uri-reference' }, n: { format: 'relative-json-pointer' } } },
        [{ d: 'in May', t: 'noon', i: 'x y', r: '\\\\', n: 'x' }], []],
    ['formats are strict from draft 7 on', [DRAFT_7, DRAFT_2019, DRAFT_2020],
        { properties: { u: { format: 'uri' }, h: { format: 'hostname' }, e: { format: 'email' }, d: { format: 'date' }, t: { format: 'time' } } },
        [{ u: 'https://a.example', h: 'a.example', e: 'a@b.example', d: '2024-02-29', t: '12:00:00Z' }],
        [{ u: '/rel' }, { u: '' }, { h: 'a_b' }, { e: 'a@b@c' }, { d: 'in May' }, { t: 'noon' }]],
    ['addresses and expressions are formats of every draft', ALL,
        { properties: { a: { format: 'ipv4' }, b: { format: 'ipv6' }, r: { format: 'regex' } } }, [{ a: '127.0.0.1', b: '::1', r: '^a' }], [{ a: '1.2.3' }, { b: 'x' }, { r: '(' }]],
    ['unique ids and pointers are formats of every draft', ALL, { properties: { u: { format: 'uuid' }, p: { format: 'json-pointer' } } },
        [{ u: '12345678-1234-1234-1234-123456789ABC', p: '/a~0/~1' }, { p: '' }, { u: 5, p: null }], [{ u: 'x' }, { u: '' }, { p: 'a' }, { p: '/~' }]],
    ['unknown formats are hints', ALL, { format: 'textarea' }, ['anything'], []],
    ['defaults are not filled in', ALL, { properties: { a: { default: 1 } }, required: ['a'] }, [{ a: 2 }], [{}]],
    ['unknown keywords are ignored', ALL, { nullable: true, type: 'string', $async: true, example: 5 }, ['a'], [null]]
];

/** The schema with so much before its parts that each of them is compiled by itself. */
function inParts(schema: JsonObject): JsonObject {

    const { $schema, allOf = [], ...others } = schema;
    return { ...$schema === undefined ? {} : { $schema }, allOf: [{ anyOf: Array.from({ length: 101 }, () => ({})) }, ...allOf as JsonValue[]], ...others };
}

/** All errors of content: on a busy machine the first searches for them may be given up while parts of the schema are compiled, and later ones go on from there. */
function settled(schema: ReturnType<typeof compile>, content: JsonValue): unknown {

    for (let n = 0; n < 5; ++n) {
        schema.validate(content);
    }

    return schema.validate(content);
}

/** Objects of objects, with texts inside. */
function tree(depth: number, width: number): JsonObject {

    return depth === 0 ? { type: 'string', maxLength: 100 } :
        { type: 'object', properties: Object.fromEntries(Array.from({ length: width }, (_, i) => [`p${i}`, tree(depth - 1, width)])) };
}

describe('compiled JSON schemas', () => {

    for (const [title, drafts, schema, valid, invalid] of CASES) {
        for (const draft of drafts) {
            it(`validate ${title} in ${draft ?? 'a schema without $schema'}`, () => {

                const compiled = compile(draft === undefined ? schema : { $schema: draft, ...schema });
                for (const content of valid) {
                    expect<unknown>(compiled.validate(content), JSON.stringify(content)).to.equal([]);
                }

                for (const content of invalid) {
                    expect(compiled.validate(content).length, JSON.stringify(content)).to.be.above(0);
                }
            });
        }
    }

    for (const [title, drafts, schema, valid, invalid] of CASES) {
        for (const draft of drafts) {
            it(`validate ${title} in ${draft ?? 'a schema without $schema'} the same in parts`, () => {

                const named = draft === undefined ? schema : { $schema: draft, ...schema };
                const [whole, parts] = [compile(named), compile(inParts(named))];
                for (const content of [...valid, ...invalid]) {
                    expect<unknown>(settled(parts, content), JSON.stringify(content)).to.equal(settled(whole, content));
                }
            });
        }
    }

    it('find multiples of a decimal exactly, of any size', () => {

        const random = randomSource(3);
        for (const places of [1, 2, 3, 6]) {
            const compiled = compile({ multipleOf: Number(`1e-${places}`) });
            for (let n = 0; n < 2000; ++n) {
                const digits = String(1 + random(2 ** 30)) + (n % 2 === 0 ? String(random(10_000)) : '');
                const multiple = `${digits.slice(0, -places) || '0'}.${digits.slice(-places).padStart(places, '0')}`;

                expect(compiled.validate(Number(multiple)).length, multiple).to.equal(0);
                expect(compiled.validate(Number(`${multiple}${1 + random(9)}`)).length, `${multiple}…`).to.equal(1);
            }
        }
    });

    it('take the members and annotations of content the same in parts', () => {

        const schema = {
            properties: {
                list: { items: { properties: { b: { cordra: { auth: 'username' } }, a: { type: 'string', default: 'x' } } } },
                on: { type: 'string', cordra: { type: { autoGeneratedField: 'modifiedOn' } } }, deep: { properties: { z: {}, y: {} } }
            },
            required: ['on']
        };
        const content = { deep: { y: 1, z: 2 }, list: [{ a: 'x', b: 'y' }, 5], x: 1 };
        const facts = { ...FACTS, type: 'T', prefix: 'test', addsHandle: true };
        const [whole, parts] = [schema, inParts(schema)].map((each) => {

            const compiled = compile(each);
            const filled = compiled.fill(content, facts);
            return JSON.stringify([compiled.reorder(filled), compiled.annotate(filled), compiled.hasAuthRoles]);
        });

        expect(parts).to.equal(whole);
        expect(whole).to.contain('"list":[{"b":"y","a":"x"},5]').and.to.contain('"on":"');
    });

    const LARGE: readonly [title: string, schema: JsonObject, content: JsonValue][] = [
        ['a tree', tree(2, 60), { p1: { p2: 'x' } }],
        ['many properties', tree(1, 4000), { p3999: 'x' }],
        ['alternatives', { oneOf: Array.from({ length: 400 }, (_, i) => ({ ...tree(1, 8), required: [`p${i}`] })) }, { p1: 'x' }],
        ['conditions', { allOf: Array.from({ length: 900 }, (_, i) => ({ if: { required: [`k${i}`] }, then: { required: ['x'] } })) }, { k1: 1, x: 1 }]
    ];
    for (const [title, schema, content] of LARGE) {
        it(`with ${title} are prepared in many turns of the event loop`, async () => {

            const compiled = compile(schema);
            let turns = 0;
            const turn = (): void => {

                turns += 1;
                next = setImmediate(turn);
            };

            let next = setImmediate(turn);
            await inTurns(compiled.compileParts());
            clearImmediate(next);

            expect(turns).to.be.above(4);
            expect<unknown>(compiled.validate(content)).to.equal([]);
            expect(compiled.validate({ p1: 5, k7: 1 })).to.not.be.empty();
        });
    }

    it('that are small need no preparation', () => {

        expect(Array.from(compile(tree(1, 25)).compileParts())).to.be.empty();
    });

    it('may be booleans', () => {

        expect(isValid(true, { a: 1 })).to.be.true();
        expect(isValid(false, { a: 1 })).to.be.false();
    });

    it('accept common spellings of $schema', () => {

        const schema = { exclusiveMinimum: true, minimum: 1, const: 5 };

        expect(isValid({ ...schema, $schema: 'https://json-schema.org/draft-04/schema' }, 2)).to.be.true();
        expect(isValid({ ...schema, $schema: 'http://example.org/my-own-meta-schema' }, 2)).to.be.false();
    });

    const formats: [string, string[], string[]][] = [
        ['date', ['2024-02-29'], ['2023-02-29', '24-1-1']],
        ['time', ['12:00:00Z'], ['25:00:00Z', '12:00:00']],
        ['duration', ['P1DT2H'], ['P', '1D']],
        ['email', ['a.b@example.org'], ['a', 'a@', '@b', 'a b@example.org']],
        ['hostname', ['example.org'], ['-a.org', 'a'.repeat(64) + '.org']],
        ['ipv4', ['127.0.0.1'], ['127.0.0.256', '1.2.3']],
        ['ipv6', ['::1'], ['12345::', '1::2::3']],
        ['uri', ['https://example.org/a?b#c', 'urn:x:y'], ['//example.org', 'a b', '/relative']],
        ['uri-reference', ['/a', '#b', ''], ['\\a']],
        ['uri-template', ['/a/{b}'], ['/a/{b']],
        ['url', ['https://example.org/a'], ['mailto:a@b.c', 'http://', 'http://a b']],
        ['uuid', ['12345678-1234-1234-1234-123456789abc'], ['1234']],
        ['json-pointer', ['', '/a~0'], ['a', '/~']],
        ['relative-json-pointer', ['0', '1/a'], ['/a']],
        ['regex', ['^a(b)\\1$'], ['(']],
        ['byte', ['', 'YWJj', 'YQ=='], ['YQ', '====', 'Y-==']],
        ['password', ['anything'], []]
    ];
    for (const [format, valid, invalid] of formats) {
        it(`check the format ${format}`, () => {

            const compiled = compile({ $schema: DRAFT_7, format });
            for (const text of valid) {
                expect<unknown>(compiled.validate(text), text).to.equal([]);
            }

            for (const text of invalid) {
                expect(compiled.validate(text).length, text).to.equal(1);
            }
        });
    }

    for (const [format, text] of [
        ['url', `http://${':'.repeat(60_000)}`], ['email', `a@${'a-'.repeat(30_000)}`], ['uri', `http://${'a%'.repeat(30_000)}`],
        ['duration', `P${'1'.repeat(60_000)}`], ['byte', `${'YWJj'.repeat(2_000_000)}!`], ['date-time', 't'.repeat(60_000)],
        ['uri-reference', 'a'.repeat(5_000_000)], ['regex', '('.repeat(60_000)]
    ] as const) {
        it(`reject hostile texts of the format ${format} quickly`, () => {

            const [compiled, earlier] = [compile({ $schema: DRAFT_7, format }), compile({ format })];
            const elapsed = processorTime();

            expect(compiled.validate(text).length).to.equal(1);
            earlier.validate(text);
            expect(elapsed()).to.be.below(10_000);
        });
    }

    it('check regular expressions of up to 4,096 characters, within the time budget', () => {

        const schema = { $schema: DRAFT_7, items: { format: 'regex' } };
        const costly = (_: unknown, i: number): string => `${'\\p{L}'.repeat(800)}${i}`;

        expect(compile(schema).validate([`a${'b'.repeat(4095)}`])).to.equal([]);
        expect(compile(schema).validate([`a${'b'.repeat(4096)}`]).length).to.equal(1);
        expect(compile(schema).validate(Array.from({ length: 3 }, costly))).to.equal([]);
        expect(() => compile(schema).validate(Array.from({ length: 400 }, costly))).to.throw(BudgetExceeded);
    });

    it('compare elements many times only within the time budget', () => {

        const texts = Array.from({ length: 19_000 }, (_, i) => `text ${i}`);
        const schema = { allOf: Array.from({ length: 1000 }, () => ({ uniqueItems: true })) };

        expect(compile({ uniqueItems: true }).validate(texts)).to.equal([]);
        expect(() => compile(schema).validate(texts)).to.throw(BudgetExceeded);
    });

    it('compare elements deep in arrays in no time per level', () => {

        let content: JsonValue = ['x'.repeat(5_000_000)];
        for (let i = 0; i < 300; ++i) {
            content = [1, content];
        }

        const compiled = compile({ uniqueItems: true });
        const elapsed = processorTime();

        expect(compiled.validate([content, 1])).to.equal([]);
        expect(elapsed()).to.be.below(400);
    });
});
