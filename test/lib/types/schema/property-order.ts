import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { randomSource, randomValue } from '../../../support/random-json.js';
import { compile } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

function schemaOf(...names: string[]): JsonObject {

    return { properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

describe('the property order', () => {

    const cases: [title: string, schema: JsonObject, content: JsonObject, ordered: JsonObject][] = [
        ['is that of the schema', schemaOf('a', 'b', 'c'), { c: 1, a: 2, b: 3 }, { a: 2, b: 3, c: 1 }],
        ['puts others behind, in their own order', schemaOf('b'), { z: 1, y: 2, b: 3 }, { b: 3, z: 1, y: 2 }],
        ['stays where it is right', schemaOf('a', 'b'), { a: 1, x: 2 }, { a: 1, x: 2 }],
        ['holds in nested objects', { properties: { o: schemaOf('a', 'b') } }, { o: { b: 1, a: 2 } }, { o: { a: 2, b: 1 } }],
        ['holds in elements', { properties: { l: { items: schemaOf('a', 'b') } } }, { l: [{ b: 1, a: 2 }, 5] }, { l: [{ a: 2, b: 1 }, 5] }],
        ['leaves tuples alone', { properties: { l: { items: [schemaOf('a', 'b')] } } }, { l: [{ b: 1, a: 2 }] }, { l: [{ b: 1, a: 2 }] }],
        ['holds through references', { properties: { o: { $ref: '#/definitions/o' } }, definitions: { o: schemaOf('a', 'b') } }, { o: { b: 1, a: 2 } }, { o: { a: 2, b: 1 } }],
        ['puts what a referred schema names behind', { ...schemaOf('x'), $ref: '#/definitions/o', definitions: { o: schemaOf('a', 'b') } }, { b: 1, x: 2, a: 3 }, { x: 2, a: 3, b: 1 }],
        ['holds through recursion', { properties: { n: {}, c: { $ref: '#' } } }, { c: { c: { n: 1 }, n: 2 }, n: 3 }, { n: 3, c: { n: 2, c: { n: 1 } } }],
        ['holds through recursion by a part of the schema', {
            properties: { o: { $ref: '#/definitions/o' } }, definitions: { o: { properties: { a: {}, o: { $ref: '#/definitions/o' } } } }
        }, { o: { o: { o: {}, a: 1 }, a: 2 } }, { o: { a: 2, o: { a: 1, o: {} } } }]
    ];
    for (const [title, schema, content, ordered] of cases) {
        it(title, () => {

            const before = JSON.stringify(content);

            expect(JSON.stringify(compile(schema).reorder(content))).to.equal(JSON.stringify(ordered));
            expect(JSON.stringify(content)).to.equal(before);
        });
    }

    it('is applied to a copy, even without changes', () => {

        const content = { a: 1 };

        expect<unknown>(compile({}).reorder(content)).to.not.shallow.equal(content);
        expect<unknown>(compile(schemaOf('a')).reorder(content)).to.not.shallow.equal(content);
    });

    it('keeps a member with the name __proto__ a member', () => {

        const ordered = compile(schemaOf('a')).reorder(JSON.parse('{"__proto__":{"x":1},"a":2}') as JsonObject);

        expect(JSON.stringify(ordered)).to.equal('{"a":2,"__proto__":{"x":1}}');
    });

    it('never changes values', () => {

        const random = randomSource(3);
        const schema = { properties: { b: { $ref: '#' }, _: { items: { $ref: '#' } }, a: { $ref: '#' } } };
        const compiled = compile(schema);
        for (let i = 0; i < 300; ++i) {
            const content: JsonValue = { a: randomValue(random, 4), b: randomValue(random, 4) };
            expect<unknown>(compiled.reorder(content)).to.equal(content);
        }
    });
});
