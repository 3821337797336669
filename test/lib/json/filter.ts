import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { parsePointer } from '../../../lib/json/pointer.js';
import { prune } from '../../../lib/json/filter.js';
import { pointersOf, randomSource, randomValue } from '../../support/random-json.js';
import { processorTime } from '../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Pruning written the obvious way, to compare with. */
function naivePrune(value: JsonValue, pointers: readonly string[][]): JsonValue | undefined {

    if (pointers.some((pointer) => pointer.length === 0)) {
        return value;
    }

    if (typeof value !== 'object' || value === null) {
        return undefined;
    }

    const kept = Object.entries(value).flatMap(([name, child]) => {

        const below = pointers.filter(([first]) => first === name || (Array.isArray(value) && first === '_'));
        const keptChild = below.length > 0 ? naivePrune(child, below.map((pointer) => pointer.slice(1))) : undefined;
        return keptChild === undefined ? [] : [[name, keptChild] as const];
    });
    return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept);
}

describe('the JSON filter', () => {

    const cases: [string, JsonValue, string[], JsonValue][] = [
        ['keeps one member', { a: 1, b: 2 }, ['/a'], { a: 1 }],
        ['keeps whole branches', { a: { b: [1, 2] }, c: 3 }, ['/a'], { a: { b: [1, 2] } }],
        ['keeps parents as a skeleton', { a: { b: 1, c: 2 }, d: 3 }, ['/a/b'], { a: { b: 1 } }],
        ['merges several pointers', { a: { b: 1, c: 2, d: 3 } }, ['/a/b', '/a/d'], { a: { b: 1, d: 3 } }],
        ['keeps everything for the empty pointer', { a: 1 }, ['', '/b'], { a: 1 }],
        ['keeps nothing without pointers', { a: 1 }, [], {}],
        ['yields nothing for unknown pointers', { a: 1 }, ['/b', '/a/b', '/a/_'], {}],
        ['matches every element with _', { a: [{ x: 1, y: 2 }, { x: 3 }, 4] }, ['/a/_/x'], { a: [{ x: 1 }, { x: 3 }] }],
        ['keeps one element by its number', { a: ['x', 'y', 'z'] }, ['/a/1'], { a: ['y'] }],
        ['merges _ and a number', [{ x: 1, y: 2 }, { x: 3, y: 4 }], ['/_/x', '/1/y'], [{ x: 1 }, { x: 3, y: 4 }]],
        ['merges _ and a number deep inside', [[[1, 2]], [[3, 4]]], ['/_/0/0', '/1/_/1'], [[[1]], [[3, 4]]]],
        ['treats _ in an object literally', { _: 1, a: 2 }, ['/_'], { _: 1 }],
        ['keeps nulls', { a: null, b: 1 }, ['/a'], { a: null }],
        ['keeps the order of the value', { b: 1, a: 2 }, ['/a', '/b'], { b: 1, a: 2 }],
        ['yields null for a scalar without its pointer', 'text', ['/a'], null]
    ];
    for (const [title, root, pointers, expected] of cases) {
        it(title, () => {

            const before = structuredClone(root);

            expect(JSON.stringify(prune(root, pointers))).to.equal(JSON.stringify(expected));
            expect<unknown>(root).to.equal(before);
        });
    }

    it('does not reach inherited members', () => {

        expect<unknown>(prune({ a: 1 }, ['/__proto__', '/constructor', '/toString'])).to.equal({});
    });

    it('keeps a member with the name __proto__ a member', () => {

        const pruned = prune(JSON.parse('{"__proto__":{"x":1},"a":1}') as JsonObject, ['/__proto__/x']);

        expect(JSON.stringify(pruned)).to.equal('{"__proto__":{"x":1}}');
        expect((pruned as JsonObject)['x']).to.be.undefined();
    });

    it('rejects too many pointers', () => {

        expect(() => prune({}, new Array<string>(10_001).fill('/a'))).to.throw('the filter has more than 10000 JSON pointers');
    });

    it('rejects too many segments', () => {

        const pointers = Array.from({ length: 50 }, (_, i) => `/${i}${'/a'.repeat(500)}`);
        expect(() => prune({}, pointers)).to.throw('the JSON pointers of the filter have more than 25000 segments together');
    });

    it('rejects a malformed pointer', () => {

        expect(() => prune({}, ['/a', 'b'])).to.throw('Invalid JSON Pointer b');
    });

    it('agrees with a naive implementation', () => {

        const random = randomSource(11);
        for (let i = 0; i < 1000; ++i) {
            const root = randomValue(random, 5);
            const known = pointersOf(root);
            const pointers = Array.from({ length: random(5) }, () => {

                const pointer = known[random(known.length)] ?? '';
                return random(2) === 0 ? pointer : pointer.replace(/\/\d/, '/_') + (random(4) === 0 ? '/0' : '');
            });
            const expected = naivePrune(root, pointers.map((pointer) => [...parsePointer(pointer)])) ?? null;

            expect(JSON.stringify(prune(root, pointers)), pointers.join()).to.equal(JSON.stringify(expected));
        }
    });

    it('is not slowed down by a product of pointers', () => {

        const depth = 11;
        let value: JsonValue = 1;
        for (let i = 0; i < depth; ++i) {
            value = [value, value];
        }

        const pointers = Array.from({ length: 2 ** depth }, (_, bits) =>
            Array.from({ length: depth }, (_, level) => (bits >> level & 1 ? '/0' : '/_')).join(''));

        const elapsed = processorTime();
        expect<unknown>(prune(value, pointers)).to.equal(value);
        expect(elapsed()).to.be.below(10_000);
    });

    it('is not slowed down by many pointers by _ beside many by number', () => {

        const pointers = Array.from({ length: 5000 }, (_, i) => [`/_/a${i}`, `/${i}/x`]).flat();
        const value = Array.from({ length: 3000 }, (_, i) => ({ x: i, a1: 2, y: 3 }));
        const elapsed = processorTime();

        expect<unknown>(prune(value, pointers)).to.equal(value.map(({ x, a1 }) => ({ x, a1 })));
        expect(elapsed()).to.be.below(700);
    });

    it('refuses elements that are named in too many ways', () => {

        const depth = 10;
        const pointers = Array.from({ length: 2 ** depth }, (_, bits) =>
            `${Array.from({ length: depth }, (_each, level) => (bits >> level & 1 ? '/0' : '/_')).join('')}/_/a`);
        let value: JsonValue = Array.from({ length: 10_000 }, () => ({ a: 1 }));
        for (let i = 0; i < depth; ++i) {
            value = [value];
        }

        const elapsed = processorTime();
        expect(() => prune(value, pointers)).to.throw('the JSON pointers of the filter name elements of arrays by _ as well as by number in too many ways');
        expect(elapsed()).to.be.below(3000);
    });
});
