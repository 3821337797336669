/** Links of Joi schemas that lead nowhere are found at registration exactly where Joi rejects them at the first value. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Joi from 'joi';
import { danglingLink } from '../../../lib/core/joi-links.js';

export const lab = Lab.script();
const { describe, it } = lab;

const tree = Joi.object({ name: Joi.string(), children: Joi.array().items(Joi.link('#node')) }).id('node');

const CASES: readonly (readonly [title: string, schema: Joi.Schema, value: unknown, link: string | undefined])[] = [
    ['none', Joi.object({ a: Joi.string() }), { a: 'x' }, undefined],
    ['an id of nothing', Joi.object({ a: Joi.link('#nothing') }), { a: 1 }, '#nothing'],
    ['an id within an array', Joi.array().items(Joi.object({ a: Joi.link('#b.c') })), [{ a: 1 }], '#b.c'],
    ['the id of the root', Joi.object({ a: Joi.link('#me') }).id('me'), { a: {} }, undefined],
    ['the id of a schema that has it', Joi.object({ tree }), { tree: { children: [{ children: [] }] } }, undefined],
    ['the id of a schema beside it', Joi.object({ tree, other: Joi.link('#node') }), { other: {} }, '#node'],
    ['the key of a schema around it', Joi.object({ a: Joi.object({ b: Joi.link('#a') }) }), { a: { b: {} } }, undefined],
    ['a shared schema', Joi.object({ a: Joi.link('#x') }).shared(Joi.number().id('x')), { a: 1 }, undefined],
    ['the root', Joi.object({ a: Joi.link('/') }), { a: {} }, undefined],
    ['a key of the root', Joi.object({ a: Joi.link('/b'), b: Joi.number() }), { a: 1 }, undefined],
    ['a key that the root lacks', Joi.object({ a: Joi.link('/nope') }), { a: 1 }, '/nope'],
    ['its parent', Joi.object({ a: Joi.array().items(Joi.link('...')) }), { a: [{}] }, undefined],
    ['more levels than there are', Joi.object({ a: Joi.link('.....') }), { a: 1 }, '.....'],
    ['nothing, in an alternative', Joi.object({ a: Joi.alternatives(Joi.string(), Joi.array().items(Joi.link('#c'))) }), { a: [1] }, '#c'],
    ['its parent, in an alternative', Joi.object({ a: Joi.alternatives(Joi.string(), Joi.array().items(Joi.link('....'))) }), { a: [{}] }, undefined]
];

describe('a link of a schema', () => {

    for (const [title, schema, value, link] of CASES) {
        it(`to ${title}`, () => {

            const validate = (): unknown => schema.validate(value);
            expect(danglingLink(schema)).to.equal(link);
            if (link === undefined) {
                expect(validate).to.not.throw();
            }
            else {
                expect(validate).to.throw(/link reference/);
            }
        });
    }
});
