/** Types of JSON schemas, as text. The compiler reads what becomes of hostile ones in test/examples/operation-types.ts. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { comment, quoted, schemaType } from '../../../../lib/cli/declarations/schema-type.js';
import type { JsonValue } from '../../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the type of a JSON schema', () => {

    const CASES: readonly (readonly [title: string, schema: JsonValue, type: string])[] = [
        ['nothing', {}, 'JsonValue'],
        ['true', true, 'JsonValue'],
        ['false', false, 'never'],
        ['text', { type: 'string', minLength: 1 }, 'string'],
        ['an integer', { type: 'integer' }, 'number'],
        ['several types', { type: ['string', 'null'] }, 'string | null'],
        ['a type that there is not', { type: 'date' }, 'JsonValue'],
        ['a constant', { const: { 'a': ['x', 1, null], 'b-c': true } }, '{ a: [\'x\', 1, null]; \'b-c\': true }'],
        ['values', { enum: ['it\'s "so"', 2, null] }, '\'it\\\'s "so"\' | 2 | null'],
        ['no value', { enum: [] }, 'never'],
        ['any object', { type: 'object' }, 'JsonObject'],
        ['an object without a type', { properties: { a: { type: 'string' } } }, '{\n    a?: string;\n}'],
        ['properties', { type: 'object', properties: { 'a': { type: 'string' }, 'b c': { type: 'null' } }, required: ['a', 'd'] },
            '{\n    a: string;\n    \'b c\'?: null;\n    d: JsonValue;\n}'],
        ['nested objects', { type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } }, '{\n    a?: {\n        b?: JsonValue;\n    };\n}'],
        ['a property with a description', { properties: { a: { description: 'in mm' } } }, '{\n    /** in mm */\n    a?: JsonValue;\n}'],
        ['a record', { type: 'object', additionalProperties: { type: ['number', 'null'] } }, '{ [name: string]: number | null }'],
        ['a record of patterns', { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, 'JsonObject'],
        ['an object without properties', { type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
        ['properties and others', { properties: { a: {} }, additionalProperties: { type: 'number' } }, '{\n    a?: JsonValue;\n} & { [name: string]: unknown }'],
        ['a list', { type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
        ['a list of anything', { type: 'array' }, 'JsonValue[]'],
        ['a list without a type', { items: { type: 'string' } }, 'string[]'],
        ['a tuple of 2020-12', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 }, '[string, number?]'],
        ['a tuple of older drafts', { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'null' } }, '[string?, ...null[]]'],
        ['alternatives', { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string | string[]'],
        ['an alternative of anything', { anyOf: [{ type: 'string' }, {}] }, 'JsonValue'],
        ['alternatives that say the same', { anyOf: [{ type: 'string', format: 'date' }, { type: 'string', format: 'time' }] }, 'string'],
        ['all of several', { allOf: [{ properties: { a: {} } }, { anyOf: [{ type: 'null' }, { type: 'string' }] }] }, '{\n    a?: JsonValue;\n} & (null | string)'],
        ['an object that is also another', { type: 'object', allOf: [{ $ref: '#/x' }] }, 'Name_x'],
        ['a reference', { $ref: '#/x' }, 'Name_x'],
        ['a reference to nothing', { $ref: 'https://example.org/x' }, 'JsonValue'],
        ['a list of references', { items: { $ref: '#/x' } }, 'Name_x[]'],
        ['keywords of other kinds', { type: 5, properties: 'x', items: 7, required: true, anyOf: {}, $ref: 1, enum: 'x' }, 'JsonValue'],
        ['a property by the name of a prototype', JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as JsonValue, '{\n    __proto__?: string;\n}']
    ];
    for (const [title, schema, type] of CASES) {
        it(`is that of ${title}`, () => {

            expect(schemaType(schema, { nameOf: (reference) => (reference === '#/x' ? 'Name_x' : null) }).text).to.equal(type);
        });
    }

    it('can be read-only', () => {

        const schema = { properties: { a: { type: 'array', items: { type: 'array', items: { type: 'string' } } }, b: { additionalProperties: { type: 'null' } } } };

        expect(schemaType(schema, { nameOf: () => null, isReadonly: true }).text)
            .to.equal('{\n    readonly a?: readonly (readonly string[])[];\n    readonly b?: { readonly [name: string]: null };\n}');
    });

    it('does not multiply alternatives', () => {

        const anyOf = Array.from({ length: 50 }, (_, i) => ({ properties: { [`p${i}`]: {} }, required: [`p${i}`] }));

        expect(schemaType({ anyOf }, { nameOf: () => null }).text.split(' | ')).to.have.length(50);
        expect(schemaType({ anyOf, oneOf: anyOf, allOf: [{ anyOf, oneOf: anyOf }] }, { nameOf: () => null }).text).to.equal('JsonValue');
    });

    it('names what it is itself, and not what it has', () => {

        const direct = (schema: JsonValue): readonly string[] => schemaType(schema, { nameOf: (reference) => reference }).direct;

        expect(direct({ anyOf: [{ $ref: 'a' }, { allOf: [{ $ref: 'b' }, { type: 'object' }] }] })).to.equal(['a', 'b']);
        expect(direct({ properties: { a: { $ref: 'a' } }, items: { $ref: 'b' }, additionalProperties: { $ref: 'c' } })).to.equal([]);
    });
});

describe('text in declarations', () => {

    it('cannot end a string', () => {

        expect(quoted('a\'b"c\\d\ne\u2028\u202e\u{d800}')).to.equal('\'a\\\'b"c\\\\d\\ne\\u2028\\u202e\\ud800\'');
    });

    it('cannot end a comment, and is one line without signs that nobody sees', () => {

        expect(comment('a */ b\r\nc\u2028d\u202ee\u0000', '  ')).to.equal('  /** a *\\/ b c d e */\n');
        expect(comment(' \n', '')).to.equal('');
        expect(comment(7, '')).to.equal('');
        expect(comment('x'.repeat(5000), '')).to.have.length(1008);
    });
});
