import * as Code from '@hapi/code';
import type { Server, ServerInjectOptions } from '@hapi/hapi';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { result } from '../../../lib/core/operation.js';
import { defineOwnOperation as defineOperation } from '../../../lib/core/own-operation.js';
import type { TestDatabase } from '../../support/database.js';
import { DIALECTS } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { startGateway } from '../../support/gateway.js';
import { doipServer } from '../../support/performers.js';
import { ADMIN_HEADERS, basic, multipart } from '../../support/rest.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

const OPERATION = defineOperation({
    id: '20.500.123/Op.Count', aliases: ['Count'], summary: 'count what comes in', target: 'service',
    methods: ['GET', 'POST'], authorise: 'anyone', input: 'segments',
    handler: async ({ input }) => {

        let bytes = 0;
        for await (const segment of input) {
            for await (const chunk of segment.kind === 'bytes' ? segment.body : []) {
                bytes += chunk.byteLength;
            }
        }

        return result.json({ bytes });
    }
});

// What is stored where is tested elsewhere: one database is enough to try the translator on a real gateway.
for (const { name, create } of DIALECTS.slice(0, 1)) {
    describe(`DOIP over HTTP with a gateway on ${name}`, () => {

        let database: TestDatabase;
        let gateway: TestGateway;
        let server: Server;

        before(async () => {

            database = await create();
            gateway = await startGateway(database, {}, (made) => made.registerOperation(OPERATION));
            server = await doipServer(gateway.gateway);
        });

        after(async () => {

            await gateway.stop();
            await database.dispose();
        });

        interface Answer {
            readonly code: number;
            readonly body: JsonObject;
            readonly status: unknown;
            readonly headers: Readonly<Record<string, unknown>>;
            readonly text: string;
        }

        async function ask(url: string, options: Partial<ServerInjectOptions> = {}): Promise<Answer> {

            const { statusCode: code, payload: text, headers } = await server.inject({ url, headers: ADMIN_HEADERS, ...options });
            const isJson = String(headers['content-type']).startsWith('application/json');
            const { status } = JSON.parse(String(headers['doip-response'])) as JsonObject;
            return { code, text, headers, status, body: isJson ? JSON.parse(text) as JsonObject : {} };
        }

        const post = (url: string, payload: object, headers: Record<string, string> = ADMIN_HEADERS): Promise<Answer> =>
            ask(url, { method: 'POST', payload, headers: { 'content-type': 'application/json', ...headers } });

        const createAtlas = async (): Promise<string> => {

            const { payload, headers } = multipart(
                { name: 'object', value: '{"type":"Document","attributes":{"content":{"id":"","name":"Atlas"}},"elements":[{"id":"scan"},{"id":"data"}]}', type: 'application/json' },
                { name: 'scan', value: 'PNGPNGPNG', filename: 'ü.png', type: 'image/png' },
                { name: 'data', value: '{ "exact": 1.0 }', filename: 'd.json', type: 'application/json' });
            const created = await ask('/doip/0.DOIP/Op.Create?targetId=service', { method: 'POST', payload, headers: { ...ADMIN_HEADERS, ...headers } });

            expect(created.code).to.equal(200);
            return created.body['id'] as string;
        };

        it('refuses elements that an object does not declare, at its creation and at an update, and stores nothing of them', async () => {

            const object = (more: string): string => `{"id":"test/undeclared","type":"Document","attributes":{"content":{"id":"","name":"Atlas"}}${more}}`;
            const parts = (more: string): ReturnType<typeof multipart> => multipart(
                { name: 'object', value: object(more), type: 'application/json' }, { name: 'scan', value: 'PNG', filename: 'a.png', type: 'image/png' });
            const send = (path: string, more: string): ReturnType<typeof ask> => {

                const { payload, headers } = parts(more);
                return ask(path, { method: 'POST', payload, headers: { ...ADMIN_HEADERS, ...headers } });
            };

            const refused = await send('/doip/0.DOIP/Op.Create?targetId=service', '');
            const other = await send('/doip/0.DOIP/Op.Create?targetId=service', ',"elements":[{"id":"data"}]');
            const missing = await ask('/doip/0.DOIP/Op.Retrieve?targetId=test/undeclared', { headers: ADMIN_HEADERS });
            expect([refused.code, refused.status, other.code, other.status, missing.code]).to.equal([400, '0.DOIP/Status.101', 400, '0.DOIP/Status.101', 404]);

            const created = await send('/doip/0.DOIP/Op.Create?targetId=service', ',"elements":[{"id":"scan"}]');
            const { payload, headers } = multipart(
                { name: 'object', value: object(''), type: 'application/json' }, { name: 'more', value: 'x', filename: 'x', type: 'text/plain' });
            const update = await ask('/doip/0.DOIP/Op.Update?targetId=test/undeclared', { method: 'POST', payload, headers: { ...ADMIN_HEADERS, ...headers } });
            const { body } = await ask('/doip/0.DOIP/Op.Retrieve?targetId=test/undeclared', { headers: ADMIN_HEADERS });

            expect([created.code, update.code, update.status]).to.equal([200, 400, '0.DOIP/Status.101']);
            expect((body['elements'] as { id: string }[]).map(({ id }) => id)).to.equal(['scan']);
        });

        it('says hello', async () => {

            const { code, body, status } = await ask('/doip?operationId=0.DOIP/Op.Hello&targetId=service', { headers: {} });

            expect(code).to.equal(200);
            expect(status).to.equal('0.DOIP/Status.001');
            expect<unknown>(body['id']).to.equal('test/service');
        });

        it('creates, reads, changes and deletes an object with elements', async () => {

            const id = await createAtlas();
            const read = await ask(`/doip/Retrieve?targetId=${id}`);
            const element = await ask(`/doip/Retrieve?targetId=${id}&element=scan`);
            const exact = await ask(`/doip/Retrieve?targetId=${id}&element=data`);
            const part = await ask(`/doip/Retrieve?targetId=${id}&element=scan`, { headers: { ...ADMIN_HEADERS, range: 'bytes=3-4' } });
            const all = await ask(`/doip/Retrieve?targetId=${id}&includeElementData=true`);
            const updated = await post(`/doip/Update?targetId=${id}`, { attributes: { content: { id, name: 'Map' } } });
            const deleted = await ask(`/doip/Delete?targetId=${id}`, { method: 'POST' });
            const gone = await ask(`/doip/Retrieve?targetId=${id}`);

            expect<unknown>((read.body['elements'] as JsonObject[]).map(({ id: name }) => name)).to.equal(['scan', 'data']);
            expect(element.text).to.equal('PNGPNGPNG');
            expect(element.headers).to.include({
                'content-type': 'image/png', 'content-disposition': 'inline; filename="?.png"; filename*=UTF-8\'\'%C3%BC.png'
            });
            expect(exact.text).to.equal('{ "exact": 1.0 }');
            expect(part).to.include({ code: 206, text: 'PN' });
            expect(part.headers).to.include({ 'content-range': 'bytes 3-4/9' });
            expect(all.headers['content-type'] as string).to.startWith('multipart/mixed; boundary=');
            expect(all.text).to.contain(['PNGPNGPNG', '{ "exact": 1.0 }', '"Atlas"']);
            expect(updated.code).to.equal(200);
            expect(deleted).to.include({ code: 200, text: '' });
            expect(gone).to.include({ code: 404, status: '0.DOIP/Status.104' });
        });

        it('rejects GET for an unsafe operation, with a remedy', async () => {

            const { code, body, status } = await ask('/doip/Create?targetId=service');

            expect(code).to.equal(400);
            expect(status).to.equal('0.DOIP/Status.101');
            expect(body['message'] as string).to.match(/use POST/);
        });

        it('offers custom operations', async () => {

            const { body } = await ask('/doip/Count?targetId=service', { method: 'POST', payload: Buffer.alloc(100_000), headers: { 'content-type': 'a/b' } });

            expect<unknown>(body).to.equal({ bytes: 100_000 });
            expect<unknown>((await ask('/doip?o=Count&t=service')).body).to.equal({ bytes: 0 });
        });

        const errors: [string, () => Promise<Answer>, number, string][] = [
            ['an unknown operation', () => ask('/doip/Nothing?targetId=service'), 400, '200'],
            ['an unknown object', () => ask('/doip/Retrieve?targetId=test/nothing'), 404, '104'],
            ['an unknown element', async () => ask(`/doip/Retrieve?targetId=${await createAtlas()}&element=x`), 404, '104'],
            ['a range behind the end', async () => ask(`/doip/Retrieve?targetId=${await createAtlas()}&element=scan`,
                { headers: { ...ADMIN_HEADERS, range: 'bytes=9-' } }), 416, '101'],
            ['a wrong password', () => ask('/doip/Retrieve?targetId=test/x', { headers: basic('admin', 'wrong') }), 401, '102'],
            ['a caller without rights', () => post('/doip/Create?targetId=service', { type: 'Document', attributes: { content: {} } }, {}), 401, '102'],
            ['an id that is taken', () => post('/doip/Create?targetId=service', { id: 'design', type: 'Document', attributes: { content: {} } }), 400, '101'],
            ['an unknown type', () => post('/doip/Create?targetId=service', { type: 'Nothing', attributes: { content: {} } }), 400, '101'],
            ['a request context that is no object', () => ask('/doip/0.DOIP/Op.Hello?targetId=service&requestContext=1'), 400, '101'],
            ['input where none is wanted', () => post('/doip/0.DOIP/Op.Hello?targetId=service', { a: 1 }), 400, '101'],
            ['input that is altered by reading', () => post('/doip/Create?targetId=service', Buffer.from('{"type":"Document","attributes":{"content":{"n":1e400}}}')), 400, '101']
        ];

        for (const [title, act, code, status] of errors) {
            it(`responds with ${code} for ${title}`, async () => {

                const answer = await act();

                expect(answer.code).to.equal(code);
                expect(answer.status).to.equal(`0.DOIP/Status.${status}`);
                expect(answer.body['message'] as string).to.be.a.string().and.to.not.be.empty();
            });
        }

        it('stores nothing of an upload that is malformed at its end', async () => {

            const { payload, headers } = multipart(
                { name: 'object', value: '{"id":"test/half","type":"Document","attributes":{"content":{}},"elements":[{"id":"scan"}]}', type: 'application/json' },
                { name: 'scan', value: 'x'.repeat(300_000), filename: 'x', type: 'image/png' });
            const refused = await ask('/doip/Create?targetId=service', {
                method: 'POST', payload: payload.subarray(0, payload.length - 10), headers: { ...ADMIN_HEADERS, ...headers }
            });

            expect(refused.code).to.equal(400);
            expect((await ask('/doip/Retrieve?targetId=test/half')).code).to.equal(404);
        });
    });
}
