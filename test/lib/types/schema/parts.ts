import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import Ajv2019 from 'ajv/dist/2019.js';
import type { ErrorObject } from 'ajv';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { isJsonObject } from '../../../../lib/util/json-types.js';
import type { Validator } from '../../../../lib/types/schema/compiler.js';
import { compileSchemas } from '../../../../lib/types/schema/compiler.js';
import { atOnce } from '../../../../lib/util/concurrency/steps.js';
import { SchemaDocument } from '../../../../lib/types/schema/document.js';
import { contentErrors } from '../../../../lib/types/schema/error-messages.js';
import { separate } from '../../../../lib/types/schema/linked-schema.js';
import { linkSchema } from '../../../../lib/types/schema/linker.js';
import { MAX_PART_SIZE } from '../../../../lib/types/schema/parts.js';
import { BudgetExceeded, startBudget } from '../../../../lib/util/concurrency/time-budget.js';
import { seeded, type Random } from '../../../support/random.js';
import { compile } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NAMES = ['a', 'b', 'c', 'd/e', 'f'];
const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

/** Random content of a few names, so that keywords apply to it. */
function contentOf(random: Random, depth: number): JsonValue {

    const kind = random.integer(0, depth > 0 ? 4 : 1);
    const inside = (): JsonValue => contentOf(random, depth - 1);
    return kind === 0 ? random.integer(0, 5) : kind === 1 ? random.pick(['', 'x', 'long text']) :
        kind === 2 ? list(random.integer(0, 4), inside) : Object.fromEntries(list(random.integer(0, 4), () => [random.pick(NAMES), inside()]));
}

/** What a random schema may have. */
interface Forms {
    /** Lists of subschemas have at most so many, those deeper inside three. */
    readonly width: number;
    /** Also names of definitions `d0` to `d3`, and what is left over by other keywords. */
    readonly isWhole: boolean;
}

function assertion(random: Random): JsonObject {

    return random.pick<JsonObject>([
        { type: random.pick(['object', 'array', 'string', 'integer']) }, { type: ['object', 'array'] }, { minimum: 2 }, { maximum: 3 }, { minLength: 2 }, { const: 1 },
        { minItems: 1 }, { maxItems: 2 }, { required: [random.pick(NAMES)] }, { minProperties: 2 }, { maxProperties: 1 }, {}
    ]);
}

function schemaOf(random: Random, depth: number, forms: Forms): JsonValue {

    if (depth === 0 || random.chance(0.15)) {
        return random.chance(0.15) ? random.chance(0.5) : assertion(random);
    }

    const inside = (): JsonValue => schemaOf(random, depth - 1, { ...forms, width: Math.min(forms.width, 3) });
    const many = (): JsonValue[] => list(random.integer(1, forms.width), inside);
    const named = (): JsonObject => Object.fromEntries(many().map((schema, i) => [NAMES[i] ?? `n${i}`, schema]));
    const keywords: readonly (() => JsonObject)[] = [
        () => ({ anyOf: many() }), () => ({ oneOf: many() }), () => ({ allOf: many() }), () => ({ items: inside() }), () => ({ properties: named() }),
        () => ({ properties: named(), additionalProperties: inside() }), () => ({ not: inside() }), () => ({ contains: inside() }),
        () => ({ if: inside(), then: inside(), else: inside() }), () => ({ dependentSchemas: named() }), () => ({ propertyNames: assertion(random) }),
        () => ({ dependentRequired: Object.fromEntries(NAMES.map((name) => [name, list(random.integer(0, 2), () => random.pick(NAMES))])) }),
        ...forms.isWhole ? [() => ({ $ref: `#/$defs/d${random.integer(0, 3)}` }), () => ({ unevaluatedProperties: inside() }), () => ({ unevaluatedItems: inside() })] :
            [() => ({ items: many(), additionalItems: inside() }), () => ({ patternProperties: { '^[ab]': inside(), 'c|f': inside(), 'none': inside() } })]
    ];
    return Object.assign({}, assertion(random), ...list(random.integer(1, 2), () => random.pick(keywords)())) as JsonObject;
}

const SEPARABLE = ['anyOf', 'oneOf', 'allOf', 'items', 'properties', 'patternProperties'];

/** The schema with some keywords in the form whose subschemas are compiled by themselves. */
function separated(schema: JsonValue, random: Random): JsonValue {

    if (typeof schema !== 'object' || schema === null) {
        return schema;
    }

    if (Array.isArray(schema)) {
        return schema.map((each) => separated(each, random));
    }

    return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {

        const inside = separated(value, random);
        const isChosen = SEPARABLE.includes(keyword) && random.chance(0.6) && (keyword !== 'items' || Array.isArray(value));
        const places = Array.isArray(value) ? value.map(() => true) :
            isJsonObject(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, true])) : value;
        return !isChosen ? [[keyword, inside]] : keyword.endsWith('Of') ? [[separate(keyword), inside]] : [[separate(keyword), inside], [keyword, places]];
    }));
}

/** The schema with so many properties, which no content has, beside its alternatives that each of these is compiled by itself. */
function enlarged(schema: JsonValue, count: { left: number }): JsonValue {

    if (!isJsonObject(schema)) {
        return Array.isArray(schema) ? schema.map((each) => enlarged(each, count)) : schema;
    }

    const inside = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, enlarged(member, count)]));
    if (!['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema) || count.left-- <= 0) {
        return inside;
    }

    const { properties } = inside;
    return { ...inside, properties: { ...isJsonObject(properties) ? properties : {}, ...Object.fromEntries(list(MAX_PART_SIZE + 1, (i) => [`zz${i}`, true])) } };
}

/** Where errors are and what they say. That of a condition adds nothing to the errors before it, and ajv leaves it out when it stops at the first one. */
function told(errors: readonly ErrorObject[]): JsonValue[] {

    return errors.filter(({ keyword }) => errors.length === 1 || keyword !== 'if').map(({ keyword, instancePath, propertyName = null, params }) => {

        const { property, missingProperty, depsCount, deps, ...others } = params as JsonObject;
        return [keyword, instancePath, propertyName, { ...others, property: property ?? null, missingProperty: missingProperty ?? null }];
    });
}

/** Validation as ajv does it, in one part. */
function plainly(schema: JsonObject, allErrors: boolean): (value: JsonValue) => ErrorObject[] {

    const ajv = new Ajv2019({ allErrors, strict: false, meta: false, validateSchema: false, ownProperties: true, addUsedSchema: false });
    const validate = ajv.compile(schema);
    return (value) => (validate(value) === true ? [] : validate.errors ?? []);
}

/** A search for all errors ends when it has compiled for too long, and goes on from there the next time. */
function found(validator: Validator, value: JsonValue): readonly ErrorObject[] {

    for (;;) {
        startBudget();
        try {
            return validator.errors(value);
        }
        catch (error) {
            expect(error).to.be.instanceOf(BudgetExceeded);
        }
    }
}

describe('schemas in parts', () => {

    it('give the errors that ajv gives in a search for all of them', () => {

        for (let seed = 0; seed < 60; ++seed) {
            const random = seeded(seed);
            const schema = { allOf: [schemaOf(random, 3, { width: 3, isWhole: false })] };
            startBudget();
            const plain = plainly(schema, true);
            const parts = compileSchemas({ targets: [separated(schema, random) as JsonObject], parts: [] }, true);
            for (const value of list(30, () => contentOf(random, 3))) {
                expect<unknown>(told(found(parts, value)), JSON.stringify([seed, schema, value])).to.equal(told(plain(value)));
            }
        }
    });

    it('give the messages that the whole schema gives, however it is divided', () => {

        for (let seed = 0; seed < 25; ++seed) {
            const random = seeded(seed);
            const schema = { $schema: 'https://json-schema.org/draft/2019-09/schema', allOf: list(3, () => schemaOf(random, 2, { width: 30, isWhole: false })) };
            const [first, all] = [plainly(schema, false), plainly(schema, true)];
            const compiled = compile(schema);
            for (const value of list(10, () => contentOf(random, 3))) {
                startBudget();
                // A search for all errors ends when it has compiled for too long.
                const possible = [first, all].map((plain) => JSON.stringify(contentErrors(plain(value), value, 20)));
                expect(possible, JSON.stringify([seed, value])).to.include(JSON.stringify(compiled.validate(value)));
            }
        }
    });

    it('find the same content valid, with references, and with what is left over by other keywords', () => {

        for (let seed = 0; seed < 50; ++seed) {
            const random = seeded(seed);
            const forms = { width: 9, isWhole: true };
            // References lead to members only, so that they do not go round in circles.
            const definitions = list(4, (i) => [`d${i}`, { properties: Object.fromEntries(NAMES.map((name) => [name, schemaOf(random, 1, forms)])) }]);
            const schema = {
                $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: Object.fromEntries(definitions) as JsonObject,
                allOf: list(2, () => schemaOf(random, 2, forms))
            };
            const [whole, parts] = [compile(schema), compile(enlarged(schema, { left: 60 }))];
            for (const value of list(20, () => contentOf(random, 3))) {
                startBudget();
                expect(parts.validate(value).length === 0, JSON.stringify([seed, schema, value])).to.equal(whole.validate(value).length === 0);
            }
        }
    });

    it('follow references in circles and dynamic ones out of them', () => {

        const wide = (member: JsonObject): JsonObject => ({ anyOf: [...list(100, (i) => ({ required: [`k${i}`] })), member] });
        const tree = {
            $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.org/tree', $dynamicAnchor: 'node',
            properties: { data: { type: 'number' }, children: { items: wide({ $dynamicRef: '#node' }) } }, allOf: [wide({ properties: { next: { $ref: '#' } } })]
        };
        const strict = {
            $schema: 'https://json-schema.org/draft/2020-12/schema', $dynamicAnchor: 'node', $ref: 'Tree', unevaluatedProperties: false
        };
        const [loose, closed] = [compile(tree), compile(strict, { Tree: tree })];

        for (const [content, ofLoose, ofClosed] of [
            [{ data: 1, children: [{ data: 2, children: [] }], next: { next: { data: 3 } } }, true, true], [{ children: [{ daat: 1 }] }, true, false],
            [{ next: { next: { data: 'x' } } }, false, false], [{ children: [{ children: [{ data: 'x' }] }] }, false, false],
            [{ children: [{ children: [{ data: 'x', k7: 1 }] }] }, true, true], [{ k7: 1 }, true, false]
        ] as const) {
            expect(loose.validate(content as JsonObject).length === 0, JSON.stringify(content)).to.equal(ofLoose);
            expect(closed.validate(content as JsonObject).length === 0, JSON.stringify(content)).to.equal(ofClosed);
        }
    });

    const deep = (levels: number, wrap: (schema: JsonObject) => JsonObject): JsonObject => (levels === 0 ? { minLength: 1 } : wrap(deep(levels - 1, wrap)));
    const members = (length: number, make: (index: number) => JsonValue): JsonObject => Object.fromEntries(list(length, (i) => [`m${i}`, make(i)]));
    const LARGE: readonly (readonly [title: string, schema: JsonObject])[] = [
        ...['anyOf', 'oneOf', 'allOf', 'items', 'prefixItems'].map((keyword) => [keyword, { [keyword]: list(1000, (i) => ({ minimum: i })) }] as const),
        ...['properties', 'dependentSchemas', 'dependencies'].map((keyword) => [keyword, { [keyword]: members(4000, (i) => ({ minimum: i })) }] as const),
        ['patterns of names', { patternProperties: members(200, (i) => ({ minimum: i })) }],
        ['names', { properties: members(45, () => ({ propertyNames: { anyOf: list(100, (i) => ({ minLength: i })) } })) }],
        ['nested names', deep(45, (propertyNames) => ({ propertyNames, anyOf: list(100, (i) => ({ minLength: i })) }))],
        ['properties at each level', deep(45, (a) => ({ properties: { a, ...members(100, (i) => ({ minimum: i })) } }))],
        ['alternatives at each level', deep(45, (a) => ({ anyOf: [a, ...list(100, (i) => ({ minimum: i }))] }))],
        ['a mixture', { allOf: list(48, () => ({ anyOf: list(48, (i) => ({ properties: { [`m${i}`]: { const: i } } })) })) }],
        ['single subschemas', { anyOf: list(100, (i) => ({ if: { minimum: i }, then: { not: { minLength: 2 } }, else: { contains: { const: 1 } }, items: { const: 2 } })) }]
    ];
    for (const [title, schema] of LARGE) {
        it(`have a limited size each: ${title}`, () => {

            const linked = atOnce(linkSchema(new SchemaDocument('T', schema), () => undefined, []));
            const sizes = [...linked.targets, ...linked.parts].map((part) => sizeOf(part, new Set(linked.parts)));

            expect(sizes.length).to.be.above(20);
            expect(Math.max(...sizes)).to.be.at.most(MAX_PART_SIZE + 1);
        });
    }
});

/** Number of objects in a schema, except for those that stand elsewhere as parts. */
function sizeOf(schema: JsonValue, parts: ReadonlySet<JsonValue>): number {

    const children = typeof schema === 'object' && schema !== null ? Object.entries(schema).map(([, child]) => child) : [];
    const isNamed = isJsonObject(schema) && Object.keys(schema).every((name) => /^(m\d+|a)$/.test(name));
    const inside = children.filter((child) => !parts.has(child)).map((child) => sizeOf(child, parts));
    return inside.reduce((sum, size) => sum + size, isJsonObject(schema) && !isNamed ? 1 : 0);
}
