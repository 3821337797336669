/** The client for objects and the description of the service agree: its types are generated, and it sends only what is described. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import { RepositoryClient } from '../../../../lib/client/web/index.js';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { CLIENT_TYPES, clientTypes, typeOf } from '../../../support/client-types.js';
import { ADMIN_PASSWORD } from '../../../support/gateway.js';
import type { TestServer } from '../../../support/server.js';
import { startServer } from '../../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A method of a path in the document. */
interface Described {
    readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema?: JsonObject; readonly required?: boolean }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
    readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema?: JsonObject }>> } };
}

const SCHEMAS: readonly (readonly [schema: JsonObject, type: string])[] = [
    [{}, 'JsonValue'], [{ type: 'string' }, 'string'], [{ type: 'integer' }, 'number'], [{ type: ['object', 'boolean'] }, 'JsonObject | boolean'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, 'readonly (string | null)[]'], [{ const: 'Bearer' }, '\'Bearer\''], [{ enum: ['a', 1] }, '\'a\' | 1'],
    [{ $ref: '#/components/schemas/Object' }, 'DigitalObject'], [{ type: 'object', additionalProperties: { type: 'boolean' } }, '{ readonly [name: string]: boolean }'],
    [{ type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] }, '{\n        readonly a: string;\n        readonly b?: JsonValue;\n    }']
];

describe('the client for objects', () => {

    it('has the types of the OpenAPI document; otherwise run `npm run docs`', () => {

        expect(readFileSync(CLIENT_TYPES, 'utf8')).to.equal(clientTypes());
    });

    for (const [schema, type] of SCHEMAS) {
        it(`has the type ${type} for the schema ${JSON.stringify(schema)}`, () => {

            expect(typeOf(schema)).to.equal(type);
        });
    }
});

describe('requests of the client for objects', () => {

    let server: TestServer;
    let document: JsonObject;
    let repository: RepositoryClient;
    const wrong: string[] = [];
    const used = new Set<string>();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });

    before(async () => {

        server = await startServer();
        document = await (await fetch(`${server.url}/openapi.json`)).json() as JsonObject;
        ajv.addSchema({ $id: 'http://test/openapi', components: document['components'] });
        repository = new RepositoryClient(server.url, {
            username: 'admin', password: ADMIN_PASSWORD, fetch: async (url, init) => {

                const response = await fetch(url, init);
                await check(new URL(url), init, response.clone());
                return response;
            }
        });
    });

    after(() => server.stop());

    /** Compares a request and its response with the document. */
    const check = async ({ pathname, searchParams }: URL, init: RequestInit, response: Response): Promise<void> => {

        const method = init.method?.toLowerCase() ?? 'get';
        const paths = document['paths'] as Record<string, Record<string, unknown>>;
        const [, first = ''] = pathname.split('/');
        const path = paths[pathname] ? pathname : Object.keys(paths).find((key) => key.startsWith(`/${first}/{`)) ?? pathname;
        const operation = paths[path]?.[method] as Described | undefined;
        const name = `${method} ${path}`;
        used.add(name);
        if (!operation) {
            wrong.push(`${name} is not described`);
            return;
        }

        const known = operation.parameters.filter((parameter) => parameter.in === 'query');
        const mediaType = new Headers(init.headers).get('content-type')?.split(';')[0];
        wrong.push(...[...searchParams.keys()].filter((key) => !known.some((parameter) => parameter.name === key)).map((key) => `${name} has no parameter ${key}`),
            ...known.filter((parameter) => parameter.required && !searchParams.has(parameter.name)).map((parameter) => `${name} needs ${parameter.name}`),
            ...[...searchParams].filter(([key, value]) => known.some(({ name: other, schema }) => other === key && schema?.['enum'] && !ajv.validate(schema, value)))
                .map(([key, value]) => `${name}: ${key} must not be ${value}`),
            ...mediaType !== undefined && !operation.requestBody?.content[mediaType] ? [`${name} has no body of type ${mediaType}`] : [],
            ...await checkResponse(name, operation, response));
    };

    const checkResponse = async (name: string, { responses }: Described, response: Response): Promise<string[]> => {

        const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
        const schema = responses[200].content[mediaType]?.schema;
        if (!response.ok || !schema || mediaType !== 'application/json') {
            void response.body?.cancel();                   // It ends when the client has cancelled its own, too
            return response.ok && !schema && mediaType === 'application/json' ? [`${name} has no JSON response`] : [];
        }

        const based = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"http://test/openapi#/components')) as JsonObject;
        const isValid = ajv.validate(based, await response.json());
        return isValid ? [] : [`${name}: ${ajv.errorsText()}`];
    };

    it('are described, with their parameters, bodies and responses', async () => {

        await repository.putType('Thing', { type: 'object' });
        const { etag } = await repository.create('Thing', { a: 1 }, { id: 'test/a', acl: { readers: ['public'] }, payloads: [{ name: 'p', body: Buffer.from('text') }] });
        await repository.create('Thing', {}, { suffix: 'b', dryRun: true });
        const changed = await repository.update('test/a', { a: 2 }, { ifMatch: etag, type: 'Document', payloadsToDelete: ['p'] });
        const tag = await repository.putPayload('test/a', { name: 'q', body: Buffer.from('text') }, { ifMatch: changed.etag });
        await (await repository.getPayload('test/a', 'q'))?.body.cancel();
        await repository.deletePayload('test/a', 'q', { ifMatch: tag });
        await repository.get('test/a');
        await repository.searchPage('*:*', {
            pageSize: 5, pageNum: 0, filter: ['/content'], filterQueries: ['type:Document'], facets: [{ field: 'type' }], sortFields: [{ name: 'id' }], includeScore: true,
            includeVersions: true
        });
        for await (const id of repository.searchIds('*:*')) {
            expect(id).to.be.a.string();
        }

        await Promise.all([repository.types(), repository.getType('Thing'), repository.caller({ full: true }), repository.getAcl('test/a')]);
        await repository.publish('test/a', { versionId: 'test/a-1', clonePayloads: false });
        await repository.versions('test/a');
        await repository.putAcl('test/a', { writers: [] });
        await repository.batch([{ type: 'Document', content: {} }], { failFast: true, parallel: false });
        await repository.create('Schema', { identifier: '', name: 'Called', schema: { type: 'object' }, javascript: 'exports.staticMethods = { one: () => 1 };' });
        expect(await repository.call<number>({ type: 'Called' }, 'one')).to.equal(1);
        await repository.delete('test/a');
        await repository.deleteType('Thing');
        await repository.logout();

        expect(wrong).to.equal([]);
        expect([...used].sort()).to.equal([
            'delete /objects/{id}', 'delete /schemas/{type}', 'get /acls/{id}', 'get /check-credentials', 'get /objects/{id}', 'get /schemas', 'get /schemas/{type}',
            'get /versions', 'post /auth/revoke', 'post /auth/token', 'post /batchUpload', 'post /call', 'post /objects', 'post /search',
            'post /versions', 'put /acls/{id}', 'put /objects/{id}', 'put /schemas/{type}'
        ]);
    });
});
