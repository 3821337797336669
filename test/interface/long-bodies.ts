/**
 * Bodies that are small on the wire and large in memory, and many of them: what is expanded, parsed and held is bounded for each
 * request, for each address and for all together, and more narrowly for callers without credentials.
 */

import { once } from 'node:events';
import Http from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../lib/doip/operation-ids.js';
import { bodyMemoryOf } from '../../translators/http/request/body-memory.js';
import { ADMIN, NativeClient, nativePort } from '../support/native.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const KIB = 1024;
const MIB = 1024 * KIB;

const JSON_TYPE = { 'content-type': 'application/json' };

/** A member `junk` of some megabytes that is a few kilobytes in gzip. */
const withJunk = (members: string, junk: string): string => `{${members},"junk":${junk}}`;
const manyValues = `[${'{},'.repeat(MIB)}{}]`;
const longText = `"${'x'.repeat(3 * MIB)}"`;
const SEARCH = '"query":"x"';
const LOGIN = '"grant_type":"password","username":"admin","password":"wrong"';

interface Answer {
    readonly status: number;
    readonly message: string;
    readonly retryAfter: string | null;
}

describe('long bodies', () => {

    let service: TestServer;
    let small: TestServer;
    let native: TestServer;

    before(async () => {

        service = await startServer();
        small = await startServer({ MAX_BODY_MEMORY_BYTES: MIB });
        native = await startServer({ DOIP_PORT: 0 });
        for (const [path, method, body] of [
            ['/objects?type=User&handle=test/ben', 'POST', '{"username":"ben","password":"password of ben"}'],
            ['/objects?type=Document&handle=test/closed', 'POST', '{}'], ['/objects?type=Document&handle=test/open', 'POST', '{}'],
            ['/acls/test/closed', 'PUT', '{"writers":[]}'], ['/acls/test/open', 'PUT', '{"writers":["authenticated"]}']
        ] as const) {
            expect((await send(path, body, ADMIN_HEADERS, method, small)).status, path).to.equal(200);
        }
    });

    after(() => Promise.all([service.stop(), small.stop(), native.stop()]));

    async function send(path: string, body: string | Buffer, headers: Record<string, string> = {}, method = 'POST', to = service): Promise<Answer> {

        const isZipped = typeof body !== 'string';
        const response = await fetch(to.url + path, {
            method, body, headers: { ...JSON_TYPE, ...headers, ...isZipped ? { 'content-encoding': 'gzip' } : {} }
        });
        const { message = '' } = await response.json() as { message?: string };
        return { status: response.status, message, retryAfter: response.headers.get('retry-after') };
    }

    const zipped: [string, string, string, Record<string, string>][] = [
        ['a search with many values', '/search', withJunk(SEARCH, manyValues), {}],
        ['a search with a long text', '/search', withJunk(SEARCH, longText), {}],
        ['a search of the administrator', '/search', withJunk(SEARCH, longText), ADMIN_HEADERS],
        ['a login with many values', '/auth/token', withJunk(LOGIN, manyValues), {}],
        ['a login with a repeated property at its end', '/auth/token', `{${LOGIN},"junk":${manyValues},"junk":1}`, {}],
        ['a login with a long text', '/auth/token', withJunk(LOGIN, `"${'x'.repeat(70 * KIB)}"`), {}],
        ['a login by DOIP with a long text', '/doip?operationId=20.DOIP/Op.Auth.Token&targetId=service', withJunk(LOGIN, `"${'x'.repeat(70 * KIB)}"`), {}],
        ['a login by DOIP with credentials, which nobody verifies', '/doip/Auth.Token?targetId=service', withJunk(LOGIN, `"${'x'.repeat(2 * MIB)}"`),
            { authorization: 'Bearer x' }],
        ['a password by DOIP', '/doip/20.DOIP/Op.ChangePassword?targetId=service', withJunk('"password":"x"', `"${'x'.repeat(70 * KIB)}"`), ADMIN_HEADERS],
        ['a search by DOIP of the administrator', '/doip/Search?targetId=service', withJunk(SEARCH, longText), ADMIN_HEADERS],
        ['a login by DOIP', '/doip?operationId=20.DOIP/Op.Auth.Token&targetId=service', withJunk(LOGIN, manyValues), {}],
        ['a revocation', '/auth/revoke', withJunk('"token":"x"', manyValues), {}],
        ['a password of the administrator', '/adminPassword', withJunk('"password":"x"', longText), ADMIN_HEADERS],
        ['an object with many values', '/objects?type=Document', withJunk('"a":1', manyValues), ADMIN_HEADERS],
        ['an object by DOIP', '/doip?operationId=0.DOIP/Op.Create&targetId=service',
            `{"type":"Document","attributes":{"content":${withJunk('"a":1', manyValues)}}}`, ADMIN_HEADERS]
    ];

    for (const [title, path, body, headers] of zipped) {
        it(`are rejected: ${title}`, async () => {

            const method = path === '/adminPassword' ? 'PUT' : 'POST';
            const { status } = await send(path, gzipSync(body), headers, method);

            expect(status).to.equal(413);
        });
    }

    it('are rejected as forms', async () => {

        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const values = encodeURIComponent(`{"a":[${'{},'.repeat(20_000)}{}]}`);

        expect((await send('/search', gzipSync(`query=x&requestContext=${values}`), form)).status).to.equal(400);
        expect((await send('/search', gzipSync(`query=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
    });

    it('are rejected as forms of parameters, whatever credentials they have', async () => {

        for (const headers of [ADMIN_HEADERS, { authorization: 'Bearer x' }]) {
            const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };

            expect((await send('/search', gzipSync(`query=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
            expect((await send('/auth/token', gzipSync(`username=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
            expect((await send('/search', gzipSync(`query=x&unknown=${'a'.repeat(MIB / 2)}`), form)).status).to.equal(headers === ADMIN_HEADERS ? 200 : 401);
        }

        for (const headers of [{}, ADMIN_HEADERS, { authorization: 'Bearer x' }]) {
            const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };

            expect((await send('/doip/Search?targetId=service', gzipSync(`query=x&unknown=${'a'.repeat(2 * MIB)}`), form)).status).to.equal(413);
        }

        const object = await send('/objects?type=Document&dryRun', gzipSync(`content={"a":"${'a'.repeat(MIB * 1.2)}"}`), {
            'content-type': 'application/x-www-form-urlencoded', ...ADMIN_HEADERS
        });
        expect(object.status).to.equal(200);
    });

    it('are rejected as parameters that hold many values together, whether or not they are JSON', async () => {

        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const list = `[${'1,'.repeat(15_000)}1`;
        for (const path of ['/doip/Search?targetId=service', '/call?type=Document&method=none']) {
            const name = path.startsWith('/call') ? 'attributes.a' : 'a1';
            for (const text of [`${list}]`, list]) {
                const one = await send(path, gzipSync(`${name}1=${text}`), form);
                const two = await send(path, gzipSync(`${name}1=${text}&${name}2=${text}`), form);

                expect(one.status).to.not.equal(413);
                expect([two.status, two.message]).to.equal([413, 'the parameters hold more than the allowed 20000 values']);
            }
        }
    });

    it('are rejected for the number of their values, even if they are short', async () => {

        const body = `{"a":[${'1,'.repeat(20_000)}1]}`;
        const { status, message } = await send('/objects?type=Document', body, ADMIN_HEADERS);
        const wide = await send('/objects?type=Document', `{${Array.from({ length: 5001 }, (_, i) => `"k${i}":1`).join(',')}}`, ADMIN_HEADERS);
        const nearly = await send('/objects?type=Document&dryRun', `{"a":[${'1,'.repeat(19_990)}1]}`, ADMIN_HEADERS);

        expect([status, message]).to.equal([413, 'JSON holds more than the allowed 20000 values']);
        expect([wide.status, wide.message]).to.equal([413, 'JSON holds an object with more than the allowed 5000 properties']);
        expect(nearly.status).to.equal(200);
    });

    it('are rejected when an address uses too much memory, and accepted afterwards', async () => {

        const memory = bodyMemoryOf(small.server, 0);
        const open = [begin(200 * KIB), begin(200 * KIB)];
        await until(() => memory.used > 300 * KIB);
        const refused = await send('/search', withJunk(SEARCH, `"${'x'.repeat(200 * KIB)}"`), {}, 'POST', small);
        const short = await send('/search', `{${SEARCH}}`, {}, 'POST', small);
        open.forEach((request) => request.destroy());
        await until(() => memory.used === 0);
        const later = await send('/search', withJunk(SEARCH, `"${'x'.repeat(200 * KIB)}"`), {}, 'POST', small);

        expect([refused.status, refused.retryAfter]).to.equal([429, '1']);
        expect(short.status).to.equal(200);
        expect(later.status).to.equal(200);
        await until(() => memory.used === 0);
    });

    /** A part of a multipart body that is a digital object without its first member. */
    const partsOf = (first: string, second: string): string =>
        `--b\r\nContent-Type: application/json\r\n\r\n${first}\r\n--b\r\nContent-Type: application/json\r\n\r\n${second}\r\n--b--`;
    const MIXED = { 'content-type': 'multipart/mixed; boundary=b' };
    const CREATE = '/doip/Create?targetId=service&dryRun=true';

    it('are limited in each JSON part of a multipart body, as for the caller and by the settings', async () => {

        const large = await startServer({ MAX_JSON_VALUES: 40_000, MAX_JSON_BYTES: 8 * MIB, MAX_CONTENT_BYTES: 8 * MIB });
        const design = (body: string): Promise<Answer> => send('/objects/design', body, ADMIN_HEADERS, 'PUT', large);
        const objectOf = (content: string): string => `{"type":"Document","attributes":{"content":{"a":${content}}}}`;
        const values = objectOf(`[${'1,'.repeat(30_000)}1]`);
        const text = objectOf(`"${'x'.repeat(5 * MIB)}"`);
        const create = (body: string, headers = {}): Promise<Answer> => send(CREATE, body, { ...MIXED, ...headers }, 'POST', large);

        expect((await create(partsOf('{}', values), ADMIN_HEADERS)).status).to.equal(200);
        expect((await create(partsOf('{}', text), ADMIN_HEADERS)).status).to.equal(200);
        expect((await create(partsOf('{}', objectOf(`[${'1,'.repeat(40_000)}1]`)), ADMIN_HEADERS)).status).to.equal(413);
        expect((await create(partsOf('{}', objectOf('1')))).status).to.equal(401);
        const open = { aclCreate: ['public'], defaultAclRead: ['public'], defaultAclWrite: [] };
        expect((await design(JSON.stringify({ authConfig: { schemaAcls: { Document: open } } }))).status).to.equal(200);
        expect((await create(partsOf('{}', objectOf('1')))).status).to.equal(200);
        expect((await create(partsOf('{}', objectOf(`"${'x'.repeat(MIB)}"`)))).status).to.equal(413);
        await large.stop();
    });

    for (const [title, path, status] of [
        ['Create', CREATE, 401], ['Create of a closed type', CREATE, 401], ['Update', '/doip/Update?targetId=test/long&dryRun=true', 200]
    ] as const) {
        it(`are held in memory only for callers who are admitted: the second part of ${title}`, async () => {

            await send('/objects?type=Document&handle=test/long', '{"a":1}', ADMIN_HEADERS, 'POST', small);
            const memory = bodyMemoryOf(small.server, 0);
            const isUpdate = path.includes('Update');
            const request = Http.request(`${small.url}${path}`, { method: 'POST', headers: { ...MIXED, ...isUpdate ? ADMIN_HEADERS : {} } });
            const answered = once(request, 'response') as Promise<[Http.IncomingMessage]>;
            const first = title === 'Create of a closed type' ? '{"type":"Document"}' : '{}';
            const [begin, end] = partsOf(first, `{"attributes":{"content":{"a":"${'x'.repeat(200 * KIB)}MIDDLE"}}}`).split('MIDDLE');
            request.write(begin);
            if (isUpdate) {
                await until(() => memory.used > 150 * KIB);
                request.end(end);
            }

            const [response] = await answered;
            response.resume();
            expect(response.statusCode).to.equal(status);
            request.destroy();
            await until(() => memory.used === 0);
        });
    }

    const BEN = basic('ben', 'password of ben');
    const form = (...fields: readonly (readonly [name: string, value: string])[]): string =>
        fields.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('');
    const long = `{"a":"${'x'.repeat(200 * KIB)}"}`;
    const content = `${form(['content', long])}--b--`;
    const ofCreate = '/objects?type=Document&dryRun';
    const UNADMITTED: readonly (readonly [title: string, status: number, request: string, headers: Record<string, string>, body: string])[] = [
        ['a form of a caller without credentials', 401, `POST ${ofCreate}`, {}, content],
        ['a form after its type', 401, 'POST /objects?dryRun', {}, form(['type', 'Document']) + content],
        ['a form before its type', 401, 'POST /objects?dryRun', {}, content],
        ['a form after its rights', 401, `POST ${ofCreate}`, {}, form(['acl', '{}']) + content],
        ['a form of a caller with wrong credentials', 401, `POST ${ofCreate}`, { authorization: 'Bearer x' }, content],
        ['a form of a caller with a wrong password', 401, `POST ${ofCreate}`, basic('ben', 'wrong'), content],
        ['a form of a caller without the right', 403, 'POST /objects?type=Schema', BEN, content],
        ['a form with a type that the caller may not create', 403, 'POST /objects', BEN, form(['type', 'Schema']) + content],
        ['a form of a type that does not exist', 400, 'POST /objects?type=Nothing', ADMIN_HEADERS, content],
        ['a form that changes an object of others', 403, 'PUT /objects/test/closed', BEN, content],
        ['a form that changes the type', 403, 'PUT /objects/test/open?type=Schema', BEN, content],
        ['JSON of a caller without credentials', 401, `POST ${ofCreate}`, { ...JSON_TYPE }, long],
        ['JSON of a caller without the right', 403, 'POST /objects?type=Schema', { ...JSON_TYPE, ...BEN }, long]
    ];
    for (const [title, status, line, headers, body] of UNADMITTED) {
        it(`are held in memory only for callers who are admitted: ${title}`, async () => {

            const [method, path] = line.split(' ') as [string, string];
            const memory = bodyMemoryOf(small.server, 0);
            const forRequest = memory.forRequest.bind(memory);
            let held = 0;
            memory.forRequest = (...facts) => {

                const { reserve, release } = forRequest(...facts);
                return {
                    release,
                    reserve: (bytes) => {

                        held += bytes;
                        reserve(bytes);
                    }
                };
            };

            const answer = await send(path, body, { 'content-type': 'multipart/form-data; boundary=b', ...headers }, method, small);
            memory.forRequest = forRequest;

            expect(answer.status, answer.message).to.equal(status);
            // Fields that are no JSON are read, such as the type.
            expect(held).to.be.below(KIB);
        });
    }

    it('are limited as the input of a method, whatever they are said to be', async () => {

        const javascript = 'exports.methods = { kind: (object, context) => [typeof context.params, context.directIo.getInputAsString().length] };';
        const schema = JSON.stringify({ identifier: '', name: 'Kind', schema: { type: 'object' }, javascript });
        for (const [path, body] of [['/objects?type=Schema', schema], ['/objects?type=Kind&handle=test/kind', '{}']] as const) {
            expect((await send(path, body, ADMIN_HEADERS, 'POST', native)).status).to.equal(200);
        }

        const list = (count: number): string => `[${'1e1,'.repeat(count - 2)}1e1]`;
        for (const path of ['/doip/kind?targetId=test/kind', '/call?objectId=test/kind&method=kind']) {
            for (const type of ['text/plain', 'application/octet-stream']) {
                const call = (body: string): Promise<unknown> => fetch(native.url + path, {
                    method: 'POST', body, headers: { 'content-type': type, ...ADMIN_HEADERS }
                }).then((response) => response.json());

                expect(await call(list(20_000)), path).to.equal(['object', 79_997]);
                expect(await call(list(20_001)), path).to.equal(['undefined', 80_001]);
            }

            expect((await send(path, list(20_001), ADMIN_HEADERS, 'POST', native)).status).to.equal(413);
        }

        const client = await NativeClient.open(nativePort(native));
        const call = async (text: string): Promise<unknown> => {

            const head = JSON.stringify({ targetId: 'test/kind', operationId: 'kind', authentication: ADMIN });
            return (await client.ask(`${head}\n#\n@\n${text.length}\n${text}\n#\n#\n`)).head.output;
        };

        expect(await call(list(20_000))).to.equal(['object', 79_997]);
        expect(await call(list(20_001))).to.equal(['undefined', 80_001]);
        client.close();
    });

    it('are charged while the input of a method arrives as bytes', async () => {

        const memory = bodyMemoryOf(native.server, 0);
        for (const path of ['/doip/kind?targetId=test/kind', '/call?objectId=test/kind&method=kind']) {
            const request = Http.request(native.url + path, { method: 'POST', headers: { ...ADMIN_HEADERS, 'content-type': 'text/plain' } });
            request.on('error', () => undefined);
            request.write('x'.repeat(200 * KIB));
            await until(() => memory.used > 150 * KIB);
            request.destroy();
            await until(() => memory.used === 0);
        }

        const client = await NativeClient.open(nativePort(native));
        await client.send(`${JSON.stringify({ targetId: 'test/kind', operationId: 'kind', authentication: ADMIN })}\n#\n@\n300000\n${'x'.repeat(200 * KIB)}`);
        await until(() => memory.used > 150 * KIB);
        client.close();
        await until(() => memory.used === 0);
    });

    it('are limited as beginnings of native requests, before they are parsed where they have no credentials', async () => {

        const client = await NativeClient.open(nativePort(native));
        const ask = async (text: string): Promise<unknown> => (await client.ask(`${text}\n#\n#\n`)).head.attributes?.['message'];
        const head = (operationId: string, more: object): string => JSON.stringify({ targetId: 'service', operationId, ...more });
        const token = { username: 'x', password: 'y' };

        expect(await ask(`{"a":"${'x'.repeat(MIB)}",,}`)).to.equal(`the input is longer than the allowed ${MIB} bytes`);
        expect(await ask(head(Op.search, { authentication: ADMIN, attributes: { query: 'x', junk: 'x'.repeat(MIB) } })))
            .to.equal(`the input is longer than the allowed ${MIB} bytes`);
        for (const authentication of [undefined, ADMIN, { token: 'x' }]) {
            expect(await ask(head('Auth.Token', { authentication, input: { ...token, junk: 'x'.repeat(70 * KIB) } })))
                .to.equal(`the input is longer than the allowed ${64 * KIB} bytes`);
        }

        expect(await ask(head(Op.hello, { authentication: ADMIN, attributes: { junk: 'x'.repeat(2 * MIB) } }))).to.be.undefined();
        client.close();
    });

    it('with credentials that nobody verifies share the memory of those without', async () => {

        const memory = bodyMemoryOf(small.server, 0);
        const login = (path: string, n: number): Http.ClientRequest => {

            const request = Http.request(small.url + path, {
                method: 'POST', localAddress: `127.0.0.${2 + n % 2}`, headers: { ...JSON_TYPE, authorization: 'Bearer x' }, agent: false
            });
            request.on('error', () => undefined);
            request.write(`{${LOGIN},"junk":"${'x'.repeat(63 * KIB)}`);
            return request;
        };

        for (const path of ['/auth/token', '/doip/Auth.Token?targetId=service']) {
            const opened = Array.from({ length: 10 }, (_, n) => login(path, n));
            await until(() => memory.used > 10 * 47 * KIB);
            const next = login(path, 10);
            const [response] = await once(next, 'response') as [Http.IncomingMessage];
            response.resume();

            expect(response.statusCode, path).to.equal(503);
            [...opened, next].forEach((request) => request.destroy());
            await until(() => memory.used === 0);
        }
    });

    /** A search that sends a part of its body and then no more. */
    function begin(bytes: number): Http.ClientRequest {

        const request = Http.request(`${small.url}/search`, { method: 'POST', headers: { ...JSON_TYPE, 'content-length': bytes * 2 } });
        request.on('error', () => undefined);
        request.write(`{"query":"${'x'.repeat(bytes)}`);
        return request;
    }
});
