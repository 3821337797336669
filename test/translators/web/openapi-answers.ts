/** Every path of REST in the OpenAPI document succeeds at least once, and its response is what the document says. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Ajv2020 from 'ajv/dist/2020';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import { ADMIN_HEADERS, basic } from '../../support/rest.js';
import type { Received, RestService } from '../../support/rest-service.js';
import { startRest } from '../../support/rest-service.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Operation {
    readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: JsonObject }>> }>>;
}

/** A request: of the administrator, unless it has other headers. */
interface Sent {
    readonly url: string;
    readonly body?: JsonValue;
    readonly headers?: Record<string, string>;
}

type Answers = ReadonlyMap<string, JsonObject>;

function textAt(answers: Answers, path: string, member: string): string {

    const value = answers.get(path)?.[member];
    return typeof value === 'string' ? value : '';
}

/** The headers of the session that was started. */
function sessionIn(answers: Answers): Record<string, string> {

    const cookie = textAt(answers, 'cookie of post /sessions', 'value');
    return { cookie, 'x-csrf-token': /Csrf-token=([^;]+)/.exec(cookie)?.[1] ?? '' };
}

const LOGIN = { grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD };
const DOCUMENT = { name: 'a map' };
const PROVIDERS = 'has no provider here; see test/interface/browser-logins.ts';

/** Requests by path, in their order; a text instead of one tells why there is none. */
const REQUESTS: readonly (readonly [path: string, request: string | Sent | ((answers: Answers) => Sent)])[] = [
    ['get /', { url: '/', headers: { accept: 'application/json' } }],
    ['get /openapi.json', { url: '/openapi.json' }],
    ['get /docs', { url: '/docs' }],
    ['get /health/live', { url: '/health/live' }],
    ['get /health/ready', { url: '/health/ready' }],
    ['get /startupStatus', { url: '/startupStatus' }],
    ['get /status', { url: '/status' }],
    ['get /design', { url: '/design' }],
    ['get /initData', { url: '/initData' }],
    ['get /schemaTemplates', { url: '/schemaTemplates' }],
    ['post /objects', { url: '/objects?type=Document&handle=test/map', body: DOCUMENT }],
    ['get /objects/{id}', { url: '/objects/test/map' }],
    ['get /api/objects/{id}', { url: '/api/objects/test/map?full' }],
    ['put /objects/{id}', { url: '/objects/test/map', body: { name: 'another map' } }],
    ['get /objects', { url: '/objects?query=map&facets=[{"field":"type"}]' }],
    ['get /search', { url: '/search?query=*:*' }],
    ['post /search', { url: '/search', body: { query: '*:*', ids: true } }],
    ['put /acls/{id}', { url: '/acls/test/map', body: { readers: ['public'], writers: ['creator'] } }],
    ['post /acls/{id}', { url: '/acls/test/map', body: { readers: ['public'] } }],
    ['get /acls/{id}', { url: '/acls/test/map' }],
    ['get /rights/{id}', { url: '/rights/test/map' }],
    ['get /labels', { url: '/labels?ids=["test/map","test/none"]' }],
    ['post /labels', { url: '/labels', body: ['test/map'] }],
    ['get /relationships/{id}', { url: '/relationships/test/map' }],
    ['put /schemas/{type}', { url: '/schemas/Map', body: { type: 'object', properties: { name: { type: 'string' } } } }],
    ['get /schemas/{type}', { url: '/schemas/Map' }],
    ['get /schemas', { url: '/schemas' }],
    ['post /schemaCheck', { url: '/schemaCheck?type=Document', body: { type: 'object', required: ['nothing'] } }],
    ['post /rehearsal', { url: '/rehearsal?objectId=test/map', body: { schema: { type: 'object' } } }],
    ['delete /schemas/{type}', { url: '/schemas/Map' }],
    ['post /versions', { url: '/versions?objectId=test/map&versionId=test/map-1' }],
    ['get /versions', { url: '/versions?objectId=test/map' }],
    ['post /call', { url: '/call?objectId=test/chart&method=shout', body: 'loud' }],
    ['get /call', { url: '/call?objectId=test/chart&method=shout' }],
    ['get /listMethods', { url: '/listMethods?objectId=test/chart&describe=true' }],
    ['post /auth/token', { url: '/auth/token?full=true', body: LOGIN }],
    ['post /auth/introspect', (answers) => ({ url: '/auth/introspect?full=true', body: { token: textAt(answers, 'post /auth/token', 'access_token') } })],
    ['get /auth/tokens', { url: '/auth/tokens' }],
    ['delete /auth/tokens/{tokenId}', (answers) => {

        const { tokens } = answers.get('get /auth/tokens') as { tokens: { id: string }[] };
        return { url: `/auth/tokens/${tokens[0]?.id}` };
    }],
    ['post /auth/revoke', (answers) => ({ url: '/auth/revoke', body: { token: textAt(answers, 'post /auth/token', 'access_token') } })],
    ['delete /auth/tokens', { url: '/auth/tokens' }],
    ['post /auth/keys', { url: '/auth/keys', body: { name: 'a key', readOnly: true, expiresInDays: 7 } }],
    ['get /auth/keys', { url: '/auth/keys' }],
    ['delete /auth/keys/{keyId}', (answers) => ({ url: `/auth/keys/${textAt(answers, 'post /auth/keys', 'id')}` })],
    ['get /auth/login', { url: '/auth/login' }],
    ['get /auth/login/{provider}', PROVIDERS],
    ['get /auth/callback/{provider}', PROVIDERS],
    ['get /check-credentials', { url: '/check-credentials?full=true' }],
    ['post /check-credentials', { url: '/check-credentials' }],
    ['get /usage', { url: '/usage?type=Document' }],
    ['put /users/this/password', { url: '/users/this/password', body: 'the next password of a user', headers: { ...basic('ann', 'the password of a user'), 'content-type': 'text/plain' } }],
    ['put /adminPassword', { url: '/adminPassword', body: { password: ADMIN_PASSWORD } }],
    ['post /session', { url: '/session', body: LOGIN, headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' } }],
    ['get /session', { url: '/session' }],
    ['delete /session', { url: '/session', headers: { 'sec-fetch-site': 'same-origin' } }],
    ['post /sessions', { url: '/sessions?full=true' }],
    ['get /sessions/{session}', (answers) => ({ url: '/sessions/this', headers: sessionIn(answers) })],
    ['delete /sessions/{session}', (answers) => ({ url: '/sessions/this', headers: sessionIn(answers) })],
    ['post /batchUpload', { url: '/batchUpload', body: [{ type: 'Document', content: DOCUMENT }, { type: 'None', content: {} }] }],
    ['post /uploadObjects', { url: '/uploadObjects', body: [{ id: 'test/uploaded', type: 'Document', content: DOCUMENT }] }],
    ['put /uploadObjects', { url: '/uploadObjects', body: { results: [{ id: 'test/uploaded', type: 'Document', content: DOCUMENT }] } }],
    ['post /reindexBatch', { url: '/reindexBatch', body: ['test/map'] }],
    ['get /api/handles/{handle}', { url: '/api/handles/test/map' }],
    ['get /hdl/{handle}', { url: '/hdl/test/map?noredirect' }],
    ['post /updateHandles', { url: '/updateHandles' }],
    ['get /updateHandles', { url: '/updateHandles' }],
    ['get /doip', { url: '/doip?operationId=0.DOIP/Op.Hello&targetId=service' }],
    ['post /doip', { url: '/doip?operationId=0.DOIP/Op.ListOperations&targetId=service' }],
    ['delete /objects/{id}', { url: '/objects/test/uploaded' }]
];

describe('the responses of REST', () => {

    let service: RestService;
    let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    const ajv = new Ajv2020({ strict: false });

    before(async () => {

        service = await startRest(createSqlite, 'http/1.1', { HANDLE_PREFIX: 'test', COUNT_USAGE: true });
        // While the search index starts, the service is not ready.
        await until(async () => (await service.anonymously('GET /health/ready')).statusCode === 200);
        await service.create('Schema', {
            name: 'Chart', schema: { type: 'object' },
            javascript: 'exports.methods = { shout: (object, { params }) => params || "quiet" }; exports.methods.shout.allowGet = true;'
        });
        await service.asAdmin('PUT /objects/design?jsonPointer=/useLegacySessionsApi', { payload: 'true' });
        await service.create('Chart', {}, 'handle=test/chart');
        await service.create('User', { username: 'ann', password: 'the password of a user' });
        const document = JSON.parse((await service.asAdmin('GET /openapi.json')).payload) as { paths: typeof paths; components: JsonObject };
        ({ paths } = document);
        ajv.addSchema({ $id: 'service', components: document.components });
    });

    after(() => service.stop());

    const wrongIn = (path: string, { statusCode, headers, payload }: Received): string[] => {

        const [method = '', name = ''] = path.split(' ');
        const declared = paths[name]?.[method]?.responses[String(statusCode)];
        const [mediaType = ''] = String(headers['content-type'] ?? '').split(';');
        const schema = declared?.content?.[mediaType]?.schema;
        if (statusCode >= 300 || !declared || !schema) {
            return [`${path}: ${statusCode} ${mediaType} ${payload.slice(0, 200)}`];
        }

        const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"service#/components')) as JsonObject);
        return mediaType !== 'application/json' || check(JSON.parse(payload)) ? [] : [`${path}: ${ajv.errorsText(check.errors)} ${payload.slice(0, 200)}`];
    };

    it('are as the document says, for every path and method in it', async () => {

        const described = Object.entries(paths).filter(([path]) => !path.startsWith('/doip/')).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
        expect(REQUESTS.map(([path]) => path).sort()).to.equal(described.sort());

        const answers = new Map<string, JsonObject>();
        const wrong: string[] = [];
        for (const [path, request] of REQUESTS) {
            if (typeof request === 'string') {
                continue;
            }

            const { url, body, headers } = typeof request === 'function' ? request(answers) : request;
            const isText = headers?.['content-type'] === 'text/plain';
            const answer = await service.anonymously(`${path.split(' ')[0]?.toUpperCase()} ${url}`, {
                headers: headers ?? { ...ADMIN_HEADERS, ...body === undefined ? {} : { 'content-type': 'application/json' } },
                ...body === undefined ? {} : { payload: isText ? body as string : JSON.stringify(body) }
            });
            wrong.push(...wrongIn(path, answer));
            if (String(answer.headers['content-type']).startsWith('application/json')) {
                answers.set(path, JSON.parse(answer.payload) as JsonObject);
            }

            answers.set(`cookie of ${path}`, { value: [answer.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0]).join('; ') });
        }

        expect(wrong).to.equal([]);
    });
});
