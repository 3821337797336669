/**
 * Every parameter, field and header gets long texts that are hard to parse. No request may take much longer than its length
 * explains: processor time counts, as the machine may be busy.
 */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Op } from '../../lib/doip/operation-ids.js';
import { describedPlaces, MULTIPART, type Sample, type Shape } from '../support/described-requests.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
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

/** The same for a list of 20,000 items in so many characters, each of which is an object to be stored. */
const MOST_OF_ITEMS = 3_000;
const TAKES_ITEMS = /(?:batchUpload|uploadObjects|Op\.BatchUpload|Op\.UploadObjects)\b/i;

const TRIES = 3;

const row = (unit: string): string => unit.repeat(Math.ceil(LENGTH / unit.length));
const TEXTS: readonly string[] = [
    `a${row(' ')}b`, `a${row(':')}b`, `['${row('\\\'')}`, `["${row('\\"')}`, row('['), `[${row('{},')}x`, row('~0/'), `${row('1')}x`, row('a*'),
    row('('), row('\ud83d\ude00'), row(';a="'), row('a,')
];

/** Texts that headers can carry. */
const HEADER_TEXTS = TEXTS.filter((text) => /^[\x20-\x7e]*$/.test(text) && text.trim() === text);

const enc = encodeURIComponent;
const JSON_TYPE = { 'content-type': 'application/json' };
/** Of requests for `/session`. */
const PAGE = { 'x-requested-with': 'doip-gateway' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const inQuery = (path: string, names: readonly string[]): [string, Shape][] => names.map((name) =>
    [`${path} ${name}`, (text) => ({ method: 'GET', headers: {}, path: `${path}${path.includes('?') ? '&' : '?'}${name}=${enc(text)}` })]);
const inJson = (path: string, names: readonly string[], base: object = {}, method = 'POST'): [string, Shape][] => names.map((name) =>
    [`${method} ${path} ${name}`, (text) => ({ path, method, headers: JSON_TYPE, body: JSON.stringify({ ...base, [name]: text }) })]);
const inForm = (path: string, names: readonly string[]): [string, Shape][] => names.map((name) =>
    [`form to ${path}, ${name}`, (text) => ({ path, method: 'POST', headers: FORM_TYPE, body: `${name}=${enc(text)}` })]);
const inPath = (paths: readonly string[]): [string, Shape][] => paths.map((path) => [`behind ${path}`, (text) => ({ method: 'GET', headers: {}, path: path + enc(text) })]);

const SEARCH = ['query', 'queryJson', 'sortFields', 'facets', 'filter', 'filterQueries', 'pageNum', 'pageSize', 'ids', 'full', 'includeScore', 'requestContext'];
const DOIP = '/doip?operationId=0.DOIP/Op.Search&targetId=service';
const ENVELOPE = ['attributes', 'attributes.query', 'attributes.sortFields', 'attributes.facets', 'clientId', 'requestId', 'authentication', 'input', 'input.query', 'a.b'];
const CREATE = '/objects?type=Document&dryRun';

/** What the API description does not name. */
const SHAPES: readonly [string, Shape][] = [
    ...inQuery(DOIP, [...ENVELOPE, 'access_token']), ...inForm(DOIP, [...ENVELOPE, 'access_token']), ...inQuery('/search', ['access_token']),
    ...inPath(['/acls/test/', '/hdl/test/', '/api/handles/test/', '/relationships/test/', '/objects/test/', '/cordra/objects/']),
    ...inForm('/objects', ['query', 'sortFields', 'requestContext', 'csrfToken', 'access_token']), ...inForm(CREATE, ['content', 'acl', 'userMetadata']),
    ...inJson(CREATE, ['id', 'name', 'any']), ...inJson('/objects?dryRun&type=Schema', ['name', 'javascript', 'identifier', 'baseUri', 'schema', 'authConfig']),
    ...['type', 'handle', 'suffix', 'full', 'requestContext', 'any'].map((name): [string, Shape] => [`field ${name} of an object in parts`, (text) => (
        { path: CREATE, method: 'POST', headers: { 'content-type': MULTIPART }, body: `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--b--\r\n` })]),
    ['a batch upload', (text) => ({ path: '/batchUpload', method: 'POST', headers: JSON_TYPE, body: `[{"id":${JSON.stringify(text)}},${text}` })]
];

const OBJECT = ['/id', '/type', '/attributes', '/attributes/content', '/attributes/acl', '/attributes/acl/readers', '/attributes/userMetadata', '/elements', '/elements/*/id',
    '/elements/*/type', '/elements/*/attributes', '/elements/*/attributes/filename'];
const DOCUMENT = { type: 'Document', attributes: { content: {} } };
const ITEM = { id: 'test/item', type: 'Document', content: {} };
const JWT = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' };
const CODE = { grant_type: 'authorization_code', code: 'x', code_verifier: 'x' };
const LOGIN: Sample = {
    beside: { username: 'nobody', password: 'x' }, besideOf: { '/grant_type': {}, '/assertion': JWT, '/code': CODE, '/code_verifier': CODE },
    members: ['/grant_type', '/username', '/password', '/assertion', '/code', '/code_verifier']
};
const QUERY: Sample = { values: { query: 'x' }, instead: { queryJson: 'query' } };
const QUERY_BODY: Sample = { beside: { query: 'x' }, besideOf: { '/queryJson': {} }, members: SEARCH.map((name) => `/${name}`) };
const CALL: Sample = { values: { objectId: 'test/callee' }, instead: { type: 'objectId' } };
const PASSWORD: Sample = { members: ['/password'] };

/** What requests of the API description have beside a text. Nothing is stored where that can be avoided. */
const SAMPLES: Readonly<Record<string, Sample>> = {
    'POST /objects': { values: { dryRun: 'true' } }, 'PUT /objects/{id}': { values: { dryRun: 'true' } }, 'DELETE /objects/{id}': { values: { dryRun: 'true' } },
    'GET /objects': QUERY, 'GET /search': QUERY, 'POST /search': QUERY_BODY, 'GET /call': CALL, 'POST /call': CALL, 'GET /listMethods': CALL,
    'PUT /acls/{id}': { members: ['/readers', '/writers', '/payloadReaders', '/methods'] }, 'PUT /schemas/{type}': { values: { type: 'Hostile' } },
    'DELETE /schemas/{type}': { values: { type: 'None' } }, 'POST /auth/keys': { beside: { name: 'key' } }, 'POST /auth/token': LOGIN, 'POST /session': LOGIN,
    'PUT /adminPassword': PASSWORD, 'POST /batchUpload': { beside: ITEM, members: ['/results', '/results/*/id'] },
    'POST /uploadObjects': { beside: ITEM, members: ['/results', '/results/*/id'] }, 'PUT /uploadObjects': { beside: ITEM, members: ['/results', '/results/*/id'] },
    ...Object.fromEntries(([
        [Op.create, { values: { 'attributes.dryRun': 'true' }, around: DOCUMENT, members: OBJECT }],
        [Op.update, { values: { 'attributes.dryRun': 'true' }, around: DOCUMENT, members: OBJECT }],
        [Op.delete, { values: { targetId: 'test/none' } }],
        [Op.search, { values: { 'attributes.query': 'x' }, instead: { 'attributes.queryJson': 'attributes.query' }, ...QUERY_BODY }],
        [Op.call, { values: { 'targetId': 'test/callee', 'attributes.method': 'echo' } }], [Op.listMethods, { values: { targetId: 'test/callee' } }],
        ['echo', { values: { targetId: 'test/callee' } }],
        [Op.aclsUpdate, { members: ['/readers', '/writers', '/payloadReaders', '/methods'] }], [Op.schemasGet, { values: { 'attributes.type': 'Document' } }],
        [Op.schemasUpdate, { values: { 'attributes.type': 'Hostile' }, members: ['/properties', '/$ref'] }], [Op.schemasDelete, { values: { 'attributes.type': 'None' } }],
        [Op.schemasRehearse, { values: { targetId: 'test/callee' }, beside: { schema: {} }, members: ['/schema/properties', '/javascript'] }],
        [Op.schemasCheck, { values: { 'attributes.type': 'Document' }, members: ['/properties', '/$ref'] }], [Op.changePassword, PASSWORD], [Op.changeAdminPassword, PASSWORD],
        [Op.authToken, LOGIN], [Op.authIntrospect, { members: ['/token'] }], [Op.authRevoke, { members: ['/token'] }], [Op.keysCreate, { beside: { name: 'key' } }],
        [Op.batchUpload, { around: DOCUMENT, members: OBJECT.map((pointer) => `/*${pointer}`) }], [Op.uploadObjects, { around: DOCUMENT, members: OBJECT.map((pointer) => `/*${pointer}`) }]
    ] as const).flatMap(([id, sample]) => ['GET', 'POST'].map((method): [string, Sample] => [`${method} /doip/${id}`, sample])))
};

/** Places that are described and not tried, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** Operations that the server of tests adds; one waits until the test releases it. */
const OF_TESTS = '/doip/test/';

const HEADERS: readonly [string, Shape][] = ['authorization', 'cookie', 'range', 'content-disposition', 'x-forwarded-for', 'accept', 'if-none-match', 'as-user',
    'if-match', 'if-range', 'content-type', 'traceparent', 'x-forwarded-proto', 'x-forwarded-host', 'x-csrf-token', 'x-session', 'accept-encoding']
    .map((name) => [`header ${name}`, (text) => ({ path: '/objects/design', method: 'GET', headers: { [name]: `${PREFIXES[name] ?? ''}${text}` } })]);
const PREFIXES: Readonly<Record<string, string>> = {
    'authorization': 'Bearer ', 'cookie': 'JSESSIONID=', 'range': 'bytes=', 'if-match': '"', 'content-type': 'multipart/form-data; boundary=', 'traceparent': '00-', 'content-disposition': 'form-data; name="a'
};

interface Named {
    readonly in?: string;
    readonly name?: string;
    readonly $ref?: string;
}

interface DescribedOperation {
    readonly parameters?: readonly Named[];
    readonly requestBody?: { readonly content: object };
}

interface Description {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
    readonly components: { readonly parameters: Readonly<Record<string, Named>> };
}

/** The names of all parameters and bodies. */
function namesOf({ paths, components }: Description): string[] {

    return Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => [
        ...parameters.map((each) => {

            const { in: place, name } = components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each;
            return `${place} ${name}`;
        }),
        ...Object.keys(requestBody?.content ?? {})
    ].map((name) => `${method.toUpperCase()} ${path}: ${name}`)));
}

describe('long hostile texts', () => {

    let service: TestServer;

    before(async () => {

        service = await startServer({ MAX_URL_BYTES: 1024 * 1024, MAX_HEADER_BYTES: 1024 * 1024, LOG_LEVEL: 'silent' });
        const store = async (path: string, content: object, method = 'POST'): Promise<void> => {

            const response = await fetch(service.url + path, { method, headers: { ...ADMIN_HEADERS, ...JSON_TYPE }, body: JSON.stringify(content) });
            expect(response.status, await response.text()).to.equal(200);
        };

        const design = await (await fetch(`${service.url}/objects/design`, { headers: ADMIN_HEADERS })).json() as object;
        await store('/objects/design', { ...design, useLegacySessionsApi: true, disableAuthenticationBackOff: true }, 'PUT');
        const javascript = 'exports.methods = { echo: () => 1 }; exports.methods.echo.allowGet = true;';
        await store('/objects?type=Schema', { name: 'Callee', identifier: '', schema: { type: 'object' }, javascript });
        await store('/objects?type=Callee&handle=test/callee', {});
        await store('/objects?type=Document&handle=test/some', { name: 'x' });
    });

    after(() => service.stop());

    async function timeOf({ path, ...init }: ReturnType<Shape>): Promise<number> {

        const elapsed = processorTime();
        const response = await fetch(service.url + path, { ...init, headers: { ...ADMIN_HEADERS, ...PAGE, ...init.headers } });
        await response.arrayBuffer();
        const ms = elapsed();
        if (/password/i.test(path)) {
            await service.server.plugins['doip-gateway'].gateway.services.identity.admin.changePassword(ADMIN_PASSWORD);
        }

        expect([429, 500], path.slice(0, 100)).to.not.include(response.status);
        return ms;
    }

    async function expectInTime(name: string, shape: Shape, text: string): Promise<void> {

        const request = shape(text);
        const most = TAKES_ITEMS.test(name) && text.includes('{},') ? MOST_OF_ITEMS : MOST;
        let least = Infinity;
        for (let attempt = 0; attempt < TRIES && least > most; ++attempt) {
            least = Math.min(least, await timeOf(request));
        }

        expect(least, `${name}, ${text.slice(0, 12)}`).to.be.below(most);
    }

    it('are parsed in time at every place of the API description, but for exceptions', { timeout: 1_800_000 }, async () => {

        const { paths, ...others } = await (await fetch(`${service.url}/openapi.json`)).json() as Description;
        const description = { ...others, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith(OF_TESTS))) };
        const tried = new Set<string>();
        for (const [at, { name, shapes }] of describedPlaces(description, SAMPLES).entries()) {
            for (const [n, shape] of shapes.entries()) {
                for (const text of textsOf(name, n, at)) {
                    await expectInTime(name, shape, text);
                    tried.add(name.replace(/ \/[^ ]*$/, ''));
                }
            }
        }

        const missing = namesOf(description).filter((name) => !tried.has(name));
        expect(tried.size).to.be.above(500);
        expect(missing.toSorted()).to.equal(Object.keys(EXCEPTIONS).toSorted());
    });

    const cases = [...SHAPES.map(([name, shape]) => [name, shape, TEXTS] as const), ...HEADERS.map(([name, shape]) => [name, shape, HEADER_TEXTS] as const)];
    for (const [name, shape, texts] of cases) {
        it(`are parsed in time: ${name}`, async () => {

            for (const text of texts) {
                await expectInTime(name, shape, text);
            }
        });
    }
});

/** Texts for a request. Where the same code reads many places, each gets some of them in turns. */
function textsOf(name: string, shape: number, at: number): readonly string[] {

    const some = (texts: readonly string[], count: number): string[] => Array.from({ length: count }, (_, n) => texts[(at * count + shape + n) % texts.length] ?? '');
    if (name.includes(': header ')) {
        return some(HEADER_TEXTS, 2);
    }

    if (/^GET \/(?!doip)/.test(name) || / (?:query|filterQueries|sortFields|facets|text\/plain)$/.test(name)) {
        return TEXTS;
    }

    return some(TEXTS, shape > 0 || name.endsWith(' targetId') ? 2 : 4);
}
