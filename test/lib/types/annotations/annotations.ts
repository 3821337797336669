import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { startBudget } from '../../../../lib/util/concurrency/time-budget.js';
import { processorTime } from '../../../support/processor-time.js';
import { randomSource } from '../../../support/random-json.js';
import { compile, inGroups, namedContent } from '../../../support/types.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A schema with a mark, and more. */
function marked(mark: string, more: JsonObject = {}): JsonObject {

    return { ...more, cordra: { mark } };
}

/** The marks that apply to content, as `pointer mark`. */
function marksOf(schema: JsonObject, content: JsonValue, others?: Record<string, JsonValue>): string[] {

    return compile(schema, others).annotate(content).map(({ pointer, keyword }) => `${pointer} ${keyword.mark as string}`);
}

describe('annotations', () => {

    const cases: [title: string, schema: JsonObject, content: JsonValue, marks: string[]][] = [
        ['at the root', marked('r'), {}, [' r']],
        ['at properties that are there', { properties: { a: marked('a'), b: marked('b') } }, { a: 1 }, ['/a a']],
        ['under awkward names', { properties: { 'a/b~': marked('x') } }, { 'a/b~': 1 }, ['/a~1b~0 x']],
        ['at elements', { items: marked('e') }, [1, 2], ['/0 e', '/1 e']],
        ['at elements of tuples', { items: [marked('f'), {}, marked('t')], additionalItems: marked('r') }, [1, 2, 3, 4], ['/0 f', '/2 t', '/3 r']],
        ['at elements behind prefix items', { prefixItems: [marked('f')], items: marked('r') }, [1, 2], ['/0 f', '/1 r']],
        ['at elements that are contained', { contains: marked('c', { type: 'string' }) }, [1, 'a'], ['/1 c']],
        ['at members by pattern', { patternProperties: { '^x': marked('p') } }, { x1: 1, y: 2 }, ['/x1 p']],
        ['at all other members', { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: marked('o') }, { a: 1, x1: 1, z: 1 }, ['/z o']],
        ['through references', { properties: { a: { $ref: '#/definitions/m' } }, definitions: { m: marked('m') } }, { a: 1 }, ['/a m']],
        ['through references and beside them', { $ref: '#/definitions/m', cordra: { mark: 'own' }, definitions: { m: marked('m') } }, 1, [' own', ' m']],
        ['through references to other types', { properties: { a: { $ref: 'Other#/$defs/m' } } }, { a: 1 }, ['/a other']],
        ['through recursion', { properties: { c: { $ref: '#' }, n: marked('n') } }, { n: 1, c: { n: 2, c: {} } }, ['/c/n n', '/n n']],
        ['through allOf', { allOf: [marked('1'), { properties: { a: marked('2') } }] }, { a: 1 }, [' 1', '/a 2']],
        ['through every branch of anyOf that matches', { anyOf: [marked('s', { type: 'string' }), marked('n', { type: 'number' }), marked('m', { minimum: 2 })] }, 3, [' n', ' m']],
        ['through the one branch of oneOf', { oneOf: [marked('s', { type: 'string' }), marked('n', { type: 'number' })] }, 'x', [' s']],
        ['not inside of branches that fail after a mark', { anyOf: [{ properties: { a: marked('x'), b: { type: 'string' } } }, { properties: { a: marked('y') } }] }, { a: 1, b: 1 }, ['/a y']],
        ['not inside of branches that fail deep down', {
            anyOf: [{ properties: { a: { items: marked('x') }, z: { items: { properties: { k: false } } } } }, {}]
        }, { a: [1, 2], z: [{}, { k: 1 }] }, []],
        ['through branches within branches', { anyOf: [{ anyOf: [marked('1', { type: 'string' }), { oneOf: [marked('2')] }] }] }, 1, [' 2']],
        ['through then', { if: { required: ['a'] }, then: marked('t'), else: marked('e') }, { a: 1 }, [' t']],
        ['through else', { if: { required: ['a'] }, then: marked('t'), else: marked('e') }, {}, [' e']],
        ['through a condition that holds', { if: marked('i', { type: 'string' }) }, 'x', [' i']],
        ['not through a condition that does not', { if: marked('i', { type: 'string' }) }, 1, []],
        ['through schemas of dependent members', { dependentSchemas: { a: marked('d') }, dependencies: { b: marked('e'), c: ['a'] } }, { a: 1 }, [' d']],
        ['not through not', { not: marked('n', { type: 'string' }) }, 1, []],
        ['not through names of properties', { propertyNames: marked('n') }, { a: 1 }, []],
        ['not where the kind of the value does not fit', { properties: { a: marked('a') }, items: marked('i') }, 'text', []],
        ['not at inherited names', { properties: { constructor: marked('c'), toString: marked('t') } }, {}, []]
    ];
    for (const [title, schema, content, marks] of cases) {
        it(`apply ${title}`, () => {

            expect(marksOf(schema, content, { Other: { $defs: { m: marked('other') } } })).to.equal(marks);
        });
    }

    it('carry the value and the keyword', () => {

        const [annotation] = compile({ properties: { a: { cordra: { auth: 'username' } } } }).annotate({ a: 'ann' });

        expect<unknown>(annotation).to.equal({ pointer: '/a', keyword: { auth: 'username' }, value: 'ann' });
    });

    it('read the legacy keyword where the current one lacks a member', () => {

        const schema = {
            'cordra': { type: { handleReference: { types: ['A'] } }, auth: 'username' },
            'net.cnri.repository': { type: { handleReference: { types: ['B'], prepend: 'x/' } }, secureProperty: true }
        };

        expect<unknown>(compile(schema).annotate('v')[0]?.keyword).to.equal({
            type: { handleReference: { types: ['A'], prepend: 'x/' } }, auth: 'username', secureProperty: true
        });
        expect<unknown>(compile({ 'net.cnri.repository': { auth: 'password' } }).annotate('v')[0]?.keyword).to.equal({ auth: 'password' });
    });

    it('of many properties are those of a few at a time, in the same order', () => {

        const random = randomSource(5);
        const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, marked(`m${i}`, i % 3 === 0 ? { $ref: '#' } : {})]));
        const dependentSchemas = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, marked(`d${i}`)]));
        const wide = compile({ properties, dependentSchemas });
        const narrow = compile({ allOf: [...inGroups(properties, 'properties'), ...inGroups(dependentSchemas, 'dependentSchemas')] });
        for (let i = 0; i < 300; ++i) {
            const content = namedContent(random, 3);
            startBudget();

            expect<unknown>(wide.annotate(content).map(({ pointer, keyword }) => [pointer, keyword])).to.equal(
                narrow.annotate(content).map(({ pointer, keyword }) => [pointer, keyword])
            );
        }
    });

    it('of many properties are not looked for in every object', () => {

        const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`p${i}`, marked('m')]));
        const compiled = compile({ items: { properties } });
        const content = Array.from({ length: 50_000 }, (_, i) => (i === 7 ? { x: 1, p7: 1 } : {}));
        const milliseconds = processorTime();

        expect(compiled.annotate(content).map(({ pointer }) => pointer)).to.equal(['/7/p7']);
        expect(milliseconds()).to.be.below(1000);
    });

    it('cost nothing where a schema has none', () => {

        const content = { list: Array.from({ length: 100_000 }, (_, i) => i) };

        expect<unknown>(compile({ properties: { list: { items: { type: 'number' } } } }).annotate(content)).to.equal([]);
    });
});
