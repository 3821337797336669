import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { JsonValue } from '../../../../lib/util/json-types.js';
import { readAuthentication } from '../../../../translators/http/request/authentication.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const base64 = (text: string, encoding: BufferEncoding = 'utf8'): string => Buffer.from(text, encoding).toString('base64');

describe('credentials in requests', () => {

    const accepted: [string, string | undefined, object][] = [
        ['no header', undefined, {}],
        ['Basic', `Basic ${base64('user:pa:ss')}`, { username: 'user', password: 'pa:ss' }],
        ['Basic in any case', `bAsIc  ${base64('user:')}`, { username: 'user', password: '' }],
        ['Basic in UTF-8', `Basic ${base64('ü:€')}`, { username: 'ü', password: '€' }],
        ['Basic in Latin-1', `Basic ${base64('ü:x', 'latin1')}`, { username: 'ü', password: 'x' }],
        ['Basic without padding', `Basic ${base64('a:bc').replace('=', '')}`, { username: 'a', password: 'bc' }],
        ['Bearer', 'Bearer abc.def-~+/=', { token: 'abc.def-~+/=' }],
        ['Doip', `Doip ${base64('{"token":"t","asUserId":"u/1"}')}`, { token: 't', asUserId: 'u/1' }],
        ['Doip in URL-safe Base64', `doip ${Buffer.from('{"username":"\u00ff\u00fe","password":"?>"}').toString('base64url')}`,
            { username: '\u00ff\u00fe', password: '?>' }]
    ];

    for (const [title, authorization, expected] of accepted) {
        it(`are read: ${title}`, () => {

            expect<unknown>(readAuthentication({ authorization })).to.equal(expected);
        });
    }

    const refused: [string, string][] = [
        ['an empty header', ''],
        ['a blank header', ' '],
        ['an unknown scheme', 'Digest username="x"'],
        ['a scheme alone', 'Basic'],
        ['a Bearer without token', 'Bearer '],
        ['a Bearer with two words', 'Bearer a b'],
        ['Basic that is not Base64', 'Basic a:b'],
        ['Basic without colon', `Basic ${base64('user')}`],
        ['Doip that is not Base64', 'Doip {"token":"secret"}'],
        ['Doip that is not JSON', `Doip ${base64('secret')}`],
        ['Doip with an array', `Doip ${base64('["secret"]')}`],
        ['Doip with a repeated property', `Doip ${base64('{"token":"secret","token":"secret"}')}`],
        ['Doip with __proto__', `Doip ${base64('{"__proto__":{"secret":1}}')}`],
        ['Doip in Latin-1', `Doip ${base64('{"token":"secr\u00e9t"}', 'latin1')}`]
    ];

    for (const [title, authorization] of refused) {
        it(`are left to be rejected, and not repeated: ${title}`, () => {

            const { unreadable, ...rest } = readAuthentication({ authorization });

            expect(Object.keys(rest)).to.equal([]);
            expect(unreadable as string).to.startWith('the Authorization header').and.to.not.contain('secret');
        });
    }

    it('include the user of the As-User header', () => {

        expect<unknown>(readAuthentication({ authorization: 'Bearer t', 'as-user': ' test/u ' })).to.equal({ token: 't', asUserId: 'test/u' });
        expect<unknown>(readAuthentication({ 'as-user': Buffer.from('test/ü').toString('latin1') })).to.equal({ asUserId: 'test/ü' });
    });

    it('include the properties of the parameter', () => {

        expect<unknown>(readAuthentication({ authorization: 'Bearer t' }, { authentication: { asUserId: 'x', key: [1] } }))
            .to.equal({ token: 't', asUserId: 'x', key: [1] });
        expect<unknown>(readAuthentication({}, { authentication: { token: 't' } })).to.equal({ token: 't' });
        expect<unknown>(readAuthentication({}, { authentication: null })).to.equal({});
    });

    const repeated: [Record<string, string>, JsonValue][] = [
        [{ authorization: 'Bearer t' }, { token: 't' }],
        [{ 'as-user': 'x' }, { asUserId: 'x' }],
        [{ authorization: `Basic ${base64('a:b')}` }, { password: 'b' }]
    ];

    for (const [headers, authentication] of repeated) {
        it(`are rejected with 400: ${JSON.stringify(authentication)} beside ${Object.keys(headers).join()}`, () => {

            const error = expect(() => readAuthentication(headers, { authentication })).to.throw(DoipError, /is given more than once/);

            expect(error.status).to.equal('0.DOIP/Status.101');
        });
    }

    for (const authentication of ['text', 1, ['x'], true] as JsonValue[]) {
        it(`are left to be rejected: the parameter ${JSON.stringify(authentication)}`, () => {

            expect<unknown>(readAuthentication({}, { authentication })).to.equal({ unreadable: 'parameter authentication must be a JSON object' });
        });
    }

    it('may be an access token only without an Authorization header', () => {

        expect<unknown>(readAuthentication({}, { accessToken: 't' })).to.equal({ token: 't' });
        expect<unknown>(readAuthentication({ authorization: 'Bearer h' }, { accessToken: 't' })).to.equal({ token: 'h' });
        expect<unknown>(readAuthentication({}, { accessToken: '' })).to.equal({});
    });
});
