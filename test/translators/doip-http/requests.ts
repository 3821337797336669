import * as Code from '@hapi/code';
import type { Server, ServerInjectOptions } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { doipServer, echo } from '../../support/performers.js';

export const lab = Lab.script();
const { describe, it, before } = lab;
const { expect } = Code;

const OK = '/doip?operationId=Op&targetId=t/1';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('requests of DOIP over HTTP', () => {

    let server: Server;
    before(async () => {

        server = await doipServer(echo, { limits: { jsonBytes: 1000, formBytes: 500, parameters: 20 } });
    });

    async function ask(options: ServerInjectOptions | string): Promise<{ code: number; body: JsonObject; doip: JsonObject; headers: object }> {

        const { statusCode, payload, headers } = await server.inject(options);
        return {
            code: statusCode, headers,
            body: payload === '' ? {} : JSON.parse(payload) as JsonObject, doip: JSON.parse(String(headers['doip-response'])) as JsonObject
        };
    }

    const mapped: [string, ServerInjectOptions | string, object][] = [
        ['the least there may be', OK, {
            operationId: 'Op', targetId: 't/1', requestId: null, clientId: null, authentication: {}, attributes: {}, safe: true, input: []
        }],
        ['POST', { method: 'POST', url: OK }, { safe: false, input: [] }],
        ['a trailing slash', '/doip/?o=Op&t=t/1', { operationId: 'Op', targetId: 't/1' }],
        ['the base that some clients expect', '/cordra/doip?o=Op&t=t/1', { operationId: 'Op' }],
        ['the operation in the path', '/doip/0.DOIP/Op.Hello?targetId=service', { operationId: '0.DOIP/Op.Hello', targetId: 'service' }],
        ['the operation in the path, percent-encoded', '/cordra/doip/0.DOIP%2FOp.Hello?targetId=service', { operationId: '0.DOIP/Op.Hello' }],
        ['an alias in the path', { method: 'POST', url: '/doip/Retrieve?t=a/b' }, { operationId: 'Retrieve' }],
        ['a method name with odd characters in the path', '/doip/123/a+b%20c?t=a/b', { operationId: '123/a+b c' }],
        ['the operation in path and query alike', '/doip/A/B?t=a/b&operationId=A/B', { operationId: 'A/B' }],
        ['attributes of all spellings', '/doip?o=Op&t=x/%C3%BC&a.a=1&attributes={"b":"x"}&query=y+z&requestContext={"u":1}&_=2',
            { targetId: 'x/ü', attributes: { a: 1, b: 'x', query: 'y z', requestContext: { u: 1 } } }],
        ['request and client id', '/doip?o=Op&t=x/1&r=r1&c=user/1', { requestId: 'r1', clientId: 'user/1' }],
        ['an empty client id as none', '/doip?o=Op&t=x/1&c=', { clientId: null }],
        ['Basic authentication', { url: OK, headers: { authorization: `Basic ${base64('u:p')}` } }, { authentication: { username: 'u', password: 'p' } }],
        ['Doip authentication with a parameter and As-User', {
            url: `${OK}&u.key=1`, headers: { authorization: `Doip ${base64('{"token":"t"}')}`, 'as-user': 'x/y' }
        }, { authentication: { token: 't', asUserId: 'x/y', key: 1 } }],
        ['malformed credentials, which are rejected later', { url: OK, headers: { authorization: 'Basic x' } },
            { authentication: { unreadable: 'the Authorization header is malformed: Basic needs the Base64 form of username:password' } }],
        ['authentication that is not an object, which is rejected later', `${OK}&authentication=1`,
            { authentication: { unreadable: 'parameter authentication must be a JSON object' } }],
        ['an access token in the query, and not among the attributes', `${OK}&access_token=tok`, { authentication: { token: 'tok' }, attributes: {} }],
        ['a form body as part of the query', { method: 'POST', url: '/doip?t=x/1', headers: FORM, payload: 'operationId=Op&a.x=1&query=a%2Bb&access_token=k' },
            { operationId: 'Op', targetId: 'x/1', attributes: { mediaType: FORM['content-type'], x: 1, query: 'a+b' }, input: [], authentication: { token: 'k' } }],
        ['media type and file name of the headers as attributes', {
            method: 'POST', url: OK, headers: { 'content-type': 'text/plain; charset=x', 'content-disposition': 'attachment; filename="a/b.txt"' }, payload: 'abc'
        }, { attributes: { mediaType: 'text/plain; charset=x', filename: 'b.txt' } }],
        ['parameters rather than headers', {
            method: 'POST', url: `${OK}&mediaType=image/png&a.filename=c`, headers: { 'content-type': 'text/plain', 'content-disposition': 'inline; filename=b' },
            payload: 'abc'
        }, { attributes: { mediaType: 'image/png', filename: 'c' } }],
        ['a Range header where an element is asked for', { url: `${OK}&element=e`, headers: { range: 'bytes=1-2' } },
            { attributes: { element: 'e', range: { start: 1, end: 2 } } }],
        ['no Range header elsewhere', { url: OK, headers: { range: 'bytes=1-2' } }, { attributes: {} }],
        ['no Range header for POST', { method: 'POST', url: `${OK}&element=e`, headers: { range: 'bytes=1-2' } }, { attributes: { element: 'e' } }],
        ['a range parameter rather than a header', { url: `${OK}&element=e&range={"end":3}`, headers: { range: 'bytes=1-2' } },
            { attributes: { element: 'e', range: { end: 3 } } }],
        ['the parameter input', `${OK}&input={"a":1}&i.b=2`, { input: [{ json: { a: 1, b: 2 } }] }],
        ['the parameter input beside an empty body', { method: 'POST', url: `${OK}&input=["x"]` }, { input: [{ json: ['x'] }] }],
        ['the parameter input combined with a JSON body', { method: 'POST', url: `${OK}&i.b=2`, headers: JSON_TYPE, payload: '{"a":1}' },
            { input: [{ json: { b: 2, a: 1 } }] }],
        ['a body of GET as nothing', { method: 'GET', url: OK, headers: JSON_TYPE, payload: '{"a":1}' }, { input: [] }]
    ];

    for (const [title, options, expected] of mapped) {
        it(`are mapped: ${title}`, async () => {

            const { code, body } = await ask(options);

            expect(code).to.equal(200);
            expect<unknown>(Object.fromEntries(Object.keys(expected).map((key) => [key, body[key]]))).to.equal(expected);
        });
    }

    const refused: [string, ServerInjectOptions | string, number, string, string | RegExp][] = [
        ['a missing operation', '/doip?targetId=a/b', 400, '101', 'Missing operationId'],
        ['an envelope in the body', { method: 'POST', url: '/doip', headers: JSON_TYPE, payload: '{"operationId":"x","targetId":"y"}' }, 400, '101', 'Missing operationId'],
        ['a missing target', '/doip/Op', 400, '101', 'Missing targetId'],
        ['an empty target', '/doip/Op?t=', 400, '101', 'Missing targetId'],
        ['different operations in path and query', '/doip/A?t=a/b&o=B', 400, '101', /given in the path and as parameter/],
        ['a target given twice', `${OK}&t=t/1`, 400, '101', 'parameter targetId is given more than once'],
        ['a target given in query and form', { method: 'POST', url: OK, headers: FORM, payload: 't=t/1' }, 400, '101', /targetId is given more than once/],
        ['broken percent-encoding', `${OK}&a.x=%zz`, 400, '101', /^parameter a\.x is not percent-encoded UTF-8$/],
        ['too many parameters', OK + '&x=1'.repeat(30), 400, '101', /more than the allowed 20 parameters/],
        ['a form that is too long', { method: 'POST', url: OK, headers: FORM, payload: 'x'.repeat(501) }, 413, '101', /longer than the allowed 500 bytes/],
        ['a form that is not UTF-8', { method: 'POST', url: OK, headers: FORM, payload: Buffer.from([0x61, 0xff]) }, 400, '101', /not valid UTF-8/],
        ['credentials given twice', { url: `${OK}&u.token=x`, headers: { authorization: 'Bearer t' } }, 400, '101', /token is given more than once/],
        ['JSON that is malformed', { method: 'POST', url: OK, headers: JSON_TYPE, payload: '{"a":' }, 400, '101', /^JSON is malformed at line 1, column 6/],
        ['JSON that is too long', { method: 'POST', url: OK, headers: JSON_TYPE, payload: `"${'x'.repeat(1000)}"` }, 413, '101', /longer than the allowed 1000 bytes/],
        ['multipart without boundary', { method: 'POST', url: OK, headers: { 'content-type': 'multipart/mixed' }, payload: '--x--' }, 400, '101', /boundary/],
        ['the parameter input beside bytes', { method: 'POST', url: `${OK}&input={}`, headers: { 'content-type': 'text/plain' }, payload: 'x' }, 400, '101', /combined with a JSON body/],
        ['a property in input and body', { method: 'POST', url: `${OK}&i.a=1`, headers: JSON_TYPE, payload: '{"a":1}' }, 400, '101', /property a of input is given more than once/],
        ['another method', { method: 'PUT', url: OK, payload: 'x' }, 405, '101', 'PUT is not allowed here: use GET or POST'],
        ['a gzip body that is none', { method: 'POST', url: OK, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, payload: '{"a":1}' }, 400, '101', 'the request body is not valid gzip']
    ];

    for (const [title, options, code, status, message] of refused) {
        it(`are rejected: ${title}`, async () => {

            const answer = await ask(options);

            expect(answer.code).to.equal(code);
            expect(answer.body['message'] as string).to.match(typeof message === 'string' ? new RegExp(`^${message}$`) : message);
            expect<unknown>(answer.doip).to.include({ status: `0.DOIP/Status.${status}` });
            expect<unknown>((answer.doip['attributes'] as JsonObject)['message']).to.equal(answer.body['message']);
        });
    }

    it('get their request id back with errors, as soon as it is known', async () => {

        expect<unknown>((await ask('/doip?o=Op&r=r1')).doip['requestId']).to.equal('r1');
    });

    it('with other methods learn the allowed ones', async () => {

        expect((await ask({ method: 'DELETE', url: OK })).headers).to.include({ allow: 'GET, HEAD, POST, OPTIONS' });
    });

    it('with credentials in the query get responses that no shared cache stores', async () => {

        for (const query of ['access_token=tok', 'authentication={"token":"t"}', 'u.token=t', 'u={"username":"u"}&u.password=p']) {
            expect((await ask(`${OK}&${query}`)).headers, query).to.include({ 'cache-control': 'private, no-cache' });
        }
    });

    it('may have cookies and media types that hapi would reject', async () => {

        const { code } = await ask({ method: 'POST', url: OK, headers: { cookie: 'a="', 'content-type': '???' }, payload: 'x' });

        expect(code).to.equal(200);
    });
});

describe('input of DOIP over HTTP', () => {

    let server: Server;
    before(async () => {

        server = await doipServer(echo);
    });

    const crlf = (...lines: string[]): string => lines.join('\r\n');
    const mixed = crlf('--B', 'Content-Type: application/json', '', '{"a":1}', '--B', 'Content-Type: application/ld+json', '', '{ "b": 2 }',
        '--B', 'Content-Type: text/plain', 'Content-Disposition: attachment; filename="ü.txt"', '', 'text', '--B', '', 'raw', '--B--', '');
    const form = crlf('--B', 'Content-Disposition: form-data; name="object"', 'Content-Type: application/json', '', '{"type":"Document"}',
        '--B', 'Content-Disposition: form-data; name="scan"; filename="a.png"', 'Content-Type: image/png', '', 'PNG',
        '--B', 'Content-Disposition: form-data; name="data"; filename="x.json"', 'Content-Type: application/json', '', '{ "x": 1.0 }', '--B--');
    const untyped = crlf('--B', 'Content-Disposition: form-data; name="object"', '', '{"type":"Document"}', '--B--');
    const text = crlf('--B', 'Content-Disposition: form-data; name="object"', '', 'true', '--B--');
    const bytes = (content: string, mediaType: string | null, filename: string | null = null): object => ({ text: content, mediaType, filename });

    const rows: [string, string | undefined, string | Buffer, object[]][] = [
        ['an empty body', 'application/json', '', []],
        ['an empty body without type', undefined, '', []],
        ['a form', 'application/x-www-form-urlencoded; charset=utf-8', 'x=1', []],
        ['JSON', 'application/json; charset=utf-8', '\ufeff{"a":[1.0]}', [{ json: { a: [1] } }]],
        ['JSON of another type', 'application/ld+JSON', '"x"', [{ json: 'x' }]],
        ['multipart/mixed', 'multipart/mixed; boundary=B', mixed,
            [{ json: { a: 1 } }, bytes('{ "b": 2 }', 'application/ld+json'), bytes('text', 'text/plain', 'ü.txt'), bytes('raw', null)]],
        ['multipart/form-data', 'multipart/form-data; boundary="B"', form,
            [{ json: { type: 'Document' } }, { json: { id: 'scan' } }, bytes('PNG', 'image/png', 'a.png'),
                { json: { id: 'data' } }, bytes('{ "x": 1.0 }', 'application/json', 'x.json')]],
        ['a form whose object has no media type', 'multipart/form-data; boundary=B', untyped, [{ json: { type: 'Document' } }]],
        ['a form that begins with text', 'multipart/form-data; boundary=B', text, [bytes('true', null)]],
        ['another multipart type', 'multipart/related; boundary=B', mixed, [bytes(mixed, 'multipart/related; boundary=B', 'h.txt')]],
        ['anything else', 'text/plain', 'hello', [bytes('hello', 'text/plain', 'h.txt')]],
        ['bytes without type', undefined, Buffer.from('hello'), [bytes('hello', null, 'h.txt')]]
    ];

    for (const [title, type, payload, expected] of rows) {
        it(`is correct for ${title}`, async () => {

            const { payload: answer } = await server.inject({
                method: 'POST', url: OK, payload,
                headers: { 'content-disposition': 'inline; filename=h.txt', ...(type === undefined ? {} : { 'content-type': type }) }
            });

            expect<unknown>((JSON.parse(answer) as JsonObject)['input']).to.equal(expected);
        });
    }
});
