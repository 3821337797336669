import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { UnusableSchema } from '../../../../lib/types/schema/linker.js';
import { CompiledSchema } from '../../../../lib/types/compiled-schema.js';
import { SchemaDocument } from '../../../../lib/types/schema/document.js';
import { atOnce } from '../../../../lib/util/concurrency/steps.js';
import { compile, isValid } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const NUMBER: JsonObject = { type: 'number' };

/** Schemas of other types. */
const OTHERS: Record<string, JsonValue> = {
    'Person': {
        $id: 'https://example.org/person.json',
        $defs: { name: { $anchor: 'name', type: 'string' }, self: { $ref: '#' } },
        properties: { name: { $ref: '#/$defs/name' }, friend: { $ref: 'Person' } }
    },
    'Digital Specimen': { definitions: { n: NUMBER }, ...NUMBER },
    'Old': { $schema: 'http://json-schema.org/draft-04/schema#', id: 'http://example.org/old', definitions: { n: { id: '#n', minimum: 1, exclusiveMinimum: true } } },
    'A': { properties: { b: { $ref: 'B' } } },
    'B': { properties: { a: { $ref: 'A' }, n: NUMBER } },
    'Broken': { type: 'strin' }
};

function unusable(schema: JsonValue): UnusableSchema {

    try {
        compile(schema, OTHERS);
    }
    catch (error) {
        if (error instanceof UnusableSchema) {
            return error;
        }

        throw error;
    }

    throw new Error('the schema is usable');
}

describe('references in schemas', () => {

    const cases: [title: string, reference: string, valid: JsonValue, invalid: JsonValue][] = [
        ['lead to another type by its name', 'B', { n: 1 }, { n: 'x' }],
        ['lead to types that refer to each other', 'A', { b: { a: { b: { n: 1 } } } }, { b: { a: { b: { n: 'x' } } } }],
        ['lead to a part of another type', 'Person#/$defs/name', 'a', 1],
        ['lead through a type that refers to itself', 'Person', { friend: { friend: { name: 'a' } } }, { friend: { friend: { name: 1 } } }],
        ['lead by an anchor', 'Person#name', 'a', 1],
        ['lead by the file name of a type', 'Person.schema.json#/$defs/name', 'a', 1],
        ['lead by the path of a type', '/cordra/schemas/Person.schema.json#/$defs/name', 'a', 1],
        ['lead by the short path of a type', '/cordra/schemas/Person#/$defs/name', 'a', 1],
        ['lead by the file URI of a type', 'file:/cordra/schemas/Person.schema.json#/$defs/name', 'a', 1],
        ['lead by the id of a schema', 'https://example.org/person.json#/$defs/name', 'a', 1],
        ['lead by names with blanks', 'Digital Specimen', 1, 'x'],
        ['lead by names with escaped blanks', 'Digital%20Specimen#/definitions/n', 1, 'x'],
        ['lead to schemas of other drafts', 'Old#/definitions/n', 2, 1],
        ['lead to ids of draft 4', 'http://example.org/old#n', 2, 1],
        ['lead back to the type itself by name', 'T#/$defs/n', 1, 'x'],
        ['lead to members outside of the keywords', '#/components/n', 1, 'x'],
        ['lead to a schema that is no keyword, through escapes', '#/components/a~1b%25', 1, 'x'],
        ['lead to the published meta-schemas', 'http://json-schema.org/draft-07/schema#', { type: 'string' }, { type: 5 }],
        ['lead to the published meta-schema of draft 4', 'http://json-schema.org/draft-04/schema#', { required: ['a'] }, { required: [] }],
        ['lead to meta-schemas that refer dynamically', 'https://json-schema.org/draft/2020-12/schema', { properties: { a: { minLength: 1 } } }, { properties: { a: { minLength: 'x' } } }],
        ['lead to meta-schemas that refer recursively', 'https://json-schema.org/draft/2019-09/schema', { items: { minLength: 1 } }, { items: { minLength: 'x' } }]
    ];
    for (const [title, $ref, valid, invalid] of cases) {
        it(title, () => {

            const schema = {
                $defs: { n: NUMBER }, components: { 'n': NUMBER, 'a/b%': { $ref: '#/components/n' } }, properties: { x: { $ref } }
            };

            expect(isValid(schema, { x: valid }, OTHERS)).to.be.true();
            expect(isValid(schema, { x: invalid }, OTHERS)).to.be.false();
        });
    }

    it('are resolved by the enclosing id, then among the types', () => {

        const schema = {
            $id: 'https://example.org/base/',
            properties: { own: { $ref: 'inner' }, type: { $ref: 'B#/properties/n' } },
            $defs: { inner: { $id: 'inner', properties: { deep: { $ref: '#/$defs/n' } }, $defs: { n: NUMBER } } }
        };

        expect(isValid(schema, { own: { deep: 1 }, type: 1 }, OTHERS)).to.be.true();
        expect(isValid(schema, { own: { deep: 'x' } }, OTHERS)).to.be.false();
        expect(isValid(schema, { type: 'x' }, OTHERS)).to.be.false();
    });

    it('lead to a type by its name, though another schema has it as its id', () => {

        const others = { Impostor: { $id: 'B', type: 'string' }, ...OTHERS };

        expect(isValid({ properties: { x: { $ref: 'B' } } }, { x: { n: 1 } }, others)).to.be.true();
        expect(isValid({ properties: { x: { $ref: 'B' } } }, { x: { n: 'x' } }, others)).to.be.false();
        expect(isValid({ properties: { x: { $ref: 'C' } } }, { x: 'text' }, { ...others, Impostor: { $id: 'C', type: 'string' } })).to.be.true();
    });

    it('tolerate ids of generators', () => {

        const schema = { properties: { a: { $id: '#/properties/a', type: 'number' }, b: { $id: '#/properties/a', type: 'string' } } };

        expect(isValid(schema, { a: 1, b: 'x' })).to.be.true();
    });

    it('find the outermost dynamic anchor', () => {

        const tree = {
            $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.org/tree', $dynamicAnchor: 'node',
            type: 'object', properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } }
        };
        const strict = {
            $schema: 'https://json-schema.org/draft/2020-12/schema', $dynamicAnchor: 'node', $ref: 'https://example.org/tree', unevaluatedProperties: false
        };

        const misspelt = { children: [{ daat: 1 }] };

        expect(isValid(tree, misspelt)).to.be.true();
        expect(isValid({ ...strict, $ref: 'Tree' }, misspelt, { Tree: tree })).to.be.false();
        expect(isValid({ ...strict, $ref: 'Tree' }, { children: [{ data: 1 }] }, { Tree: tree })).to.be.true();
    });

    it('apply together with each other and with allOf, in any order', () => {

        const keywords = { $ref: '#/$defs/a', $dynamicRef: '#/$defs/b', allOf: [{ maximum: 9 }] };
        for (const names of [['$ref', '$dynamicRef', 'allOf'], ['allOf', '$dynamicRef', '$ref'], ['$dynamicRef', 'allOf', '$ref']] as const) {
            const schema = { $defs: { a: { type: 'number' }, b: { minimum: 3 } }, ...Object.fromEntries(names.map((name) => [name, keywords[name]])) };

            expect([5, 2, 10, 'x'].map((value) => isValid(schema, value)), names.join()).to.equal([true, false, false, false]);
        }
    });

    it('treat a dynamic reference to a plain anchor as a plain one', () => {

        const schema = {
            $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { n: { $anchor: 'n', type: 'number' } },
            properties: { a: { $dynamicRef: '#n', $ref: '#/$defs/n' } }
        };

        expect(isValid(schema, { a: 1 })).to.be.true();
        expect(isValid(schema, { a: 'x' })).to.be.false();
    });

    const faulty: [title: string, schema: JsonValue, fault: string][] = [
        ['a missing place in the schema', { properties: { a: { $ref: '#/$defs/nope' } } }, '/properties/a/$ref: refers to #/$defs/nope, where no schema stands'],
        ['a missing place in another type', { properties: { a: { $ref: 'Person#/$defs/nope' } } }, '/properties/a/$ref: refers to Person#/$defs/nope, where no schema stands'],
        ['a missing anchor', { $ref: '#nope' }, '/$ref: refers to #nope, where no schema stands'],
        ['a place that is no schema', { $ref: '#/title', title: 'T' }, '/$ref: refers to #/title, where no schema stands'],
        ['a malformed escape', { $ref: '#/%ZZ' }, '/$ref: refers to #/%ZZ, where no schema stands'],
        ['a type that is not usable', { $ref: 'Broken' }, '/$ref: refers to the schema Broken, which is not usable'],
        ['itself, without end', { allOf: [{ $ref: '#' }] }, ': refers to itself without end'],
        ['itself through others, without end', { anyOf: [{ $ref: '#/$defs/x' }], $defs: { x: { not: { $ref: '#' } } } }, ': refers to itself without end'],
        ['something that is malformed', { $ref: '#/components/x', components: { x: { type: 'strin' } } },
            '/components/x/type: must be one of array, boolean, integer, null, number, object, string, or an array of them']
    ];
    for (const [title, schema, fault] of faulty) {
        it(`make a schema invalid that refers to ${title}`, () => {

            const { errors: faults, missingTypes, message } = unusable(schema);

            expect(faults.map((each) => `${each.pointer}: ${each.message}`)).to.equal([fault]);
            expect(message).to.equal(fault);
            expect(missingTypes).to.equal([]);
        });
    }

    for (const reference of ['Missing', 'Missing#/x', 'Missing.schema.json', '/cordra/schemas/Missing.schema.json', 'file:/cordra/schemas/Missing']) {
        it(`report a type that is still missing: ${reference}`, () => {

            const { errors: faults, missingTypes } = unusable({ properties: { a: { $ref: reference } } });

            expect(faults).to.equal([]);
            expect(missingTypes).to.equal(['Missing']);
        });
    }
});

describe('malformed schemas', () => {

    const deep = (levels: number): JsonValue => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
    const wide = (count: number): JsonValue => ({ properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])) });

    const cases: [title: string, schema: JsonValue, fault: string | RegExp][] = [
        ['no schema at all', 'text', ': must be a JSON schema: an object'],
        ['unknown types', { type: 'strin' }, /^\/type: must be one of/],
        ['types that are not text', { properties: { a: { type: 5 } } }, /^\/properties\/a\/type: must be one of/],
        ['properties that are a list', { properties: [] }, '/properties: must be an object whose members are schemas'],
        ['subschemas that are text', { properties: { 'a/b': 'x' } }, '/properties/a~1b: must be a schema: an object or a boolean'],
        ['required that is a boolean', { properties: { a: { required: true } } }, '/properties/a/required: must be an array of property names'],
        ['negative lengths', { maxLength: -1 }, '/maxLength: must be a whole number, not negative'],
        ['steps of zero', { multipleOf: 0 }, '/multipleOf: must be a number above zero'],
        ['limits that are text', { minimum: '5' }, '/minimum: must be a number'],
        ['boolean limits in draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', exclusiveMinimum: true }, '/exclusiveMinimum: must be a number'],
        ['empty alternatives', { anyOf: [] }, '/anyOf: must be an array of 1 to 1000 schemas'],
        ['empty enumerations', { enum: [] }, '/enum: must be an array of at least one value'],
        ['items that are text', { items: 'x' }, '/items: must be a schema or an array of at most 1000 of them'],
        ['references that are objects', { $ref: {} }, '/$ref: must be a string'],
        ['dependencies that are text', { dependencies: { a: 'b' } }, '/dependencies: must be an object whose members are schemas or arrays of property names'],
        ['dependent names that are text', { dependentRequired: { a: 'b' } }, '/dependentRequired: must be an object of arrays of property names'],
        ['uniqueItems that is text', { uniqueItems: 'yes' }, '/uniqueItems: must be true or false'],
        ['patterns that are no patterns', { properties: { a: { pattern: '(' } } }, '/properties/a/pattern: the pattern ( is not a valid regular expression'],
        ['patterns that look behind', { pattern: '(?<=a)b' }, /^\/pattern: the pattern \(\?<=a\)b looks around/],
        ['patterns of properties that refer back', { patternProperties: { '(a)\\1': {} } }, /^\/patternProperties: the pattern \(a\)\\1 refers back/],
        ['patterns of names', { propertyNames: { pattern: '[' } }, /^\/propertyNames\/pattern: the pattern \[ is not valid|is not a valid/],
        ['properties called __proto__', JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonValue, '/properties: must not name a property __proto__'],
        ['many patterns for names', { patternProperties: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`^${i}`, {}])) }, '/patternProperties: must have at most 200 members'],
        ['long lists of alternatives', { oneOf: Array.from({ length: 1001 }, () => ({})) }, '/oneOf: must be an array of 1 to 1000 schemas'],
        ['many dependent names', { dependentRequired: { a: Array.from({ length: 1001 }, (_, i) => `${i}`) } }, '/dependentRequired: must name at most 1000 properties'],
        ['patterns that are large together', { properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { pattern: `^${i}.{900}$` }])) },
            ': has patterns that are, together, too large'],
        ['deep nesting', deep(60), ': is nested more than 100 levels deep'],
        ['too many subschemas', wide(5001), ': has more than 5000 subschemas']
    ];
    for (const [title, schema, fault] of cases) {
        it(`are rejected: ${title}`, () => {

            const [first] = unusable(schema).errors;

            expect(`${first?.pointer}: ${first?.message}`).to.match(typeof fault === 'string' ? new RegExp(`^${fault.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&')}$`) : fault);
        });
    }

    it('are rejected when they are too large with all references', () => {

        const many = Object.fromEntries(['X', 'Y', 'Z'].map((name) => [name, wide(4000)]));

        expect(() => compile({ allOf: [{ $ref: 'X' }, { $ref: 'Y' }, { $ref: 'Z' }] }, many)).to.throw(/more than 10000 subschemas/);
    });

    it('are rejected when they refer through too many others', () => {

        const chain = (prefix: string, next: string): JsonObject => ({
            $ref: `#/$defs/${prefix}0`,
            $defs: Object.fromEntries(Array.from({ length: 2300 }, (_, i) =>
                [`${prefix}${i}`, { allOf: [{ $ref: i < 2299 ? `#/$defs/${prefix}${i + 1}` : next }] }]))
        });

        expect(() => compile(chain('a', 'Y'), { Y: chain('b', '#/$defs/end') })).to.throw(/end, where no schema stands/);
        expect(() => compile(chain('a', 'Y'), { Y: chain('b', 'Z'), Z: {} })).to.throw(/refers through too many schemas/);
    });

    it('may refer through many others, as far as validation can follow', () => {

        const chain = (length: number): JsonObject => {

            const links = Array.from({ length }, (_, i): [string, JsonValue] => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]);
            return { $ref: '#/$defs/d1', $defs: Object.fromEntries([...links, [`d${length}`, { maxLength: 1 }]]) };
        };

        expect(isValid(chain(999), 'a')).to.be.true();
        expect(() => compile(chain(1000))).to.throw(/refers through too many schemas/);
    });

    const NESTED: readonly [title: string, nest: (schema: JsonObject) => JsonObject, most: number][] = [
        ['allOf', (schema) => ({ allOf: [schema] }), 499], ['not', (schema) => ({ not: { not: schema } }), 332], ['then', (schema) => ({ if: true, then: schema }), 499],
        ['nested allOf', (schema) => ({ allOf: [{ allOf: [{ allOf: [schema] }] }] }), 249], ['dependentSchemas', (schema) => ({ dependentSchemas: { a: schema } }), 332]
    ];
    for (const [title, nest, most] of NESTED) {
        it(`may refer through others by ${title}, as far as validation and annotations can follow`, () => {

            const chain = (length: number): JsonObject => ({
                $ref: '#/$defs/d0', $defs: {
                    ...Object.fromEntries(Array.from({ length }, (_, i) => [`d${i}`, nest({ $ref: `#/$defs/d${i + 1}` })])),
                    [`d${length}`]: { properties: { a: { type: 'string', cordra: { preview: { isPrimary: true } } } } }
                }
            });
            const compiled = compile(chain(most));

            expect(compiled.validate({ a: 'text' })).to.equal([]);
            expect(compiled.annotate({ a: 'text' })).to.be.an.array();
            expect(() => compile(chain(most + 1))).to.throw(/refers through too many schemas/);
        });
    }

    it('are refused for what they refer to outside of known keywords, but not for what others refer to', () => {

        const documents = new Map(Object.entries({ T: { properties: { a: NUMBER }, odd: { bad: { type: 'strin', properties: { b: { $ref: 5 } } } } } })
            .map(([name, schema]): [string, SchemaDocument] => [name, new SchemaDocument(name, schema)]));
        const lookup = (name: string): SchemaDocument | undefined => documents.get(name);
        const link = (name: string, schema: JsonValue): void => {

            const document = documents.get(name) ?? new SchemaDocument(name, schema);
            atOnce(CompiledSchema.link(document, lookup, []));
        };

        expect(() => link('X', { $ref: 'T#/odd/bad' })).to.throw(/refers to the schema T, which is not usable: \/odd\/bad\/type: must be one of/);
        expect(() => link('Y', { odd: { type: 5 }, $ref: '#/odd' })).to.throw(/^\/odd\/type: must be one of/);
        expect(() => link('X', { $ref: 'T#/odd/bad/properties/b' })).to.throw(/refers to the schema T, which is not usable/);
        expect(() => link('T', {})).to.not.throw();
    });

    it('are refused for parts outside of known keywords, also after others that were too much', () => {

        const large = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${i}`, { pattern: `^([a-z]{10}){9}${i}$` }]));
        const document = new SchemaDocument('T', { odd: { large: { properties: large }, bad: { type: 'strin' }, good: { pattern: '^a$' } }, properties: { a: NUMBER } });
        const link = (schema: JsonValue): CompiledSchema =>
            atOnce(CompiledSchema.link(new SchemaDocument('X', schema), (name) => (name === 'T' ? document : undefined), []));

        expect(link({ $ref: 'T#/odd/good' }).validate('b')).to.have.length(1);
        expect(() => link({ $ref: 'T#/odd/large' })).to.throw(/has patterns that are, together, too large/);
        expect(() => link({ $ref: 'T#/odd/bad' })).to.throw(/T, which is not usable/);
        expect(link({ $ref: 'T#/odd/good' }).validate('b')).to.have.length(1);
        expect(link({ $ref: 'T' }).validate({ a: 'b' })).to.have.length(1);
    });

    it('are refused with a base URI that is too long', () => {

        expect(new SchemaDocument('T', {}, `x${'n'.repeat(8192)}`).errors).to.equal([{ pointer: '', message: 'has an id of more than 8192 characters' }]);
    });

    it('are refused with names that are too long', () => {

        const wide = { properties: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, {}])) };
        const deep = (levels: number, name: string): JsonObject => (levels === 0 ? wide : { properties: { [name]: deep(levels - 1, name) } });

        expect(() => compile(deep(40, 'n'.repeat(8000)))).to.throw(/has names that are, together, too long/);
        expect(() => compile({ properties: { ['n'.repeat(8193)]: {} } })).to.throw(/must not have a name of more than 8192 characters/);
        expect(() => compile({ required: ['n'.repeat(8193)] })).to.throw(/must not have a name of more than 8192 characters/);
        expect(() => compile({ $ref: `#/${'n'.repeat(8192)}` })).to.throw(/must have at most 8192 characters/);
        expect(() => compile({ properties: { a: { $id: `x${'n'.repeat(8192)}` } } })).to.throw(/has an id of more than 8192 characters/);
        expect(isValid(deep(40, 'n'.repeat(400)), {})).to.be.true();
    });

    it('have a limited number of errors', () => {

        const properties = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'strin' }]));

        expect(unusable({ properties }).errors.length).to.equal(20);
    });

    it('are not those of nearly the greatest depth', () => {

        expect(isValid(deep(49), { a: { a: 1 } })).to.be.true();
    });
});
