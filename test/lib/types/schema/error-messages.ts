import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { contentErrors } from '../../../../lib/types/schema/error-messages.js';
import { processorTime } from '../../../support/processor-time.js';
import { compile } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const FORMS = { anyOf: [{ type: 'string' }, { type: 'object', required: ['b'] }] };

const CASES: [schema: JsonObject, content: JsonValue, faults: string[]][] = [
    [{ type: 'object' }, [], [': must be an object, got an array']],
    [{ type: ['string', 'null'] }, 5, [': must be a string or null, got a number']],
    [{ type: 'boolean' }, null, [': must be true or false, got null']],
    [{ type: 'integer' }, 1.5, [': must be a whole number, got a number']],
    [{ required: ['name', 'a/b'] }, {}, ['/name: is required', '/a~1b: is required']],
    [{ properties: { a: { required: ['b'] } } }, { a: {} }, ['/a/b: is required']],
    [{ additionalProperties: false }, { 'x~y': 1 }, ['/x~0y: is not a property of this type']],
    [{ unevaluatedProperties: false }, { x: 1 }, ['/x: is not a property of this type']],
    [{ unevaluatedItems: false }, [1], ['/0: is not an element that its schema allows']],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ['/ab: has a name that is too long: 2 characters, at most 1 allowed']],
    [{ propertyNames: false }, { ab: 1 }, ['/ab: has a name that is not allowed']],
    [{ propertyNames: { $ref: '#/definitions/n' }, definitions: { n: { maxLength: 1 } } }, { ab: 1 },
        ['/ab: has a name that is too long: 2 characters, at most 1 allowed']],
    [{ dependentRequired: { a: ['b', 'c'], d: ['e'] } }, { a: 1, d: 1 }, ['/b: is required where a is present', '/c: is required where a is present', '/e: is required where d is present']],
    [{ properties: { a: { enum: ['x', 'y', 1] } } }, { a: 'z' }, ['/a: must be one of "x", "y", 1']],
    [{ enum: Array.from({ length: 30 }, (_, i) => i) }, 'z', [': must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (30 in all)']],
    [{ const: { a: 1 } }, 'z', [': must be {"a":1}']],
    [{ minLength: 3 }, '😀', [': is too short: 1 character, at least 3 needed']],
    [{ maxLength: 3 }, 'abcd', [': is too long: 4 characters, at most 3 allowed']],
    [{ pattern: '^a$' }, 'b', [': must match the pattern ^a$']],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', format: 'date' }, 'b', [': must be in the format date']],
    [{ format: 'uri' }, 'b c', [': must be in the format uri']],
    [{ minimum: 3 }, 1, [': must be at least 3']],
    [{ maximum: 3 }, 4, [': must be at most 3']],
    [{ exclusiveMinimum: 3 }, 3, [': must be more than 3']],
    [{ exclusiveMaximum: 3 }, 3, [': must be less than 3']],
    [{ multipleOf: 2 }, 3, [': must be a multiple of 2']],
    [{ minItems: 1 }, [], [': must have at least 1 element, has 0']],
    [{ maxItems: 1 }, [1, 2], [': must have at most 1 element, has 2']],
    [{ items: [{}], additionalItems: false }, [1, 2], [': must have at most 1 element']],
    [{ uniqueItems: true }, [1, 2, 1], [': must not have equal elements, but 0 and 2 are equal']],
    [{ contains: { type: 'string' } }, [1], ['/0: must be a string, got a number', ': must have at least 1 element that match what it should contain']],
    [{ minProperties: 2 }, { a: 1 }, [': must have at least 2 properties, has 1']],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, [': must have at most 1 property, has 2']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['/b: is required where a is present']],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, ['/b: is required where a is present']],
    [{ not: {} }, 1, [': must not match what its schema excludes']],
    [{ properties: { a: false } }, { a: 1 }, ['/a: is not allowed']],
    [{ if: { type: 'string' }, then: { minLength: 2 } }, 'a', [': is too short: 1 character, at least 2 needed']],
    [FORMS, 5, [
        ': must match at least one of the forms that its schema allows', ': must be a string, got a number', ': must be an object, got a number'
    ]],
    [{ properties: { x: FORMS } }, { x: { a: 1 } }, [
        '/x: must match at least one of the forms that its schema allows', '/x: must be a string, got an object', '/x/b: is required'
    ]],
    [{ oneOf: [{}, { type: 'number' }] }, 5, [': must match exactly one of the forms that its schema allows, matches several']]
];

describe('validation errors of content', () => {

    for (const [schema, content, faults] of CASES) {
        it(`have messages: ${faults[0]}`, () => {

            const told = compile(schema).validate(content).map(({ pointer, message }) => `${pointer}: ${message}`);

            expect(told).to.equal(faults);
        });
    }

    it('never repeat the invalid value', () => {

        const schema = { properties: { password: { type: 'string', minLength: 8, pattern: '\\d', not: { const: 'x' } } } };
        const told = JSON.stringify(compile(schema).validate({ password: 'secret' }));

        expect(told).to.not.include('secret');
    });

    it('are listed, up to twenty', () => {

        const schema = { items: { type: 'string' } };

        expect(compile(schema).validate([1, 2, 3]).length).to.equal(3);
        expect(compile(schema).validate(Array.from({ length: 100 }, () => 1)).length).to.equal(20);
    });

    it('tell where they are without the end of very long names', () => {

        const name = 'n'.repeat(1_000_000);
        const milliseconds = processorTime();
        const told = compile({ additionalProperties: { items: { anyOf: [{ type: 'string' }] } } }).validate({ [name]: Array.from({ length: 150 }, () => 1) });

        expect(milliseconds()).to.be.below(500);
        expect(told.length).to.be.within(1, 5);
        expect(told.every(({ pointer }) => pointer === `/${'n'.repeat(1999)}…`)).to.be.true();
        expect(compile({ additionalProperties: { type: 'string' } }).validate({ [name.slice(0, 1999)]: 1 })[0]?.pointer).to.equal(`/${name.slice(0, 1999)}`);
    });

    it('count the characters of a long text, and not once for each error', () => {

        const text = `${'x\u{1f600}'.repeat(1_000_000)}\ud800\udc00\udc00`;
        const errors = Array.from({ length: 20 }, (_, limit) =>
            ({ keyword: 'maxLength', params: { limit }, instancePath: '/a', schemaPath: '' }));
        const milliseconds = processorTime();
        const told = contentErrors(errors, { a: text }, 20);

        expect(milliseconds()).to.be.below(500);
        expect(told[0]).to.equal({ pointer: '/a', message: 'is too long: 2000002 characters, at most 0 allowed' });
        expect(contentErrors(errors, { a: 'xx' }, 20)[0]?.message).to.equal('is too long: 2 characters, at most 0 allowed');
    });

    for (const length of [500, 100_000]) {
        it(`are reported one at a time for content of more than 500 values, such as ${length + 1}`, () => {

            expect<unknown>(compile({ items: { type: 'string' } }).validate(Array.from({ length }, () => 1))).to.equal([
                { pointer: '/0', message: 'must be a string, got a number' }
            ]);
            expect(compile({ items: { type: 'string' } }).validate(Array.from({ length: 499 }, () => 1)).length).to.equal(20);
        });
    }
});
