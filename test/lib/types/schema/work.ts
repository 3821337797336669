/** Schemas that take long for the content that they apply to: the work is charged to the time budget, wherever it is done. */

import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { isLonger, isShorter } from '../../../../lib/types/schema/text-lengths.js';
import { ValueSizes, weightOf } from '../../../../lib/types/schema/work.js';
import { BudgetExceeded } from '../../../../lib/util/concurrency/time-budget.js';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { compile } from '../../../support/types.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** What takes at most half a second may take ten times as long on a busy machine; without a limit, these would take up to minutes. */
const MOST_MS = 5000;

function list<T>(length: number, make: (i: number) => T): T[] {

    return Array.from({ length }, (_, i) => make(i));
}

/** Alternatives, each with as many of its own, all of them one costly schema. */
function alternatives(costly: JsonObject): JsonObject {

    return {
        definitions: { costly, inner: { anyOf: list(1000, () => ({ $ref: '#/definitions/costly' })) } },
        anyOf: list(1000, () => ({ $ref: '#/definitions/inner' }))
    };
}

const HEAVY = { items: { allOf: list(50, (i) => ({ not: { const: 30_000 + i } })) }, maxItems: 5 };

const CASES: readonly (readonly [title: string, schema: JsonObject, content: JsonValue])[] = [
    ['many references to one costly schema', alternatives(HEAVY), list(19_000, (i) => i)],
    ['the same inside another list', alternatives({ items: HEAVY }), [list(19_000, (i) => i)]],
    ['many formats for many texts', { items: { allOf: list(100, () => ({ format: 'uri' })) } }, list(19_000, (i) => `https://example.org/${i}/${'a'.repeat(80)}`)],
    ['many lengths of a long text', { allOf: list(1000, (i) => ({ maxLength: 1_500_000 - i })) }, '😀'.repeat(1_000_000)],
    ['many lists of required members for many objects', {
        items: { allOf: list(99, () => ({ $ref: '#/definitions/r' })) }, definitions: { r: { required: list(1000, () => 'a') } }
    }, list(9000, () => ({ a: 1 }))]
];

describe('the work of a schema', () => {

    for (const [title, schema, content] of CASES) {
        it(`is limited for ${title}`, () => {

            const compiled = compile({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema });
            const elapsed = processorTime();
            try {
                compiled.validate(content);
            }
            catch (error) {
                expect(error).to.be.an.instanceof(BudgetExceeded);
            }

            expect(elapsed()).to.be.below(MOST_MS);
        });
    }

    it('is small for lengths that code units decide', () => {

        const compiled = compile({ allOf: list(1000, (i) => ({ maxLength: 3_000_000 + i, minLength: i + 1 })) });
        const elapsed = processorTime();

        expect(compiled.validate('x'.repeat(2_000_000))).to.equal([]);
        expect(elapsed()).to.be.below(MOST_MS / 5);
    });

    it('is estimated by the sizes of both', () => {

        const sizes = new ValueSizes();
        const values: [JsonValue, number][] = [[null, 1], [1, 1], ['', 1], ['x'.repeat(160), 11], [[], 1], [{}, 1], [[1, [2, 3], { a: { b: 4 } }], 8]];
        const twice = values.at(-1)?.[0] as JsonValue;

        values.push([[twice, twice], 17]);
        for (const [value, size] of values) {
            expect(sizes.of(value), JSON.stringify(value).slice(0, 50)).to.equal(size);
        }

        expect([weightOf(true), weightOf({}), weightOf({ const: 'x'.repeat(388) })]).to.equal([1, 1, 10]);
    });

    it('counts characters as Unicode does', () => {

        for (const text of ['', 'a', 'ab', '😀', '😀😀', 'a😀b', '\ud83d', '\ude00\ud83d', '😀\ude00', 'é́']) {
            const length = [...text].length;
            for (let limit = 0; limit < 8; ++limit) {
                expect([isLonger(text, limit), isShorter(text, limit)], `${JSON.stringify(text)} ${limit}`).to.equal([length > limit, length < limit]);
            }
        }
    });
});
