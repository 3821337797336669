/**
 * Whatever a client sends is answered with a 4xx that says what is wrong, never with a 500, and nothing of it is stored.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestDatabase } from '../support/database.js';
import type { TestService } from '../support/service.js';
import { DIALECTS, forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { seeded } from '../support/random.js';
import { startService } from '../support/service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const AUTHORIZATION = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
const FORM = 'multipart/form-data; boundary=b';
const JSON_TYPE = 'application/json';
const CREATE = '/objects?type=Document';
const RETRIEVE = '/doip?operationId=0.DOIP/Op.Retrieve&targetId=test/kept';

interface BadRequest {
    readonly title: string;
    readonly method?: string;
    readonly url: string;
    readonly type?: string;
    readonly payload?: string | Buffer;
    readonly headers?: Record<string, string>;
    /** Default 400. */
    readonly status?: number;
    readonly message: RegExp;
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const part = (headers: string, body: string): string => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
const named = (name: string): string => `Content-Disposition: form-data; name="${name}"`;

const TABLE: readonly BadRequest[] = [
    { title: 'broken JSON', url: CREATE, payload: '{"a":', message: /JSON/ },
    { title: 'no JSON', url: CREATE, payload: '', message: /Missing JSON|JSON/ },
    { title: 'JSON with something behind it', url: CREATE, payload: '{} x', message: /JSON/ },
    { title: 'an array for an object', url: CREATE, payload: '[]', message: /expected a JSON object/ },
    { title: 'null for an object', url: CREATE, payload: 'null', message: /JSON/ },
    { title: 'a prototype', url: CREATE, payload: '{"a":{"__proto__":{"x":1}}}', message: /__proto__/ },
    { title: 'a property twice', url: CREATE, payload: '{"a":{"b":1,"b":2}}', message: /\/a\/b|b/ },
    { title: 'a number of too many digits', url: CREATE, payload: `{"n":[1,0.${'1'.repeat(2000)}]}`, message: /\/n\/1/ },
    { title: 'a number beyond all numbers', url: CREATE, payload: '{"n":1e999}', message: /\/n/ },
    { title: 'half a character', url: CREATE, payload: '{"s":"\\ud800"}', message: /\/s/ },
    { title: 'a property name with half a character', url: CREATE, payload: '{"\\udc00":1}', message: /surrogate|Unicode/i },
    { title: 'bytes that are no UTF-8', url: CREATE, payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), message: /UTF-8/ },
    { title: 'very deep JSON', url: CREATE, payload: `{"a":${deep(5000)}}`, message: /deep|level|nest/i },
    { title: 'a type that does not exist', url: '/objects?type=None', payload: '{}', message: /Unknown type None/ },
    { title: 'no type', url: '/objects', payload: '{}', message: /Missing object type/ },
    { title: 'an id without a slash', url: `${CREATE}&handle=abc`, payload: '{}', message: /Invalid handle: abc/ },
    { title: 'an id with a control character', url: `${CREATE}&handle=test/a%00b`, payload: '{}', message: /control character/ },
    { title: 'a long id', url: `${CREATE}&handle=test/${'x'.repeat(300)}`, payload: '{}', message: /longer than 255 bytes/ },
    { title: 'the id of the service', url: `${CREATE}&handle=test/service`, payload: '{}', message: /reserved/ },
    { title: 'a request context that is no JSON', url: `${CREATE}&requestContext=x`, payload: '{}', message: /requestContext/ },
    { title: 'a form without a boundary', url: CREATE, type: 'multipart/form-data', payload: '--b--', message: /boundary/ },
    { title: 'a form that breaks off', url: CREATE, type: FORM, payload: part(named('content'), '{}'), message: /multipart|end|boundary/i },
    { title: 'a form without content', url: CREATE, type: FORM, payload: `${part(named('x'), '1')}--b--\r\n`, message: /Missing JSON/ },
    { title: 'a form with broken content', url: CREATE, type: FORM, payload: `${part(named('content'), '{')}--b--\r\n`, message: /part content is malformed/ },
    { title: 'a form with broken rights', url: CREATE, type: FORM, payload: `${part(named('content'), '{}')}${part(named('acl'), '[]')}--b--\r\n`, message: /ACL/ },
    { title: 'a form whose part has no name', url: CREATE, type: FORM, payload: `${part('X: y', '1')}--b--\r\n`, message: /Missing JSON/ },
    { title: 'a form whose part has no headers', url: CREATE, type: FORM, payload: '--b\r\nabc\r\n--b--\r\n', message: /header|part/i },
    { title: 'a payload without a name', url: CREATE, type: FORM,
        payload: `${part(named('content'), '{}')}${part(`${named('')}; filename="a"`, '1')}--b--\r\n`, message: /name/ },
    { title: 'a payload twice', url: CREATE, type: FORM,
        payload: part(named('content'), '{}') + part(`${named('p')}; filename="a"`, '1').repeat(2) + '--b--\r\n', message: /Duplicate payload p/ },
    { title: 'a pointer that is none', method: 'GET', url: '/objects/test/kept?jsonPointer=name', message: /Invalid JSON Pointer name/ },
    { title: 'a pointer to nothing', method: 'GET', url: '/objects/test/kept?jsonPointer=/none', status: 404, message: /Missing data/ },
    { title: 'a pointer to a prototype', method: 'GET', url: '/objects/test/kept?jsonPointer=/__proto__', status: 404, message: /Missing data/ },
    { title: 'a pointer to a constructor', method: 'GET', url: '/objects/test/kept?jsonPointer=/constructor/prototype', status: 404, message: /Missing data/ },
    { title: 'an update at a prototype', method: 'PUT', url: '/objects/test/kept?jsonPointer=/__proto__', payload: '1', message: /Invalid JSON Pointer/ },
    { title: 'an update at nothing', method: 'PUT', url: '/objects/test/kept?jsonPointer=/a/b/c', payload: '1', message: /Invalid JSON Pointer/ },
    { title: 'an update at the root', method: 'PUT', url: '/objects/test/kept?jsonPointer=', payload: '{}', message: /json pointer/i },
    { title: 'text of something that is no text', method: 'GET', url: '/objects/test/kept?jsonPointer=/list&text', message: /not textual/ },
    { title: 'a filter that is none', method: 'GET', url: '/objects/test/kept?filter={"a":1}', message: /Invalid JSON Pointer/ },
    { title: 'an escape that is none', method: 'GET', url: '/objects/%zz', message: /./ },
    { title: 'an escape that is no UTF-8', method: 'GET', url: '/objects/test/%ff', message: /./ },
    { title: 'pointer and payload to delete', method: 'DELETE', url: '/objects/test/kept?payload=a&jsonPointer=/a', message: /both jsonPointer and payload/ },
    { title: 'an object without an id', method: 'PUT', url: '/objects', payload: '{}', message: /Missing object id|not allowed/, status: 400 },
    { title: 'rights that are a list', method: 'PUT', url: '/acls/test/kept', payload: '[]', message: /Invalid ACL format/ },
    { title: 'rights for numbers', method: 'PUT', url: '/acls/test/kept', payload: '{"readers":[1]}', message: /readers/ },
    { title: 'the deletion of the design', method: 'DELETE', url: '/objects/design', message: /design/ },
    { title: 'a design that is none', method: 'PUT', url: '/objects/design', payload: '{"isReadOnly":"yes"}', message: /\/isReadOnly/ },
    { title: 'a schema that cannot be used', method: 'PUT', url: '/schemas/Bad', payload: '{"type":"nothing"}', message: /schema/ },
    { title: 'a schema with a broken pattern', method: 'PUT', url: '/schemas/Bad', payload: '{"pattern":"("}', message: /pattern/ },
    { title: 'a schema that refers to nothing within it', method: 'PUT', url: '/schemas/Bad', payload: '{"$ref":"#/nowhere"}', message: /ref|nowhere/ },
    { title: 'a schema that is no object', method: 'PUT', url: '/schemas/Bad', payload: '7', message: /./ },
    { title: 'a built-in schema', method: 'PUT', url: '/schemas/Schema', payload: '{}', message: /built/ },
    { title: 'no operation', method: 'GET', url: '/doip?targetId=service', message: /Missing operationId/ },
    { title: 'no target', method: 'GET', url: '/doip?operationId=0.DOIP/Op.Hello', message: /Missing targetId/ },
    { title: 'an unknown operation', method: 'GET', url: '/doip?operationId=x/y&targetId=service', message: /not supported/ },
    { title: 'two operations', method: 'GET', url: `${RETRIEVE}&operationId=x`, message: /operationId/ },
    { title: 'attributes that are no JSON', method: 'GET', url: `${RETRIEVE}&attributes={`, message: /attributes/ },
    { title: 'attributes of a string', method: 'GET', url: `${RETRIEVE}&attributes="x"&attributes.a=1`, message: /attributes/ },
    { title: 'an attribute twice', method: 'GET', url: `${RETRIEVE}&element=a&element=b`, message: /element/ },
    { title: 'an attribute of a prototype', method: 'GET', url: `${RETRIEVE}&attributes.__proto__.x=1`, message: /__proto__/ },
    { title: 'a range that is none', method: 'GET', url: `${RETRIEVE}&element=a&range=5`, message: /range/ },
    { title: 'a negative range', method: 'GET', url: `${RETRIEVE}&element=a&range.start=-1`, message: /range/ },
    { title: 'an endless range', method: 'GET', url: `${RETRIEVE}&element=a&range.start=1e300`, message: /range/ },
    { title: 'a GET that would change something', method: 'GET', url: '/doip?operationId=0.DOIP/Op.Delete&targetId=test/kept', message: /use POST/ },
    { title: 'elements of no kind', url: '/doip?operationId=0.DOIP/Op.Create&targetId=service', type: JSON_TYPE,
        payload: '{"type":"Document","attributes":{"content":{}},"elements":[7]}', message: /elements/ },
    { title: 'an element without bytes', url: '/doip?operationId=0.DOIP/Op.Create&targetId=service', type: JSON_TYPE,
        payload: '{"type":"Document","attributes":{"content":{}},"elements":[{"id":"a"}]}', message: /element a/ },
    { title: 'an unknown path', method: 'GET', url: '/nothing', status: 404, message: /./ },
    { title: 'credentials that are none', method: 'GET', url: '/objects/test/kept', headers: { authorization: 'Basic !!!' }, status: 401, message: /./ },
    { title: 'credentials of no kind', method: 'GET', url: '/objects/test/kept', headers: { authorization: 'Magic x' }, status: 401, message: /./ },
    { title: 'DOIP credentials that are no JSON', method: 'GET', url: RETRIEVE, headers: { authorization: 'Doip e30x' }, status: 401, message: /./ },
    { title: 'a media type that is none', url: CREATE, type: FORM,
        payload: `${part(named('content'), '{}')}${part(`${named('p')}; filename="a"\r\nContent-Type: nothing`, '1')}--b--\r\n`, message: /media type/ }
];

forEachDatabase((name, create) => {

    describe(`invalid input on ${name}`, () => {

        let database: TestDatabase;
        let service: TestService;

        before(async () => {

            database = await create();
            service = await startService(database);
            await service.create('Document', { name: 'kept', list: [1] }, { id: 'test/kept' });
        });

        after(async () => {

            await service.stop();
            await database.dispose();
        });

        for (const { title, method = 'POST', url, type = JSON_TYPE, payload, headers = {}, status = 400, message } of TABLE) {
            it(`is rejected with a reason: ${title}`, async () => {

                const before = await service.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/kept' });

                const response = await service.server.inject({
                    method, url, headers: { authorization: AUTHORIZATION, 'content-type': type, ...headers },
                    ...(payload === undefined ? {} : { payload })
                });

                const after = await service.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'test/kept' });
                expect(response.statusCode, response.payload).to.equal(status);
                expect((JSON.parse(response.payload) as { message: string }).message).to.match(message);
                expect(response.payload).to.not.match(/select |insert |node_modules|at .*\.js:/i);
                expect(after.value).to.equal(before.value);
            });
        }
    });
});

describe('random input', () => {

    let database: TestDatabase;
    let service: TestService;

    before(async () => {

        database = await DIALECTS[0]!.create();
        service = await startService(database);
        await service.create('Document', { name: 'kept' }, { id: 'test/kept' });
    });

    after(async () => {

        await service.stop();
        await database.dispose();
    });

    const good: readonly { method: string; url: string; type: string; payload: string }[] = [
        { method: 'POST', url: CREATE, type: JSON_TYPE, payload: '{"name":"x","list":[1,2.5,{"a":null}],"text":"ü€"}' },
        { method: 'POST', url: `${CREATE}&full`, type: FORM,
            payload: `${part(named('content'), '{"name":"x"}')}${part(named('acl'), '{"readers":["public"]}')}${part(`${named('p')}; filename="a.txt"`, 'bytes')}--b--\r\n` },
        { method: 'PUT', url: '/objects/test/kept?jsonPointer=/name', type: JSON_TYPE, payload: '"y"' },
        { method: 'PUT', url: '/acls/test/kept', type: JSON_TYPE, payload: '{"readers":["public"],"writers":[]}' },
        { method: 'PUT', url: '/schemas/Random', type: JSON_TYPE,
            payload: '{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^a+$"},"b":{"$ref":"#/properties/a"}}}' },
        { method: 'POST', url: '/doip?operationId=0.DOIP/Op.Create&targetId=service&attributes.a=1', type: JSON_TYPE,
            payload: '{"type":"Document","attributes":{"content":{"name":"x"}}}' },
        { method: 'POST', url: '/doip?o=0.DOIP/Op.Update&t=test/kept&requestContext={"a":1}', type: FORM,
            payload: `${part(`${named('o')}\r\nContent-Type: application/json`, '{"attributes":{"content":{}}}')}${part(`${named('p')}; filename="a"`, 'b')}--b--\r\n` },
        { method: 'GET', url: '/objects/test/kept?full&filter=["/content"]&pretty&jsonPointer=/content', type: JSON_TYPE, payload: '' }
    ];

    it('never gets a 5xx', async () => {

        const random = seeded(20261121);
        for (let i = 0; i < 1500; ++i) {
            const { method, url, type, payload } = random.pick(good);
            const request = {
                method,
                url: random.chance(0.4) ? random.mutate(Buffer.from(url), 2).toString('latin1').replace(/[^\u0021-\u007e]/g, '%7f') : url,
                payload: method === 'GET' ? '' : random.mutate(Buffer.from(payload), random.integer(1, 6)),
                headers: { authorization: AUTHORIZATION, 'content-type': random.chance(0.1) ? 'application/octet-stream' : type }
            };

            const { statusCode, payload: answer } = await service.server.inject({ ...request, url: request.url.startsWith('/') ? request.url : `/${request.url}` });

            expect(statusCode, `seed ${i}: ${request.method} ${request.url}\n${String(request.payload)}\n${answer}`).to.be.below(500);
        }
    });
});
