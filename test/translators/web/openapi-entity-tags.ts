/** Entity tags and preconditions in the OpenAPI document: described where the service has them, and nowhere else. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { createSqlite } from '../../support/database.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { RestService } from '../../support/rest-service.js';
import { startRest } from '../../support/rest-service.js';
import { jsonOf } from '../../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Operation {
    readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean; readonly $ref?: string }[];
    readonly responses: Readonly<Record<string, { readonly headers?: object; readonly $ref?: string }>>;
}

describe('entity tags in the description of the service', () => {

    let service: RestService;
    let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    let components: Readonly<Record<string, JsonObject>>;

    before(async () => {

        service = await startRest(createSqlite);
        await service.create('Document', { name: 'a' }, 'handle=test/a');
        const document = jsonOf(await service.asAdmin('GET /openapi.json')) as unknown as { paths: typeof paths; components: typeof components };
        ({ paths, components } = document);
    });

    after(() => service.stop());

    const names = ({ parameters }: Operation, header: string): boolean => parameters.some(({ $ref }) => $ref === `#/components/parameters/${header}`);

    /** The response to a change of something else has none, but it may demand the version of an object. */
    const isDemanded = (operation: Operation): boolean => names(operation, 'IfMatch') && !names(operation, 'IfNoneMatch');

    const isTagged = (operation: Operation): boolean => {

        const { responses } = operation;
        if (isDemanded(operation)) {
            expect(['ETag' in (responses['200']?.headers ?? {}), responses['412']?.$ref]).to.equal([false, '#/components/responses/PreconditionFailed']);
            return true;
        }

        const marks = ['IfMatch', 'IfNoneMatch'].map((name) => names(operation, name));
        const all = [...marks, 'ETag' in (responses['200']?.headers ?? {}), responses['412']?.$ref === '#/components/responses/PreconditionFailed'];
        expect(new Set(all).size).to.equal(1);
        return all[0] === true;
    };

    it('are those of every GET by REST that has them', async () => {

        const wrong: string[] = [];
        let count = 0;
        for (const [path, { get }] of Object.entries(paths)) {
            if (!get || path.startsWith('/doip')) {
                continue;
            }

            const required = get.parameters.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name }) => `${name}=test/a`).join('&');
            const url = `${path.replace('{type}', 'Document').replace(/\{\w+\}/, 'test/a')}${required === '' ? '' : `?${required}`}`;
            const { statusCode, headers: { etag } } = await service.asAdmin(`GET ${url}`);
            count += Number(statusCode === 200);
            const isNotModified = statusCode === 200 && etag !== undefined ?
                (await service.asAdmin(`GET ${url}`, { headers: { 'if-none-match': String(etag) } })).statusCode === 304 : false;
            if (statusCode === 200 && isTagged(get)) {
                expect((await service.asAdmin(`GET ${url}`, { headers: { 'if-match': '"none"' } })).statusCode, url).to.equal(412);
            }

            if (statusCode === 200 && /^"[-\w]+(-gzip)?"$/.test(String(etag)) !== isTagged(get) || isTagged(get) !== '304' in get.responses || isTagged(get) !== isNotModified) {
                wrong.push(`${url}: ${statusCode} ${String(etag)}`);
            }
        }

        expect(wrong).to.equal([]);
        expect(count).to.be.above(15);
    });

    it('are those of every change by REST that they can prevent', async () => {

        const changes = Object.entries(paths).filter(([path]) => !path.startsWith('/doip') && path !== '/objects')
            .flatMap(([path, item]) => ['put', 'post', 'delete'].map((method) => [method, path, item[method]] as const));
        const tagged = changes.filter(([, , operation]) => operation && isTagged(operation));
        const statuses = await Promise.all(tagged.map(async ([method, path]) => (await service.asAdmin(
            `${method.toUpperCase()} ${path.replace('{type}', 'Document').replace('{id}', 'test/a')}${path === '/versions' ? '?objectId=test/a' : ''}`,
            { headers: { 'if-match': '"1"' }, ...method === 'delete' ? {} : { payload: '{}' } })).statusCode));

        expect(tagged.map(([method, path]) => `${method} ${path}`).sort()).to.equal([
            'delete /objects/{id}', 'delete /schemas/{type}', 'post /acls/{id}', 'post /versions', 'put /acls/{id}', 'put /objects/{id}', 'put /schemas/{type}'
        ]);
        expect(new Set(statuses)).to.equal(new Set([412]));
    });

    it('are attributes of DOIP, and headers of DOIP over HTTP', () => {

        const tagged = Object.entries(paths).filter(([path, { post }]) => path.startsWith('/doip/') && post && '412' in post.responses).map(([path]) => path.slice(6));
        expect(tagged.sort()).to.equal([Op.delete, Op.retrieve, Op.update, Op.versionsPublish].sort());
        expect(Object.keys(components['parameters'] ?? {})).to.include(['IfMatch', 'IfNoneMatch']);
    });
});
