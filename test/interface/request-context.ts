/** The request context reaches every operation, in whatever way it is given, and what cannot be one is refused before anything is done. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { OwnContext } from '../../lib/core/own-operation.js';
import type { JsonObject, JsonValue } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { builtInOperations } from '../../lib/operations/index.js';
import { sessions } from '../../translators/sessions/index.js';
import { forEachDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { COVERAGE } from '../support/coverage.js';
import { ADMIN_HEADERS, jsonOf } from '../support/rest.js';
import type { TestService } from '../support/service.js';
import { startService } from '../support/service.js';
import { changeDesign } from '../support/type-code.js';
import type { OperationContext } from '../../lib/core/operation-context.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

const CONTEXT: JsonObject = { of: 'this request', nested: { n: [1, null] } };
const JSON_HEADERS = { 'content-type': 'application/json' };
const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };

/** What operations are given beside the request context, where they ask for something before they begin. */
const NEEDS: Readonly<Record<string, { query?: string; payload?: JsonValue }>> = {
    [Op.create]: { payload: { type: 'Document', attributes: { content: {} } } },
    [Op.update]: { payload: { attributes: { content: {} } } },
    [Op.search]: { query: '&query=*' },
    [Op.call]: { query: '&method=none' },
    [Op.schemasGet]: { query: '&type=Document' },
    [Op.schemasUpdate]: { query: '&type=Extra', payload: { type: 'object' } },
    [Op.schemasDelete]: { query: '&type=None' },
    [Op.schemasCheck]: { query: '&type=Extra', payload: { type: 'object' } },
    [Op.schemasRehearse]: { payload: { schema: {} } },
    [Op.changePassword]: { payload: { password: ADMIN_PASSWORD } },
    [Op.changeAdminPassword]: { payload: { password: ADMIN_PASSWORD } },
    [Op.authToken]: { payload: { username: 'admin', password: ADMIN_PASSWORD } },
    [Op.authIntrospect]: { payload: { token: 'none' } },
    [Op.authRevoke]: { payload: { token: 'none' } },
    [Op.loginBegin]: { query: '&provider=none&codeChallenge=none' },
    [Op.loginComplete]: { query: '&provider=none&query=none' },
    [Op.keysCreate]: { payload: { name: 'key' } },
    [Op.keysRevoke]: { query: '&keyId=none' },
    [Op.aclsUpdate]: { payload: { readers: [] } },
    [Op.batchUpload]: { payload: [] },
    [Op.uploadObjects]: { payload: [] },
    [Op.importObjects]: { payload: [] },
    [Op.reindexBatch]: { payload: [] }
};

/** The same for paths, where their parameters have other names. `{id}` is an object. */
const LINES: Readonly<Record<string, string>> = {
    [`POST /objects/{name*} ${Op.create}`]: 'POST /objects?type=Document',
    [`GET /search ${Op.search}`]: 'GET /search?query=*',
    [`GET /auth/login/{name*} ${Op.loginProviders}`]: 'GET /auth/login',
    [`GET /auth/login/{name*} ${Op.loginBegin}`]: 'GET /auth/login/none?codeChallenge=none',
    [`GET /schemas/{name*} ${Op.schemasList}`]: 'GET /schemas',
    [`GET /schemas/{name*} ${Op.schemasGet}`]: 'GET /schemas/Document',
    [`PUT /schemas/{name*} ${Op.schemasUpdate}`]: 'PUT /schemas/Extra',
    [`DELETE /schemas/{name*} ${Op.schemasDelete}`]: 'DELETE /schemas/None',
    [`POST /schemaCheck ${Op.schemasCheck}`]: 'POST /schemaCheck?type=Document',
    [`POST /rehearsal ${Op.schemasRehearse}`]: 'POST /rehearsal?objectId={id}',
    [`GET /call ${Op.call}`]: 'GET /call?objectId={id}&method=none',
    [`POST /call ${Op.call}`]: 'POST /call?objectId={id}&method=none',
    [`GET /listMethods ${Op.listMethods}`]: 'GET /listMethods?objectId={id}',
    [`GET /versions ${Op.versionsGet}`]: 'GET /versions?objectId={id}',
    [`POST /versions ${Op.versionsPublish}`]: 'POST /versions?objectId={id}',
    [`GET /sessions/{name*} ${Op.sessionsGet}`]: 'GET /sessions/this',
    [`DELETE /sessions/{name*} ${Op.sessionsDelete}`]: 'DELETE /sessions/this'
};

/** Bodies of paths; the others have that of the operation. */
const BODIES: Readonly<Record<string, string>> = {
    [Op.create]: '{}', [Op.update]: '{}', [Op.search]: '{"query":"*"}', [Op.changePassword]: ADMIN_PASSWORD, [Op.call]: '{}'
};

forEachDatabase((name, create) => {

    describe(`the request context on ${name}`, () => {

        let database: TestDatabase;
        let service: TestService;
        let seen: { readonly operation: string; readonly requestContext: JsonObject }[] = [];
        let objects = 0;

        before(async () => {

            database = await create();
            service = await startService(database, {}, (gateway) => {

                for (const operation of builtInOperations) {
                    const { authorise } = operation;
                    gateway.registerOperation({
                        ...operation,
                        authorise: typeof authorise === 'function' ? (context) => authorise(withServices(context)) : authorise,
                        handler(context) {

                            seen.push({ operation: operation.id, requestContext: context.requestContext });
                            return operation.handler(withServices(context));
                        }
                    }, { override: true });
                }
            });
            await changeDesign(service, { useLegacySessionsApi: true });
            await service.server.register({ plugin: sessions, options: { gateway: service.gateway } });
        });

        beforeEach(() => {

            seen = [];
        });

        after(async () => {

            await service.stop();
            await database.dispose();
        });

        async function newObject(): Promise<string> {

            const id = `test/o${++objects}`;
            await service.create('Document', {}, { id });
            seen = [];
            return id;
        }

        async function ask(line: string, payload?: string | Buffer, headers: Record<string, string> = {}) {

            const space = line.indexOf(' ');
            const response = await service.server.inject({
                method: line.slice(0, space), url: line.slice(space + 1), headers: { ...ADMIN_HEADERS, ...headers },
                ...payload === undefined ? {} : { payload }
            });
            return { status: response.statusCode, message: response.statusCode >= 400 ? String(jsonOf(response)['message']) : '' };
        }

        const json = encodeURIComponent(JSON.stringify(CONTEXT));
        const within = encodeURIComponent(JSON.stringify({ requestContext: CONTEXT }));
        const dotted = 'requestContext.of=this%20request&requestContext.nested=%7B%22n%22:%5B1,null%5D%7D';
        const CARRIERS: readonly (readonly [carrier: string, query: string])[] = [
            ['as a parameter', `requestContext=${json}`],
            ['among the attributes', `attributes=${within}`],
            ['among the attributes in short', `a=${within}`],
            ['as a dotted attribute', `attributes.requestContext=${json}`],
            ['dotted itself', dotted]
        ];
        const NO_CONTEXT: readonly (readonly [string, RegExp])[] = [
            ['requestContext=%7B', /^Unable to parse requestContext/],
            ['requestContext=7', /^Unable to parse requestContext/],
            ['requestContext=%5B%5D', /^Unable to parse requestContext/],
            ['attributes=%7B%22requestContext%22:1%7D', /^Unable to parse requestContext/],
            [`requestContext=${json}&attributes=${within}`, /requestContext/],
            [`requestContext=${json}&requestContext=${json}`, /requestContext/],
            [`requestContext=${json}&${dotted}`, /requestContext/]
        ];

        for (const { id: operation, target, input } of builtInOperations) {
            const { query = '', payload } = NEEDS[operation] ?? {};
            const body = payload === undefined ? undefined : JSON.stringify(payload);

            it(`reaches ${operation} by DOIP`, async () => {

                for (const [carrier, carried] of CARRIERS) {
                    const id = target === 'object' ? await newObject() : 'service';
                    seen = [];
                    const { status, message } = await ask(`POST /doip?o=${operation}&t=${id}${query}&${carried}`, body, body ? JSON_HEADERS : {});
                    expect<unknown>(seen, `${carrier}: ${status} ${message}`).to.equal([{ operation, requestContext: CONTEXT }]);
                }
            });

            if (payload === undefined && input !== 'json') {
                it(`reaches ${operation} by DOIP in a form`, async () => {

                    const id = target === 'object' ? await newObject() : 'service';
                    seen = [];
                    const { status, message } = await ask('POST /doip', `o=${operation}&t=${id}${query}&requestContext=${json}`, FORM_HEADERS);

                    expect<unknown>(seen, `${status} ${message}`).to.equal([{ operation, requestContext: CONTEXT }]);
                });
            }

            it(`is rejected by ${operation} over DOIP when it is invalid or given twice`, async () => {

                const id = target === 'object' ? await newObject() : 'service';
                seen = [];
                for (const [wrong, expected] of NO_CONTEXT) {
                    const { status, message } = await ask(`POST /doip?o=${operation}&t=${id}${query}&${wrong}`, body, body ? JSON_HEADERS : {});
                    expect<unknown>({ status, wrong }).to.equal({ status: 400, wrong });
                    expect(message).to.match(expected);
                }

                expect(seen).to.equal([]);
            });
        }

        for (const { rest, operation } of COVERAGE) {
            for (const path of rest ?? []) {
                const template = LINES[`${path} ${operation}`] ?? path.replace('{name*}', '{id}');
                const needed = NEEDS[operation]?.payload;
                const body = BODIES[operation] ?? (needed === undefined ? undefined : JSON.stringify(needed));
                const sent = path.startsWith('GET ') ? undefined : body;
                const ending = template.includes('?') ? '&' : '?';

                it(`reaches ${operation} by ${template}`, async () => {

                    const line = template.replace('{id}', await newObject());
                    const { status, message } = await ask(`${line}${ending}requestContext=${json}`, sent, sent ? JSON_HEADERS : {});

                    expect<unknown>(seen, `${status} ${message}`).to.equal([{ operation, requestContext: CONTEXT }]);
                });

                it(`is rejected by ${template} when it is invalid`, async () => {

                    const line = template.replace('{id}', await newObject());
                    for (const [wrong, expected] of NO_CONTEXT.filter(([query]) => !/attributes|[.]|&/.test(query))) {
                        const { status, message } = await ask(`${line}${ending}${wrong}`, sent, sent ? JSON_HEADERS : {});
                        expect<unknown>({ status, wrong }).to.equal({ status: 400, wrong });
                        expect(message).to.match(expected);
                    }

                    expect(seen).to.equal([]);
                });
            }
        }

        it('is read from the forms and bodies of searches', async () => {

            const context = JSON.stringify(CONTEXT);
            const search = `query=*&requestContext=${encodeURIComponent(context)}`;

            const answers = [
                await ask('POST /objects', search, FORM_HEADERS),
                await ask('POST /search', `{"query":"*","requestContext":${context}}`, JSON_HEADERS),
                await ask('POST /doip?o=0.DOIP/Op.Search&t=service', `{"query":"*","requestContext":${context}}`, JSON_HEADERS)
            ];

            expect(answers.map(({ status }) => status)).to.equal([200, 200, 200]);
            expect<unknown>(seen.map(({ operation }) => operation)).to.equal([Op.search, Op.search, Op.search]);
            expect<unknown>(seen.slice(0, 2).map(({ requestContext }) => requestContext)).to.equal([CONTEXT, CONTEXT]);
        });

        it('is rejected in the body of a search when it is given twice or invalid', async () => {

            const lines: readonly (readonly [string, string])[] = [
                ['POST /search?requestContext=%7B%7D', '{"query":"*","requestContext":{}}'],
                ['POST /search', '{"query":"*","requestContext":[]}'],
                ['POST /doip?o=0.DOIP/Op.Search&t=service&requestContext=%7B%7D', '{"query":"*","requestContext":{}}'],
                ['POST /doip?o=0.DOIP/Op.Search&t=service', '{"query":"*","requestContext":"none"}']
            ];
            for (const [line, payload] of lines) {
                const { status, message } = await ask(line, payload, JSON_HEADERS);
                expect<unknown>([line, status]).to.equal([line, 400]);
                expect(message).to.contain('requestContext');
            }
        });

        it('is taken from the attributes of a call in any notation, unless it is given elsewhere as well or invalid', async () => {

            const id = await newObject();
            const line = `POST /call?objectId=${id}&method=none`;
            for (const [carrier, query] of [['dotted', `attributes.requestContext=${json}`], ['whole', `attributes=${within}`]] as const) {
                seen = [];
                await ask(`${line}&${query}`);
                expect<unknown>(seen, carrier).to.equal([{ operation: Op.call, requestContext: CONTEXT }]);
            }

            seen = [];
            expect((await ask(`${line}&requestContext=${json}&attributes=${within}`)).status).to.equal(400);
            expect((await ask(`${line}&attributes.requestContext=7`)).status).to.equal(400);
            expect(seen).to.equal([]);
        });
    });
});

/** The context as built-in operations know it. */
function withServices(context: OwnContext): OperationContext {

    return Object.create(context, { services: { value: context.uncheckedServices } }) as OperationContext;
}
