import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Joi from 'joi';
import { areExact, asDeclared, flag, text, texts } from '../../../lib/core/attributes.js';
import { shapeAttributes } from '../../../lib/core/input.js';
import type { Operation } from '../../../lib/core/operation.js';
import { builtInOperations } from '../../../lib/operations/index.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';

export const lab = Lab.script();
const { describe, it } = lab;

const OPTIONS: Joi.ValidationOptions = { allowUnknown: true, abortEarly: true, convert: true };

const VALUES: readonly JsonValue[] = [
    true, false, 'true', 'False', '', 'text', '17', ' 17', 0, -1, 3, 2 ** 53, 1.5, -0, null, [], ['a'], [1, 'b'], {}, { field: 'a' }, [{ field: 'a' }]
];

/** An operation with a schema, for which nothing else matters. */
function withAttributes(attributes: Joi.ObjectSchema): Operation {

    return { attributes } as unknown as Operation;
}

/** What Joi makes of attributes. */
function byJoi(schema: Joi.ObjectSchema, attributes: JsonObject): JsonValue {

    const { error, value } = schema.validate(asDeclared(schema, attributes), OPTIONS) as { error?: Error; value: JsonObject };
    return error ? `attribute ${error.message}` : value;
}

function shaped(schema: Joi.ObjectSchema, attributes: JsonObject): JsonValue {

    try {
        return shapeAttributes(withAttributes(schema), attributes);
    }
    catch (error) {
        return (error as Error).message;
    }
}

describe('the attributes of a request', () => {

    it('keep the spelling of numbers where they are text', () => {

        const schema = Joi.object({ word: Joi.string(), name: text(), list: texts(), count: Joi.number() });
        const attributes = { word: 1.5, name: 1.5, list: 1.5, count: 1.5, other: 1.5 };
        const spelled = new Map(Object.keys(attributes).map((name) => [name, '1.50']));

        expect<unknown>(shapeAttributes(withAttributes(schema), attributes, spelled)).to.equal({ word: '1.50', name: '1.50', list: ['1.50'], count: 1.5, other: 1.5 });
        expect(() => shapeAttributes(withAttributes(schema), { word: 15 }, new Map([['word', '15']]))).to.throw(/must be a string/);
    });

    for (const { id, attributes: schema } of builtInOperations) {
        if (!schema) {
            continue;
        }

        it(`become what Joi makes of them: ${id}`, () => {

            const names = [...Object.keys((schema.describe() as { keys?: object }).keys ?? {}), 'unknown'];
            for (const name of names) {
                for (const value of VALUES) {
                    const second = names[(names.indexOf(name) + 1) % names.length] ?? name;
                    for (const attributes of [{ [name]: value }, { [name]: value, [second]: 'text' }, { [name]: value, [second]: true }]) {
                        expect<unknown>(shaped(schema, attributes)).to.equal(byJoi(schema, attributes));
                    }
                }
            }
        });
    }

    const plain = Joi.object({ on: flag().default(false), name: text().default('none'), size: Joi.number().integer() });
    const withRange = Joi.object({ name: text(), range: Joi.object({ start: Joi.number(), end: Joi.number() }).or('start', 'end') });
    const cases: readonly (readonly [title: string, schema: Joi.ObjectSchema, attributes: JsonObject, isExact: boolean])[] = [
        ['values of their types', plain, { on: true, name: 'a', size: 3 }, true],
        ['unknown ones', plain, { other: [1] }, true],
        ['a text for a flag', plain, { on: 'true' }, false],
        ['a number for a text', plain, { name: 1 }, false],
        ['a fraction for an integer', plain, { size: 1.5 }, false],
        ['a list', Joi.object({ names: texts() }), { names: ['a'] }, false],
        ['a limited number', Joi.object({ size: Joi.number().integer().max(2) }), { size: 1 }, false],
        ['a text of a set', Joi.object({ name: text().valid('a') }), { name: 'a' }, false],
        ['a text with a rule of its own', Joi.object({ name: text().custom((value: string) => value.trim()) }), { name: ' a' }, false],
        ['a schema with a required one', Joi.object({ name: text().required(), on: flag() }), { on: true }, false],
        ['a schema with a rule for several', plain.oxor('on', 'name'), { on: true, name: 'a' }, false],
        ['a schema that renames', plain.rename('label', 'name'), { label: 'a' }, false],
        ['a schema with a condition', Joi.object({ on: flag(), name: text().when('on', { is: true, then: Joi.required() }) }), { on: true }, false],
        ['a default by another one', Joi.object({ from: text(), to: text().default(Joi.ref('from')) }), { from: 'a' }, false],
        ['a computed default', Joi.object({ from: text(), to: text().default((others: { from: string }) => `${others.from}!`) }), { from: 'a' }, false],
        ['a default that is a list', Joi.object({ name: text(), tags: texts().default([]) }), { name: 'a' }, false],
        ['an object with a deep default', Joi.object({ name: text(), size: Joi.object({ x: Joi.number().default(1) }).default() }), { name: 'a' }, false],
        ['an absent object with a rule for its members', withRange, { name: 'a' }, true],
        ['an object with a rule for its members', withRange, { name: 'a', range: { start: 1 } }, false],
        ['an attribute that its own preferences require', Joi.object({ name: text(), on: flag().prefs({ presence: 'required' }) }), { name: 'a' }, false]
    ];
    for (const [title, schema, attributes, isExact] of cases) {
        it(`are ${isExact ? '' : 'not '}valid without Joi: ${title}`, () => {

            expect(areExact(schema, attributes)).to.equal(isExact);
            expect<unknown>(shaped(schema, attributes)).to.equal(byJoi(schema, attributes));
        });
    }
});
