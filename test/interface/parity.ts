/**
 * The same deed by REST, by DOIP over HTTP and by native DOIP leaves the same object, and the same mistake gets the same answer. The one
 * allowed difference is the change of a type, which DOIP only makes when the design allows it.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import type { TestDatabase } from '../support/database.js';
import type { TestService } from '../support/service.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { NativeClient, serveNative } from '../support/native.js';
import { startService } from '../support/service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const BOUNDARY = 'parity';
const ADMIN_HEADER = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

interface Call {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    readonly url: string;
    readonly headers?: Record<string, string>;
    readonly payload?: string;
    /** Without credentials. */
    readonly anonymous?: boolean;
}

interface Case {
    readonly title: string;
    /** What to do to the object of that id. */
    readonly rest: (id: string) => Call;
    readonly doip: (id: string) => Call;
    /** Null for what native DOIP has not. */
    readonly native?: null;
    /** HTTP status of both. */
    readonly status: number;
}

const doip = (operation: string, id: string, more: Omit<Call, 'method' | 'url'> & { query?: string } = {}): Call => {

    const { query = '', ...rest } = more;
    return { method: 'POST', url: `/doip?operationId=0.DOIP/Op.${operation}&targetId=${encodeURIComponent(id)}${query}`, ...rest };
};

const object = (value: JsonObject): Pick<Call, 'headers' | 'payload'> => ({ headers: JSON_TYPE, payload: JSON.stringify(value) });

const form = (...parts: readonly [headers: string, body: string][]): Pick<Call, 'headers' | 'payload'> => ({
    headers: FORM_TYPE,
    payload: parts.map(([headers, body]) => `--${BOUNDARY}\r\n${headers}\r\n\r\n${body}\r\n`).join('') + `--${BOUNDARY}--\r\n`
});

const field = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const file = (name: string, filename: string, type: string): string => `${field(name)}; filename="${filename}"\r\nContent-Type: ${type}`;

/** DOIP statuses by those of HTTP. */
const STATUSES = new Map([
    [200, '001'], [400, '101'], [416, '101'], [401, '102'], [403, '103'], [404, '104'], [409, '105']
].map(([code, status]) => [code, `0.DOIP/Status.${status}`]));

/** The message of native DOIP that says the same as a call by HTTP. */
function nativeMessage({ url, headers = {}, payload, anonymous }: Call): string {

    const { operationId, targetId, ...query } = Object.fromEntries(new URL(url, 'http://x').searchParams);
    const start = /^bytes=(\d+)-$/.exec(headers['range'] ?? '')?.[1];
    const attributes = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, name === 'requestContext' ? JSON.parse(value) as JsonValue : value]));
    const head = {
        operationId, targetId, ...anonymous ? {} : { authentication: { username: 'admin', password: ADMIN_PASSWORD } },
        attributes: { ...attributes, ...start === undefined ? {} : { range: { start: Number(start) } } }
    };
    return `${JSON.stringify(head)}\n#\n${payload === undefined ? '' : segmentsOf(payload, headers)}#\n`;
}

/** A body as segments: JSON as it is, a form as an object and pairs for the elements. */
function segmentsOf(payload: string, headers: Record<string, string>): string {

    if (headers['content-type'] === 'application/json') {
        return `${payload}\n#\n`;
    }

    const parts = payload.split(`--${BOUNDARY}`).slice(1, -1).map((part) => part.split('\r\n\r\n'));
    return parts.map(([head = '', body = ''], index) => {

        const bytes = body.replace(/\r\n$/, '');
        if (index === 0) {
            return `${bytes}\n#\n`;
        }

        const [, name] = /name="([^"]*)"/.exec(head) ?? [];
        const [, filename] = /filename="([^"]*)"/.exec(head) ?? [];
        const [, type] = /Content-Type: (\S+)/.exec(head) ?? [];
        return `${JSON.stringify({ id: name, type, filename })}\n#\n@\n${bytes.length}\n${bytes}\n#\n`;
    }).join('');
}

const CASES: readonly Case[] = [
    {
        title: 'replace the content', status: 200,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, ...object({ name: 'new', extra: [1, { a: null }] }) }),
        doip: (id) => doip('Update', id, object({ attributes: { content: { name: 'new', extra: [1, { a: null }] } } }))
    },
    {
        title: 'replace a part of the content', status: 200,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}?jsonPointer=/name`, payload: '"part"', headers: JSON_TYPE }),
        doip: (id) => doip('Update', id, { query: '&jsonPointer=/name', ...object({ attributes: { contentAtPointer: 'part' } }) })
    },
    {
        title: 'add an element', status: 200,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, ...form(
            [field('content'), '{"name":"with file"}'], [file('scan', 'a.txt', 'text/plain'), 'bytes']) }),
        doip: (id) => doip('Update', id, form(
            [`${field('object')}\r\nContent-Type: application/json`, '{"attributes":{"content":{"name":"with file"}},"elements":[{"id":"scan"}]}'],
            [file('scan', 'a.txt', 'text/plain'), 'bytes']))
    },
    {
        title: 'take an id that is empty for none', status: 200,
        rest: () => ({ method: 'POST', url: '/objects?type=Document&handle=', ...object({ name: 'x' }) }),
        doip: () => doip('Create', 'service', object({ id: '', type: 'Document', attributes: { content: { name: 'x' } } }))
    },
    {
        title: 'delete an element', status: 200,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}?payload=first` }),
        doip: (id) => doip('Update', id, { query: '&elementsToDelete=first' })
    },
    {
        title: 'delete an element that is not there', status: 404,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}?payload=none` }),
        doip: (id) => doip('Update', id, { query: '&elementsToDelete=none' })
    },
    {
        title: 'delete a part of the content', status: 200,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}?jsonPointer=/name` }),
        doip: (id) => doip('Update', id, { query: '&deletePointer=/name' })
    },
    {
        title: 'delete a part that is not there', status: 404,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}?jsonPointer=/none` }),
        doip: (id) => doip('Update', id, { query: '&deletePointer=/none' })
    },
    {
        title: 'replace the rights', status: 200,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, ...form([field('content'), '{}'], [field('acl'), '{"readers":["x"]}']) }),
        doip: (id) => doip('Update', id, object({ attributes: { content: {}, acl: { readers: ['x'] } } }))
    },
    {
        title: 'rehearse an update', status: 200,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}?dryRun`, ...object({ name: 'rehearsed' }) }),
        doip: (id) => doip('Update', id, { query: '&dryRun=true', ...object({ attributes: { content: { name: 'rehearsed' } } }) })
    },
    {
        title: 'delete the object', status: 200,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}` }),
        doip: (id) => doip('Delete', id)
    },
    {
        title: 'store content that the type does not allow', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, ...object({ name: 7 }) }),
        doip: (id) => doip('Update', id, object({ attributes: { content: { name: 7 } } }))
    },
    {
        title: 'store content that is no object', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: JSON_TYPE, payload: '[1]' }),
        doip: (id) => doip('Update', id, { headers: JSON_TYPE, payload: '{"attributes":{"content":[1]}}' })
    },
    {
        title: 'store a number beyond the range of doubles', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: JSON_TYPE, payload: '{"n":1e400}' }),
        doip: (id) => doip('Update', id, { headers: JSON_TYPE, payload: '{"attributes":{"content":{"n":1e400}}}' })
    },
    {
        title: 'store a property twice', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: JSON_TYPE, payload: '{"a":1,"a":2}' }),
        doip: (id) => doip('Update', id, { headers: JSON_TYPE, payload: '{"attributes":{"content":{"a":1,"a":2}}}' })
    },
    {
        title: 'store a prototype', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: JSON_TYPE, payload: '{"__proto__":{}}' }),
        doip: (id) => doip('Update', id, { headers: JSON_TYPE, payload: '{"attributes":{"content":{"__proto__":{}}}}' })
    },
    {
        title: 'send broken JSON', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: JSON_TYPE, payload: '{"a":' }),
        doip: (id) => doip('Update', id, { headers: JSON_TYPE, payload: '{"a":' })
    },
    {
        title: 'send a broken multipart body', status: 400, native: null,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, headers: FORM_TYPE, payload: `--${BOUNDARY}\r\n${field('content')}\r\n\r\n{}` }),
        doip: (id) => doip('Update', id, { headers: FORM_TYPE, payload: `--${BOUNDARY}\r\n${field('content')}\r\n\r\n{}` })
    },
    {
        title: 'send unknown rights', status: 400,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, ...form([field('content'), '{}'], [field('acl'), '{"reader":[]}']) }),
        doip: (id) => doip('Update', id, object({ attributes: { content: {}, acl: { reader: [] } } }))
    },
    {
        title: 'change an object without a login', status: 401,
        rest: (id) => ({ method: 'PUT', url: `/objects/${id}`, anonymous: true, ...object({}) }),
        doip: (id) => doip('Update', id, { anonymous: true, ...object({ attributes: { content: {} } }) })
    },
    {
        title: 'delete an object without a login', status: 401,
        rest: (id) => ({ method: 'DELETE', url: `/objects/${id}`, anonymous: true }),
        doip: (id) => doip('Delete', id, { anonymous: true })
    },
    {
        title: 'change an object that does not exist', status: 404,
        rest: () => ({ method: 'PUT', url: '/objects/test/none', ...object({}) }),
        doip: () => doip('Update', 'test/none', object({ attributes: { content: {} } }))
    },
    {
        title: 'delete an object that does not exist', status: 404,
        rest: () => ({ method: 'DELETE', url: '/objects/test/none' }),
        doip: () => doip('Delete', 'test/none')
    },
    {
        title: 'create an object whose id is taken', status: 409,
        rest: (id) => ({ method: 'POST', url: `/objects?type=Document&handle=${id}`, ...object({}) }),
        doip: (id) => doip('Create', 'service', object({ id, type: 'Document', attributes: { content: {} } }))
    },
    {
        title: 'create an object of an unknown type', status: 400,
        rest: () => ({ method: 'POST', url: '/objects?type=Unknown', ...object({}) }),
        doip: () => doip('Create', 'service', object({ type: 'Unknown', attributes: { content: {} } }))
    },
    {
        title: 'create an object of no type', status: 400,
        rest: () => ({ method: 'POST', url: '/objects', ...object({}) }),
        doip: () => doip('Create', 'service', object({ attributes: { content: {} } }))
    },
    {
        title: 'create an object with a bad id', status: 400,
        rest: () => ({ method: 'POST', url: '/objects?type=Document&handle=noslash', ...object({}) }),
        doip: () => doip('Create', 'service', object({ id: 'noslash', type: 'Document', attributes: { content: {} } }))
    },
    {
        title: 'create an object without a login', status: 401,
        rest: () => ({ method: 'POST', url: '/objects?type=Document', anonymous: true, ...object({}) }),
        doip: () => doip('Create', 'service', { anonymous: true, ...object({ type: 'Document', attributes: { content: {} } }) })
    },
    {
        title: 'read bytes that are not there', status: 404,
        rest: (id) => ({ method: 'GET', url: `/objects/${id}?payload=none` }),
        doip: (id) => doip('Retrieve', id, { query: '&element=none' })
    },
    {
        title: 'read a range behind the end', status: 416,
        rest: (id) => ({ method: 'GET', url: `/objects/${id}?payload=first`, headers: { range: 'bytes=100-' } }),
        doip: (id) => ({ ...doip('Retrieve', id, { query: '&element=first', headers: { range: 'bytes=100-' } }), method: 'GET' })
    },
    {
        title: 'send a request context that is no object', status: 400,
        rest: (id) => ({ method: 'GET', url: `/objects/${id}?requestContext=7` }),
        doip: (id) => doip('Retrieve', id, { query: '&requestContext=7' })
    }
];

forEachDatabase((name, create) => {

    describe(`REST, DOIP over HTTP and native DOIP on ${name}`, () => {

        let database: TestDatabase;
        let service: TestService;
        let native: { port: number; stop: () => Promise<void> };
        let client: NativeClient;

        before(async () => {

            database = await create();
            service = await startService(database);
            native = await serveNative(service.gateway);
            client = await NativeClient.open(native.port, { tls: false });
        });

        after(async () => {

            client.close();
            await native.stop();
            await service.stop();
            await database.dispose();
        });

        const perform = async ({ anonymous, ...call }: Call): Promise<{ status: number; message: unknown }> => {

            const authorization = anonymous ? {} : { authorization: ADMIN_HEADER };
            const response = await service.server.inject({ ...call, headers: { ...authorization, ...call.headers } });
            const isError = response.statusCode >= 400;
            return { status: response.statusCode, message: isError ? (JSON.parse(response.payload) as JsonObject)['message'] : null };
        };

        const makeObject = async (): Promise<string> => {

            const payload = form([field('content'), '{"name":"old"}'], [file('first', 'first.txt', 'text/plain'), 'first bytes']);
            const response = await service.server.inject({
                method: 'POST', url: '/objects?type=Document&full', payload: payload.payload ?? '',
                headers: { ...payload.headers, authorization: ADMIN_HEADER }
            });
            return (JSON.parse(response.payload) as { id: string }).id;
        };

        /** What is stored, without what always differs: ids and times. */
        const stored = async (id: string): Promise<string> => {

            const { value } = await service.asAdmin('0.DOIP/Op.Retrieve', { targetId: id });
            return JSON.stringify(value).replaceAll(id, 'ID').replace(/"(created|modified)On":\d+/g, '"$1On":0')
                .replace(/"txnId":\d+/, '"txnId":0').replace(/"20\d\d-[^"]*Z"/g, '"TIME"');
        };

        for (const { title, status, rest, doip: byDoip, native: byNative } of CASES) {
            it(`agree: ${title}`, async () => {

                const [one, other, third] = [await makeObject(), await makeObject(), await makeObject()];

                const first = await perform(rest(one));
                const second = await perform(byDoip(other));

                const alike = (message: unknown): string => String(message).replaceAll(one, 'ID').replaceAll(other, 'ID').replaceAll(third, 'ID')
                    .replace('/attributes/content', '').replace(/^the segment/, 'JSON').replace(/ at line \d+, column \d+/, '');
                expect([first.status, second.status]).to.equal([status, status]);
                expect(alike(second.message)).to.equal(alike(first.message));
                expect(await stored(other)).to.equal(await stored(one));
                if (byNative !== null) {
                    const { head } = await client.ask(nativeMessage(byDoip(third)));
                    expect(head.status).to.equal(STATUSES.get(status) ?? '');
                    expect(alike(head.attributes?.['message'] ?? null)).to.equal(status === 200 ? 'null' : alike(first.message));
                    expect(await stored(third)).to.equal(await stored(one));
                }
            });
        }

        it('differ in the change of a type: REST makes it, DOIP only when the design allows it', async () => {

            const [one, other] = [await makeObject(), await makeObject()];
            const toGroup = object({ id: other, type: 'Group', attributes: { content: { groupName: 'g', description: '' } } });

            const byRest = await perform({ method: 'PUT', url: `/objects/${one}?type=Group`, ...object({ groupName: 'g', description: '' }) });
            const refused = await perform(doip('Update', other, toGroup));
            const design = await service.server.inject({ method: 'GET', url: '/objects/design', headers: { authorization: ADMIN_HEADER } });
            await perform({ method: 'PUT', url: '/objects/design', ...object({ ...JSON.parse(design.payload) as JsonObject, enableTypeChangeViaUpdate: true }) });
            const allowed = await perform(doip('Update', other, toGroup));

            expect(byRest.status).to.equal(200);
            expect(refused.status).to.equal(400);
            expect(refused.message).to.match(/does not allow a change to Group/);
            expect(allowed.status).to.equal(200);
            expect(await stored(other)).to.equal(await stored(one));
        });
    });
});
