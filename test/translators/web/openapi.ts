/**
 * The description of the service: every route and operation is in it, an independent validator accepts it, and the service answers
 * generated requests to every path as it says.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import Ajv2020 from 'ajv/dist/2020';
import Joi from 'joi';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';
import { defineOwnOperation } from '../../../lib/core/own-operation.js';
import { flag, text } from '../../../lib/core/attributes.js';
import { result } from '../../../lib/core/operation.js';
import { METHOD_DESCRIPTION, OPERATION_DESCRIPTION } from '../../../lib/core/operation-description.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { arrayOf, DIGITAL_OBJECT, IDS as ID_LIST } from '../../../lib/doip/result-schemas.js';
import { createServer, serverUrl } from '../../../lib/server.js';
import { configure } from '../../../lib/config/index.js';
import { restRoutes } from '../../../translators/rest/index.js';
import { sessionRoutes } from '../../../translators/sessions/index.js';
import { webRoutes } from '../../../translators/web/index.js';
import { PATHS } from '../../../translators/web/openapi/paths.js';
import { SCHEMAS } from '../../../translators/web/openapi/schemas.js';
import { createSqlite } from '../../support/database.js';
import { ADMIN_PASSWORD, QUICK } from '../../support/gateway.js';
import type { Random } from '../../support/random.js';
import { seeded } from '../../support/random.js';
import { ADMIN_HEADERS } from '../../support/rest.js';
import { until } from '../../support/until.js';
import { pino } from 'pino';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const METHODS = ['get', 'post', 'put', 'delete'];
const SEED = Number(process.env['OPENAPI_SEED'] ?? Date.now() % 1_000_000);
const ROUNDS = 12;

/** Code of types by their names. */
const CODE: Readonly<Record<string, string>> = {
    Loan: `exports.methods = { extend: () => 1, describe: () => 2, '20.500.123/Op.Count': () => 3, '../up': () => 4, 'a{b}/c?d#e f': () => 5 };
        exports.methods.extend.description = {
            summary: 'lend <b>longer</b>', params: { type: 'object', properties: { days: { $ref: '#/definitions/n' } }, definitions: { n: { type: 'integer' } } },
            result: {
                $schema: 'http://json-schema.org/draft-07/schema#',
                anyOf: [{ $ref: 'Loan' }, { $ref: '/cordra/schemas/Other%2FLoan.schema.json' }, { $ref: 'Gone', title: 'unknown' }]
            }
        };
        exports.methods.describe.description = { result: { type: 'string' } };
        exports.staticMethods = { count: () => 7 };
        exports.staticMethods.count.allowGet = true;
        exports.staticMethods.count.description = { summary: 'count them', params: false };`,
    'Other/Loan': `exports.methods = { extend: () => 1, describe: () => 2 };
        exports.methods.extend.description = { summary: 'lend otherwise', params: { type: 'integer' }, result: true };`
};

/** The schema of a method of the last type. */
const LAST_METHOD = 'instance.result.Other_002fLoan__extend';

/** A method of a path of the document. */
interface Described {
    readonly method: string;
    readonly path: string;
    readonly operation: JsonObject & { readonly parameters: readonly Parameter[] };
}

interface Parameter {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: JsonObject;
    /** Instead of all others. */
    readonly $ref?: string;
}

describe('the description of the service', () => {

    let url = '';
    let document: JsonObject = {};
    let stop: () => Promise<void>;
    const faults: string[] = [];
    const ids = new Map<string, string>();

    before(async () => {

        const database = await createSqlite();
        const config = configure({ PORT: 0, DOIP_PORT: '', DATA_DIR: database.options.dataDir, ADMIN_PASSWORD, HANDLE_PREFIX: 'test', SCRIPT_TIMEOUT_SECONDS: 3 });
        const log = pino({ level: 'error' }, { write: (line: string) => void faults.push(line) });
        const server = await createServer(config, { log, passwordCost: QUICK });
        server.plugins['doip-gateway'].gateway.registerOperation(defineOwnOperation({
            id: '20.500.123/Op.Count', summary: 'count words', target: 'object', methods: ['GET', 'POST'], authorise: 'reader',
            attributes: Joi.object({ word: text().required(), exact: flag(), limit: Joi.number().integer().min(1).max(10).default(5) }),
            input: 'optional-json', inputSchema: Joi.object({ text: Joi.string().max(100) }),
            resultSchema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
            handler: () => Promise.resolve(result.json({ words: 1 }))
        }));
        await server.start();
        url = serverUrl(server, config);
        stop = async () => {

            await server.stop();
            await database.dispose();
        };

        const schemas: [name: string, schema: JsonValue][] = [
            ['Digital Specimen <b>', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { n: { type: 'string' } }, properties: { n: { $ref: '#/definitions/n' } } }],
            ['ÄÖ/ü', { $id: 'https://example.org/x', type: 'object' }]
        ];
        for (const [name, schema] of schemas) {
            const response = await ask('PUT', `/schemas/${encodeURIComponent(name)}`, { body: JSON.stringify(schema) });
            expect(response.status, await response.text()).to.equal(200);
        }

        for (const [name, javascript] of Object.entries(CODE)) {
            const body = JSON.stringify({ identifier: '', name, schema: { type: 'object' }, javascript });
            const response = await ask('POST', '/objects?type=Schema&full=true', { body });
            expect(response.status, await response.clone().text()).to.equal(200);
            ids.set(name, (await response.json() as { id: string }).id);
        }

        document = JSON.parse(await wholeText()) as JsonObject;
    });

    after(() => stop());

    const ask = (method: string, path: string, { body, headers }: { body?: string; headers?: Record<string, string> } = {}): Promise<Response> =>
        fetch(url + path, { method, body: body ?? null, redirect: 'manual', headers: headers ?? { ...ADMIN_HEADERS, ...body === undefined ? {} : { 'content-type': 'application/json' } } });

    /** The text of a path that has the methods of all types: on a busy machine the code of types may take longer than a request waits for it. */
    const wholeText = async (path = '/openapi.json'): Promise<string> => {

        let text = '';
        await until(async () => {

            text = await (await ask('GET', path)).text();
            return text.includes(LAST_METHOD);
        });
        return text;
    };

    const described = (): Described[] => Object.entries(document['paths'] as Record<string, JsonObject>).flatMap(([path, item]) =>
        METHODS.filter((method) => item[method] !== undefined).map((method): Described => ({ method, path, operation: item[method] as unknown as Described['operation'] })));

    it('has every route, and no other', () => {

        const routes = [...restRoutes, ...sessionRoutes, ...webRoutes].flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
        const told = PATHS.map(({ method, path, route = path }) => `${method.toUpperCase()} ${route}`);

        expect<unknown>([...new Set(told)].sort()).to.equal([...new Set(routes)].sort());
    });

    it('has every listed operation, with the attributes of those of a program', async () => {

        const ids = await (await ask('GET', '/doip?operationId=0.DOIP/Op.ListOperations&targetId=service')).json() as string[];
        const paths = document['paths'] as Record<string, Record<string, JsonObject>>;

        for (const id of ids) {
            expect(paths[`/doip/${id}`], id).to.exist();
        }

        const { get, post } = paths['/doip/20.500.123/Op.Count'] ?? {};
        const parameters = get?.['parameters'] as JsonObject[];
        expect<unknown>(parameters.map(({ name, required, content }) => [name, required, content])).to.equal([
            ['targetId', true, undefined],
            ['attributes.word', true, { 'application/json': { schema: { type: 'string' } } }],
            ['attributes.exact', false, { 'application/json': { schema: { type: 'boolean' } } }],
            ['attributes.limit', false, { 'application/json': { schema: { type: 'integer', minimum: 1, maximum: 10, default: 5 } } }],
            [undefined, undefined, undefined]
        ]);
        expect<unknown>(post?.['requestBody']).to.equal({
            required: false, content: { 'application/json': { schema: { type: 'object', properties: { text: { type: 'string', minLength: 1, maxLength: 100 } }, additionalProperties: false } } }
        });
    });

    it('has the results of operations, and the forms of their output', () => {

        const paths = document['paths'] as Record<string, { post: { responses: { 200: { content?: JsonObject } } } }>;
        const outputOf = (id: string): JsonObject | undefined => paths[`/doip/${id}`]?.post.responses[200].content;

        expect<unknown>(outputOf(Op.create)).to.equal({ 'application/json': { schema: DIGITAL_OBJECT } });
        expect(Object.keys(outputOf(Op.retrieve) ?? {})).to.equal(['application/json', 'application/octet-stream', 'multipart/mixed']);
        expect(outputOf(Op.delete)).to.be.undefined();
        expect<unknown>(outputOf('20.500.123/Op.Count')).to.equal({
            'application/json': { schema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] } }
        });
    });

    it('is given for the operations that the caller may perform', async () => {

        const path = '/doip?operationId=0.DOIP/Op.ListOperations&targetId=service';
        const admin = await (await ask('GET', `${path}&attributes.describe=true`)).json() as JsonObject[];
        const anonymous = await (await ask('GET', `${path}&attributes.describe=true`, { headers: {} })).json() as JsonObject[];
        const ids = await (await ask('GET', path, { headers: {} })).json() as string[];

        expect<unknown>(anonymous.map(({ id }) => id)).to.equal(ids);
        expect(admin.length).to.be.above(anonymous.length);
        expect<unknown>(anonymous.find(({ id }) => id === '0.DOIP/Op.ListOperations')).to.equal({
            id: '0.DOIP/Op.ListOperations', aliases: [], summary: 'list the operations on the target', target: 'any', methods: ['GET', 'POST'],
            authorise: 'in-handler', attributes: { type: 'object', properties: { describe: { type: 'boolean', default: false } }, additionalProperties: true },
            result: { anyOf: [ID_LIST, { ...arrayOf({ anyOf: [OPERATION_DESCRIPTION, METHOD_DESCRIPTION] }), description: 'with describe' }] }
        });
        const onObject = await (await ask('GET', '/doip?operationId=0.DOIP/Op.ListOperations&targetId=design&attributes.describe=true')).json() as JsonObject[];
        expect(onObject.some(({ id }) => id === '20.500.123/Op.Count')).to.be.true();
    });

    it('is OpenAPI 3.1 for an independent validator', async () => {

        const { Validator } = await import('@seriousme/openapi-schema-validator');
        const validator = new Validator();
        const { valid, errors } = await validator.validate(structuredClone(document));

        expect<unknown>(errors ?? []).to.equal([]);
        expect(valid).to.be.true();
        expect(validator.version).to.equal('3.1');
        const operationIds = described().map(({ operation }) => operation['operationId']);
        expect<unknown>(new Set(operationIds).size).to.equal(operationIds.length);
    });

    it('has the types as components, whatever their names', () => {

        const { schemas } = document['components'] as { schemas: Record<string, object> };

        expect(schemas['type.Document']).to.include({ $id: '/schemas/Document', title: 'Document' });
        expect(schemas['type.Digital_0020Specimen_0020_003cb_003e']).to.include({ $id: '/schemas/Digital%20Specimen%20%3Cb%3E', title: 'Digital Specimen <b>' });
        expect(schemas['type._00c4_00d6_002f_00fc']).to.include({ $id: 'https://example.org/x', title: 'ÄÖ/ü' });
    });

    it('has the methods of types, those of one name together', () => {

        const paths = document['paths'] as Record<string, Record<string, JsonObject> | undefined>;
        const schemas = (document['components'] as Record<string, JsonObject>)['schemas'] ?? {};
        const { get, post } = paths['/doip/extend'] ?? {};
        const loan = { $ref: '#/components/schemas/instance.params.Loan__extend' };
        const other = { $ref: '#/components/schemas/instance.params.Other_002fLoan__extend' };

        expect(get).to.be.undefined();
        expect<unknown>(post).to.include({
            operationId: 'POST method extend', tags: ['Methods of types'], summary: 'method of Loan, Other/Loan',
            description: 'Loan: lend <b>longer</b>\nOther/Loan: lend otherwise',
            requestBody: { required: false, content: { 'application/json': { schema: { anyOf: [loan, other] } }, 'application/octet-stream': {} } }
        });
        expect<unknown>(schemas['instance.params.Loan__extend']).to.equal({
            type: 'object', properties: { days: { $ref: '#/components/schemas/instance.params.Loan__extend/definitions/n' } },
            definitions: { n: { type: 'integer' } }
        });
        expect<unknown>(schemas['instance.result.Loan__extend']).to.equal({
            anyOf: [{ $ref: '#/components/schemas/type.Loan' }, { $ref: '#/components/schemas/type.Other_002fLoan' }, { title: 'unknown' }]
        });
        expect<unknown>([schemas['instance.result.Other_002fLoan__extend'], schemas['static.params.Loan__count']]).to.equal([{}, { not: {} }]);
        // Of the other type nothing is known.
        expect<unknown>(post && paths['/doip/describe']?.['post']?.['responses']).to.include({
            200: { description: 'what describe returns or writes', content: { 'application/json': { schema: {} }, 'application/octet-stream': {} } }
        });
        expect<unknown>(paths['/doip/count']?.['get']).to.include({
            summary: 'count them (Loan)',
            parameters: [
                {
                    name: 'targetId', in: 'query', required: true, schema: { type: 'string', enum: [ids.get('Loan')] },
                    description: `${ids.get('Loan')} for the type Loan`
                },
                {
                    name: 'attributes.params', in: 'query', required: false, description: 'the input',
                    content: { 'application/json': { schema: { $ref: '#/components/schemas/static.params.Loan__count' } } }
                },
                { $ref: '#/components/parameters/AsUser' }
            ]
        });
    });

    it('leaves out methods whose names are no paths, or belong to an operation', async () => {

        const paths = document['paths'] as Record<string, Record<string, JsonObject> | undefined>;

        expect(paths['/doip/a%7Bb%7D/c%3Fd%23e%20f']).to.exist();
        expect<unknown>(paths['/doip/20.500.123/Op.Count']?.['post']).to.include({ summary: 'count words' });
        expect(Object.keys(paths).filter((path) => /up$/.test(path))).to.equal([]);
        const made = await ask('POST', '/objects?type=Loan&handle=test/loan', { body: '{}' });
        const called = await ask('POST', '/doip/a%7Bb%7D/c%3Fd%23e%20f?targetId=test/loan');
        expect([made.status, await called.text()]).to.equal([200, '5']);
    });

    it('does not wait for code that never ends, and runs it once', async () => {

        const before = await wholeText();
        const started = Date.now();
        const slow = JSON.stringify({ identifier: '', name: 'Slow', schema: { type: 'object' }, javascript: 'for (;;) {}' });
        expect((await ask('POST', '/objects?type=Schema&handle=test/slow', { body: slow })).status).to.equal(200);
        const stored = Date.now() - started;
        const answers = await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/openapi.json')));
        const texts = await Promise.all(answers.map((answer) => answer.text()));

        // Each of 20 requests would run the code for two seconds.
        expect(Date.now() - started - stored).to.be.below(20_000);
        expect(texts.every((text) => text.includes('type.Slow'))).to.be.true();
        await ask('DELETE', '/objects/test/slow');
        expect(await wholeText()).to.equal(before);
    });

    it('is a page as well, which runs nothing', async () => {

        const page = await wholeText('/docs');
        const response = await ask('GET', '/docs');

        expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(response.headers.get('content-security-policy') ?? '').to.startWith('default-src \'none\'');
        for (const { method, path } of described()) {
            expect(page).to.include(`${method.toUpperCase()} ${path}<`);
        }

        expect(page).to.include('<td><code>If-Match</code></td><td>a header</td>').and.not.include('<code></code>');
        expect(page).to.include('Digital Specimen &lt;b&gt;').and.not.include('<b>').and.not.include('<script');
    });

    it('is the same in both forms, and anew as soon as a type changes', async () => {

        const [compact, pretty] = [await wholeText(), await wholeText('/openapi.json?pretty')];

        expect(compact).to.equal(JSON.stringify(JSON.parse(compact)));
        expect(pretty).to.equal(JSON.stringify(JSON.parse(compact), null, 2));
        expect(await wholeText()).to.equal(compact);

        await ask('PUT', '/schemas/Exact', { body: '{"type": "number", "maximum": 12345678901234567890.10}' });
        const changed = await wholeText();

        expect(changed).to.include('"type.Exact":{"$id":"/schemas/Exact","title":"Exact","type":"number","maximum":12345678901234567890.10}');
        expect(await (await ask('GET', '/openapi.json?pretty')).text()).to.include('"maximum": 12345678901234567890.10');
        expect(await (await ask('GET', '/docs')).text()).to.include('&quot;maximum&quot;: 12345678901234567890.10');
        for (const path of ['/schemas', '/design', '/initData']) {
            expect(await (await ask('GET', path)).text(), path).to.match(/"maximum": ?12345678901234567890\.10/);
        }

        await ask('DELETE', '/schemas/Exact');

        expect(await wholeText()).to.equal(compact);
        expect(await (await ask('GET', '/schemas')).text()).to.not.include('Exact');
    });

    it('is below every base, with its paths', async () => {

        const other = JSON.parse(await wholeText('/cordra/openapi.json')) as JsonObject;

        expect<unknown>(other['servers']).to.equal([{ url: '/cordra' }]);
        expect<unknown>(other['paths']).to.equal(document['paths']);
    });

    it(`is what the service answers to generated requests (OPENAPI_SEED=${SEED})`, async () => {

        const ajv = new Ajv2020({ strict: false });
        const types = Object.fromEntries(Object.entries((document['components'] as { schemas: Record<string, JsonObject> }).schemas)
            .filter(([name]) => /^(?:instance|static|service)\.|^type\.(?:Loan|Other)/.test(name)).map(([name, { $id, ...schema }]) => [name, schema]));
        ajv.addSchema({ $id: 'service', components: { schemas: { ...SCHEMAS, ...types } } });
        const checkOf = (schema: JsonObject): ReturnType<typeof ajv.compile> =>
            ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"service#/components')) as JsonObject);
        const isError = checkOf(SCHEMAS['Error'] ?? {});
        const random = seeded(SEED);
        const wrong: string[] = [];
        let successes = 0;
        for (const id of IDS) {
            await ask('POST', `/objects?type=Document&handle=${id}`, { body: '{"name":"a word"}' });
        }

        for (const each of described()) {
            const { 200: ok } = each.operation['responses'] as Record<string, { content?: Record<string, { schema?: JsonObject }> }>;
            const check = checkOf(ok?.content?.['application/json']?.schema ?? {});
            for (let round = 0; round < ROUNDS; ++round) {
                const request = requestOf(each, random);
                const response = await ask(each.method.toUpperCase(), request.path, request);
                const body = await response.text();
                const line = `${each.method} ${request.path} ${(request.body ?? '').slice(0, 30)}: ${response.status} ${body.slice(0, 200)}`;
                const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
                // Without a name it is another path.
                const isNamed = !/\/(?:\?|$)/.test(request.path);
                const isDeclared = response.status in (each.operation['responses'] as object) || response.status >= 400 || !isNamed;
                if (response.status >= 500 || !isDeclared) {
                    wrong.push(line);
                }
                else if (response.status >= 400 && (!isJson || !isError(JSON.parse(body)))) {
                    wrong.push(line);
                }
                else if (response.status < 300) {
                    ++successes;
                    const declared = Object.keys(ok?.content ?? {});
                    const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';');
                    if (body !== '' && isJson && !check(JSON.parse(body))) {
                        wrong.push(`${line} ${ajv.errorsText(check.errors)}`);
                    }
                    else if (body !== '' && !isJson && !declared.includes(mediaType) && !declared.includes('application/octet-stream')) {
                        wrong.push(`${line} ${mediaType}`);
                    }
                }
            }
        }

        expect(wrong).to.equal([]);
        expect(faults).to.equal([]);
        expect(successes).to.be.above(150);
    });
});

const IDS = ['test/a', 'test/b', 'test/c%20d'];
const TYPES = ['Document', 'Document', 'User', 'Nothing'];
const WORDS = [
    '', 'true', 'false', 'a', 'word', '/name', '-1', '1', '0', '[]', '{}',
    '["/name"]', '{"a":1}', 'null', '"x"', 'name:word', '*:*', 'ü&<', '[{"field":"/name"}]'
];
const TAGS = ['*', '"1"', 'x', '', '"', 'W/"2", "3"'];
/** Headers and their values by the name of their component. */
const HEADER_VALUES: Readonly<Record<string, readonly [header: string, values: readonly string[]]>> = {
    IfMatch: ['if-match', TAGS], IfNoneMatch: ['if-none-match', TAGS], IfRange: ['if-range', TAGS], Range: ['range', ['bytes=0-1', 'bytes=-0', 'x']],
    AsUser: ['as-user', ['admin', 'test/a', '']], CsrfToken: ['x-csrf-token', ['x', '']]
};
/** None is a password, so that the caller's stays. */
const BODIES = [
    '{}', '{"name":"x"}', '[]', 'null', '"text"', '7', '{"readers":["public"]}', '["test/a"]',
    '{"query":"*:*","pageSize":3}', '{', '[{"type":"Document","content":{}}]',
    '{"token":"x"}', '{"type":"object"}'
];

/** A request by the description, mostly with what it asks for. */
function requestOf(
    { method, path, operation: { parameters, requestBody } }: Described, random: Random
): { path: string; body?: string; headers?: Record<string, string> } {

    const valueOf = ({ name, schema = {} }: Parameter): string => {

        if (['targetId', 'objectId', 'id', 'handle'].includes(name)) {
            return schema['const'] === 'service' ? 'service' : decodeURIComponent(random.pick(IDS));
        }

        if (name === 'type') {
            return random.pick(TYPES);
        }

        const options = schema['enum'];
        return Array.isArray(options) ? random.pick(options as string[]) : random.pick(WORDS);
    };

    let filled = path;
    const pairs: string[] = [];
    for (const parameter of parameters) {
        if (parameter.in === 'path') {
            filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(parameter.name === 'id' && random.chance(0.1) ? random.pick(WORDS) || 'x' : valueOf(parameter)));
        }
        else if (parameter.in === 'query' && (parameter.required === true ? random.chance(0.9) : random.chance(0.15))) {
            pairs.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(valueOf(parameter))}`);
        }
    }

    const content = isJsonObject(requestBody) ? Object.keys(requestBody['content'] as JsonObject) : [];
    const mediaType = content.length > 0 ? random.pick(content) : '';
    const isForm = mediaType === 'application/x-www-form-urlencoded';
    const body = mediaType === '' || method === 'get' ? {} :
        { body: isForm ? 'query=word&pageSize=2' : /password/i.test(path) ? '7' : random.pick(BODIES), headers: { 'content-type': mediaType } };
    const others = parameters.flatMap(({ $ref }) => {

        const [header, values] = HEADER_VALUES[$ref?.split('/').at(-1) ?? ''] ?? [];
        return header !== undefined && values && random.chance(0.15) ? [[header, random.pick(values)]] : [];
    });
    const headers = { ...random.chance(0.8) ? ADMIN_HEADERS : {}, ...body.headers, ...Object.fromEntries(others) as Record<string, string> };
    return { path: pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`, ...body, headers };
}
