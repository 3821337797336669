import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import { readEnvelopeParameters } from '../../../../translators/http/request/envelope-params.js';
import { mergeJson } from '../../../../translators/http/request/json-combination.js';
import { parseParameters } from '../../../../translators/http/request/url.js';
import { writeJson } from '../../../../lib/json/serializer.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { processorTime } from '../../../support/processor-time.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const read = async (query: string): Promise<object> => {

    const { texts: _, ...parameters } = await readEnvelopeParameters(parseParameters(query, 1000));
    return parameters;
};

describe('the parameters of the envelope', () => {

    it('keep the texts of attributes that look like numbers', async () => {

        const { texts, attributes } = await readEnvelopeParameters(parseParameters('query=1.0&a.element=1e3&xx=null&name=abc&quoted="1"&deep.x=1.0&i.y=1.0', 1000));

        expect<unknown>([attributes['query'], attributes['element']]).to.equal([1, 1000]);
        expect([...texts]).to.equal([['query', '1.0'], ['element', '1e3'], ['xx', 'null']]);
    });

    it('keep the digits of numbers in attributes and in what is nested in an input', async () => {

        const { attributes, authentication, input } = await readEnvelopeParameters(parseParameters(
            'price=1.50&a.at.lat=47.0&big=12345678901234567890&a.at.big=0.1000000000000000055&u.password=1.50&i.password=1.50&i.attributes.content.price=1.50' +
            '&i.attributes.content.big=12345678901234567890&i.attributes.content.far=1e400', 1000));

        expect(writeJson(attributes)).to.equal('{"price":1.50,"at":{"lat":47.0,"big":"0.1000000000000000055"},"big":"12345678901234567890"}');
        expect<unknown>(authentication).to.equal({ password: '1.50' });
        expect(writeJson(input ?? null)).to.equal('{"password":"1.50","attributes":{"content":{"price":1.50,"big":12345678901234567890,"far":"1e400"}}}');
    });

    const accepted: [string, string, object][] = [
        ['long names', 'operationId=o&targetId=t&clientId=c&requestId=r',
            { operationId: 'o', targetId: 't', clientId: 'c', requestId: 'r', attributes: {} }],
        ['short names', 'o=0.DOIP/Op.Hello&t=a/b&c=x&r=1&u={"a":1}&a={"b":2}&i=[3]',
            { operationId: '0.DOIP/Op.Hello', targetId: 'a/b', clientId: 'x', requestId: '1', authentication: { a: 1 }, attributes: { b: 2 }, input: [3] }],
        ['strings as strings, whatever they look like', 'targetId=123&requestId=true', { targetId: '123', requestId: 'true', attributes: {} }],
        ['dotted names', 'attributes.query=foo&a.pageSize=10&authentication.token=t&u.x=true&input.a=1&i.b.c=null',
            { attributes: { query: 'foo', pageSize: 10 }, authentication: { token: 't', x: true }, input: { a: 1, b: { c: null } } }],
        ['further dots as nested objects', 'attributes.foo.bar=true&attributes.foo.baz.x=["a"]', { attributes: { foo: { bar: true, baz: { x: ['a'] } } } }],
        ['everything that is not reserved as attribute', 'query=foo&pageSize=10&requestContext={"a":{"b":1}}&x.y=1&xx.y=2',
            { attributes: { query: 'foo', pageSize: 10, requestContext: { a: { b: 1 } }, xx: { y: 2 } } }],
        ['single characters without meaning as nothing', '_=123&x=1&x.y=2&😀=1&O=1', { attributes: {} }],
        ['values that are no JSON as text', 'a.a=a b&a.b={x&a.c=&a.d=12345678901234567890&a.e="q"', {
            attributes: { a: 'a b', b: '{x', c: '', d: '12345678901234567890', e: 'q' }
        }],
        ['single-quoted JSON', 'attributes={\'a\': [True]}', { attributes: { a: [true] } }],
        ['several JSON values of one parameter', 'attributes={"a":1}&a={"b":2}&attributes={"c":3}', { attributes: { a: 1, b: 2, c: 3 } }],
        ['whole values and parts in any order', 'a.x.y=1&a={"x":{"z":2}}&q=3', { attributes: { x: { z: 2, y: 1 } } }],
        ['parts of different spelling', 'attributes.a=1&a.bb=2&cc=3', { attributes: { a: 1, bb: 2, cc: 3 } }],
        ['harmless relatives of prototypes', 'constructor=1&a.prototype=2&toString=3', { attributes: { constructor: 1, prototype: 2, toString: 3 } }],
        ['input that is not an object', 'input="x"', { attributes: {}, input: 'x' }],
        ['nothing', '', { attributes: {} }]
    ];

    for (const [title, query, expected] of accepted) {
        it(`are read: ${title}`, async () => {

            expect<unknown>(await read(query)).to.equal(expected);
        });
    }

    const refused: [string, string, RegExp][] = [
        ['a string twice', 'targetId=a&targetId=a', /^parameter targetId is given more than once$/],
        ['a string by both names', 'operationId=a&o=a', /^parameter operationId is given more than once$/],
        ['a property of a string', 'o.x=1', /^parameter o\.x addresses a property, but operationId is a string$/],
        ['an attribute twice', 'query=a&query=a', /^parameter query is given more than once$/],
        ['an attribute in two spellings', 'query=a&attributes.query=b', /^parameter attributes\.query is given more than once$/],
        ['an attribute whole and in part', 'attributes={"qq":1}&qq=1', /^parameter qq is given more than once$/],
        ['a property in two JSON values', 'attributes={"qq":1}&attributes={"qq":2}', /^property qq of attributes is given more than once$/],
        ['a property of a scalar', 'a.x=1&a.x.y=2', /^parameter a\.x\.y addresses a property of something that is not a JSON object$/],
        ['a scalar where there is an object', 'a.x.y=2&a.x=1', /^parameter a\.x is given more than once$/],
        ['a property of an array', 'a.x=[1]&a.x.0=2', /^parameter a\.x\.0 addresses a property of something/],
        ['a property of an array as a whole', 'input=[1]&input.x=2', /^parameter input\.x addresses a property of something/],
        ['two arrays', 'input=[1]&input=[2]', /^input is given more than once, and only JSON objects can be combined$/],
        ['an object beside a scalar', 'input={}&input=2', /^input is given more than once, and only/],
        ['attributes that are no object', 'attributes=[1]', /^parameter attributes must be a JSON object$/],
        ['attributes that are no JSON', 'attributes=foo', /^parameter attributes is malformed at line 1, column 1/],
        ['a name without characters', '=x', /^a parameter has no name$/],
        ['an empty step', 'attributes.=x', /^parameter attributes\. addresses a property without name$/],
        ['an empty step in between', 'foo..bar=x', /^parameter foo\.\.bar addresses a property without name$/],
        ['__proto__', '__proto__=1', /^parameter __proto__ has a name that is not allowed$/],
        ['__proto__ on the way', '__proto__.x=1', /has a name that is not allowed$/],
        ['__proto__ inside', 'a.__proto__.polluted=1', /has a name that is not allowed$/],
        ['the prototype of a constructor', 'a.constructor.prototype.polluted=1', /has a name that is not allowed$/],
        ['__proto__ inside JSON', 'attributes={"__proto__":{"polluted":1}}', /not allowed/],
        ['__proto__ inside a JSON part', 'a.x={"__proto__":{"polluted":1}}', /not allowed/],
        ['numbers that would be altered, inside JSON', 'attributes={"x":1e400}', /^\/x: number 1e400/],
        ['too many dots', `a${'.x'.repeat(33)}=1`, /^parameter a\.x.* has more than 32 dots$/],
        ['absurdly many dots', `a${'.x'.repeat(30000)}=1`, /has more than 32 dots$/]
    ];

    for (const [title, query, message] of refused) {
        it(`are rejected: ${title}`, async () => {

            const error = await expect(read(query)).to.reject<DoipError>(DoipError, message);

            expect(error.status).to.equal('0.DOIP/Status.101');
            expect(({} as Record<string, unknown>)['polluted']).to.be.undefined();
        });
    }
});

describe('objects that are given in several parameters', () => {

    const members = (count: number, prefix: string): string => `{${Array.from({ length: count }, (_, i) => `"${prefix}${i}":1`).join()}}`;

    it('are combined in a time that depends on their length only', async () => {

        const parameters = Array.from({ length: 1000 }, (_, i): [string, string] => ['attributes', members(19, `m${i}x`)]);
        const elapsed = processorTime();

        expect(Object.keys((await readEnvelopeParameters(parameters)).attributes)).to.have.length(19_000);
        expect(elapsed()).to.be.below(1000);
    });

    it('have no more values together than are allowed in one', async () => {

        const parameters = Array.from({ length: 1000 }, (_, i): [string, string] => ['attributes', members(110, `m${i}x`)]);
        const elapsed = processorTime();

        const message = 'the parameters hold more than the allowed 20000 values';
        const error = await expect(readEnvelopeParameters(parameters)).to.reject<DoipError>(DoipError, message);

        expect(error.http).to.equal(413);
        expect(elapsed()).to.be.below(3000);
        const lists = (count: number): string => ['a', 'bb', 'cc'].map((name) => `a={"${name}":[${'1,'.repeat(count)}1]}`).join('&');
        expect(Object.keys((await readEnvelopeParameters(parseParameters(lists(6_000), 10))).attributes)).to.equal(['a', 'bb', 'cc']);
        await expect(readEnvelopeParameters(parseParameters(lists(7_000), 10))).to.reject(DoipError, /^the parameters hold more than/);
    });

    it('have no more values together than are allowed in one, whatever their names, and whether or not they are JSON', async () => {

        const list = `[${'1,'.repeat(9_000)}1`;
        for (const one of [`${list}]`, list, `xx.y=${list}`, `i=${list}]`, `u.a=${list}`]) {
            const text = (name: string): string => (one.includes('=') ? one : `${name}=${one}`);
            expect(Object.keys(await read(`${text('aa')}&bb=[1]`))).to.not.be.empty();
            await expect(read(`${text('aa')}&bb=${list}&cc=${list}`)).to.reject(DoipError, /^the parameters hold more than/);
        }
    });

    it('are parsed in several turns of the event loop', async () => {

        const list = `["${'x'.repeat(31_000)}"]`;
        let turns = 0;
        const count = (): void => {

            turns += 1;
            immediate = setImmediate(count);
        };

        let immediate = setImmediate(count);
        await readEnvelopeParameters(Array.from({ length: 30 }, (_, i): [string, string] => [`a${i}`, list]));
        clearImmediate(immediate);

        expect(turns).to.be.above(20);
    });

    it('keep the texts of their numbers', async () => {

        const { attributes } = await readEnvelopeParameters(parseParameters('a={"x":1.10}&a={"yy":2}&a={"zz":3.0,"z":{"b":4.0}}&bb=5', 1000));

        expect(writeJson(attributes)).to.equal('{"x":1.10,"yy":2,"zz":3.0,"z":{"b":4.0},"bb":5}');
    });
});

describe('merging of JSON', () => {

    it('does not change its arguments', () => {

        const first = { a: 1 };

        expect<unknown>(mergeJson(first, { b: 2 }, 'input')).to.equal({ a: 1, b: 2 });
        expect(first).to.equal({ a: 1 });
    });

    it('has members of any number and name', () => {

        const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`m${i}`, i]));
        const merged = mergeJson(many, JSON.parse('{"__proto__":{"x":1}}') as JsonObject, 'input') as JsonObject;

        expect(Object.keys(merged)).to.have.length(20_002);
        expect(merged['x']).to.be.undefined();
    });
});
