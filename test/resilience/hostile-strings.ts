/**
 * Every parameter, field and header gets long texts that are hard to parse. No request may take much longer than its length
 * explains: processor time counts, as the machine may be busy.
 */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_HEADERS } from '../support/rest.js';
import type { TestServer } from '../support/server.js';
import { startServer } from '../support/server.js';
import { processorTime } from '../support/processor-time.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** What takes quadratic time takes a second or more for so many characters. */
const LENGTH = 60_000;

/** Processor time that a request may take, with all threads and the client; in milliseconds. */
const MOST = 600;

const TRIES = 3;

const row = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const TEXTS: readonly string[] = [
    `a${row(' ')}b`, `a${row(':')}b`, `['${row('\\\'')}`, `["${row('\\"')}`, row('['), `[${row('{},')}x`, row('~0/'), `${row('1')}x`, row('a*'),
    row('('), row('\ud83d\ude00'), row(';a="'), row('a,')
];

/** Texts that headers can carry. */
const HEADER_TEXTS = TEXTS.filter((text) => /^[\x20-\x7e]*$/.test(text) && text.trim() === text);

type Shape = (text: string) => { readonly path: string; readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

const enc = encodeURIComponent;
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const inQuery = (path: string, names: readonly string[]): [string, Shape][] => names.map((name) =>
    [`${path} ${name}`, (text) => ({ path: `${path}${path.includes('?') ? '&' : '?'}${name}=${enc(text)}` })]);
const inJson = (path: string, names: readonly string[], base: object = {}, method = 'POST'): [string, Shape][] => names.map((name) =>
    [`${method} ${path} ${name}`, (text) => ({ path, method, headers: JSON_TYPE, body: JSON.stringify({ ...base, [name]: text }) })]);
const inForm = (path: string, names: readonly string[]): [string, Shape][] => names.map((name) =>
    [`form to ${path}, ${name}`, (text) => ({ path, method: 'POST', headers: FORM_TYPE, body: `${name}=${enc(text)}` })]);
const inPath = (paths: readonly string[]): [string, Shape][] => paths.map((path) => [`behind ${path}`, (text) => ({ path: path + enc(text) })]);

const SEARCH = ['query', 'queryJson', 'sortFields', 'facets', 'filter', 'filterQueries', 'pageNum', 'includeScore'];
const DOIP = '/doip?operationId=0.DOIP/Op.Search&targetId=service';

const SHAPES: readonly [string, Shape][] = [
    ...inQuery('/search?ids', [...SEARCH, 'requestContext']), ...inQuery('/objects', ['query', 'sortFields']), ...inJson('/search', SEARCH, { query: 'a' }),
    ...inForm('/search', ['query', 'sortFields', 'requestContext']),
    ...inQuery(DOIP, ['attributes', 'attributes.query', 'attributes.sortFields', 'attributes.facets', 'clientId', 'authentication', 'input', 'a.b']),
    ...inQuery('/doip?targetId=service', ['operationId']), ...inQuery('/doip?operationId=0.DOIP/Op.Retrieve', ['targetId']),
    ...inQuery('/objects/design', ['jsonPointer', 'filter', 'payload', 'requestContext', 'text']),
    ...inQuery('/listMethods', ['type', 'objectId']), ...inQuery('/call', ['objectId', 'method', 'type', 'params']), ...inQuery('/versions', ['objectId']),
    ...inPath(['/objects/', '/acls/test/', '/hdl/test/', '/api/handles/test/', '/schemas/', '/relationships/test/', '/objects/test/']),
    ...inJson('/objects?type=Document&dryRun', ['id', 'name', 'any']), ...inJson('/objects?dryRun&type=Schema', ['name', 'javascript', 'identifier']),
    ...inForm('/objects?type=Document&dryRun', ['content', 'acl', 'userMetadata']), ...inJson('/auth/token', ['username', 'password', 'assertion', 'grant_type']),
    ...inJson('/auth/introspect', ['token']), ...inJson('/auth/revoke', ['token']), ...inJson('/auth/keys', ['name', 'types', 'operations']),
    ...inJson('/sessions', ['username', 'password']), ...inJson('/schemaCheck', ['type', 'schema', 'query']), ...inJson('/labels', ['ids']), ...inJson('/versions', ['objectId']),
    ...inJson('/reindexBatch', ['query', 'type'], { batchSize: 1 }), ...inJson('/acls/design', ['readers', 'writers'], {}, 'PUT'),
    ['a body that is no JSON', (text) => ({ path: '/objects?type=Document&dryRun', method: 'POST', headers: JSON_TYPE, body: text })],
    ['a batch upload', (text) => ({ path: '/batchUpload?dryRun', method: 'POST', headers: JSON_TYPE, body: `[{"id":${JSON.stringify(text)}},${text}` })]
];

const HEADERS: readonly [string, Shape][] = ['authorization', 'cookie', 'range', 'content-disposition', 'x-forwarded-for', 'accept', 'if-none-match', 'as-user',
    'if-match', 'if-range', 'content-type', 'traceparent', 'x-forwarded-proto', 'x-forwarded-host', 'x-csrf-token', 'x-session', 'accept-encoding']
    .map((name) => [`header ${name}`, (text) => ({ path: '/objects/design', headers: { [name]: `${PREFIXES[name] ?? ''}${text}` } })]);
const PREFIXES: Readonly<Record<string, string>> = {
    'authorization': 'Bearer ', 'cookie': 'JSESSIONID=', 'range': 'bytes=', 'if-match': '"', 'content-type': 'multipart/form-data; boundary=', 'traceparent': '00-', 'content-disposition': 'form-data; name="a'
};

describe('long hostile texts', () => {

    let service: TestServer;

    before(async () => {

        service = await startServer({ MAX_URL_BYTES: 1024 * 1024, MAX_HEADER_BYTES: 1024 * 1024, LOG_LEVEL: 'silent' });
    });

    after(() => service.stop());

    async function timeOf({ path, ...init }: ReturnType<Shape>): Promise<number> {

        const elapsed = processorTime();
        const response = await fetch(service.url + path, { ...init, headers: { ...ADMIN_HEADERS, ...init.headers } });
        await response.arrayBuffer();
        const ms = elapsed();
        expect(response.status, path.slice(0, 100)).to.not.equal(500);
        return ms;
    }

    interface Described {
        readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly { readonly in: string; readonly name: string }[] }>>>>;
    }

    it('are parsed in time: every parameter of every safe request of the API description', async () => {

        const { paths } = await (await fetch(`${service.url}/openapi.json`)).json() as Described;
        const shapes = Object.entries(paths).flatMap(([path, methods]) => (methods['get']?.parameters ?? []).filter((each) => each.in !== 'header').map((each): [string, Shape] =>
            [`${path} ${each.name}`, (text) => ({
                path: each.in === 'path' ? path.replace(`{${each.name}}`, enc(text)).replaceAll(/\{\w+\}/g, 'x') : `${path.replaceAll(/\{\w+\}/g, 'design')}?${each.name}=${enc(text)}`
            })]));
        expect(shapes.length).to.be.above(50);
        for (const [name, shape] of shapes) {
            for (const text of TEXTS) {
                let least = Infinity;
                for (let attempt = 0; attempt < TRIES && least > MOST; ++attempt) {
                    least = Math.min(least, await timeOf(shape(text)));
                }

                expect(least, `${name}, ${text.slice(0, 12)}`).to.be.below(MOST);
            }
        }
    });

    const cases = [...SHAPES.map(([name, shape]) => [name, shape, TEXTS] as const), ...HEADERS.map(([name, shape]) => [name, shape, HEADER_TEXTS] as const)];
    for (const [name, shape, texts] of cases) {
        it(`are parsed in time: ${name}`, async () => {

            for (const text of texts) {
                const request = shape(text);
                let least = Infinity;
                for (let attempt = 0; attempt < TRIES && least > MOST; ++attempt) {
                    least = Math.min(least, await timeOf(request));
                }

                expect(least, `${name}, ${text.slice(0, 12)}`).to.be.below(MOST);
            }
        });
    }
});
