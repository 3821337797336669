import type { More, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { jsonOf, multipart, type FormPart } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Refuses to be stored, and is indexed, by what the request says. */
const JAVASCRIPT = `
    exports.beforeSchemaValidation = (object, context) => {
        if (context.requestContext && context.requestContext.note) {
            object.content.note = context.requestContext.note;
        }
        return object;
    };`;

const form = (fields: Record<string, string>): More => ({ payload: new URLSearchParams(fields).toString(), headers: FORM });

forEachWay((name, start) => {

    describe(`parameters in the body of a request on ${name}`, () => {

        let service: RestService;
        let count = 0;
        const size = async (): Promise<unknown> => jsonOf(await service.asAdmin('GET /search?query=type:Noted&pageSize=0'))['size'];
        const created = async (): Promise<string> => (await service.create('Noted', { name: 'old' }, `handle=test/n${++count}`)).id;
        before(async () => {

            service = await start();
            await service.create('Schema', { name: 'Noted', schema: { type: 'object' }, javascript: JAVASCRIPT });
        });

        after(() => service.stop());

        const rehearsals: [string, (...parts: FormPart[]) => More][] = [
            ['before the content', (...parts) => multipart({ name: 'dryRun', value: '' }, ...parts)],
            ['as the last part', (...parts) => multipart(...parts, { name: 'dryRun', value: 'true' })],
            ['with a media type', (...parts) => multipart(...parts, { name: 'dryRun', value: 'true', type: 'text/plain' })]
        ];
        for (const [where, body] of rehearsals) {
            it(`request a dry run of a create or update with dryRun ${where}`, async () => {

                const id = await created();
                const parts: FormPart[] = [{ name: 'content', value: '{"name":"new"}' }, { name: 'scan', value: 'x', filename: 'x' }];
                const known = await size();

                const create = await service.asAdmin('POST /objects?type=Noted', body(...parts));
                const update = await service.asAdmin(`PUT /objects/${id}`, body(...parts));

                expect([create.statusCode, update.statusCode]).to.equal([200, 200]);
                expect(jsonOf(update)).to.equal({ name: 'new' });
                expect(await size()).to.equal(known);
                expect(jsonOf(await service.asAdmin(`GET /objects/${id}?full`))).to.include({ content: { name: 'old' } });
                expect(jsonOf(await service.asAdmin(`GET /objects/${id}?full`))).to.not.include('payloads');
            });
        }

        it('set the id, the display options and the request context', async () => {

            const response = await service.asAdmin('POST /objects', multipart(
                { name: 'content', value: '{}' },
                { name: 'type', value: 'Noted' },
                { name: 'suffix', value: `s${++count}` },
                { name: 'requestContext', value: '{"note":"from the form"}' },
                { name: 'full', value: '' }));

            expect(jsonOf(response)).to.include({ id: `test/s${count}`, type: 'Noted', content: { note: 'from the form' } });
        });

        it('set the pointer to the replaced part of the content, in any order', async () => {

            const id = await created();
            const pointer = { name: 'jsonPointer', value: '/name' };
            const content = { name: 'content', value: '"part"' };

            const last = await service.asAdmin(`PUT /objects/${id}`, multipart(content, pointer));
            const first = await service.asAdmin(`PUT /objects/${id}`, multipart(pointer, { ...content, value: '"again"' }, { name: 'full', value: 'true' }));

            expect([last.statusCode, last.payload]).to.equal([200, '"part"']);
            expect(jsonOf(first)['content']).to.equal({ name: 'again' });
        });

        it('have lower precedence than those of the URL', async () => {

            const shown = await service.asAdmin('POST /objects?type=Noted&suffix=url&full=false', multipart(
                { name: 'content', value: '{"a":1}' }, { name: 'suffix', value: 'form' }, { name: 'full', value: 'true' }, { name: 'type', value: 'None' }));

            expect([shown.headers['location'], jsonOf(shown)]).to.equal(['/objects/test/url', { a: 1 }]);
        });

        it('prevent storing with a dry run that the URL does not request', async () => {

            const id = await created();
            const known = jsonOf(await service.asAdmin(`GET /objects/${id}`));
            const refused = await service.asAdmin(`PUT /objects/${id}?dryRun=false`, multipart(
                { name: 'content', value: '{"name":"new"}' }, { name: 'dryRun', value: 'true' }));

            expect(refused.statusCode).to.equal(400);
            expect(jsonOf(await service.asAdmin(`GET /objects/${id}`))).to.equal(known);
        });

        it('are rejected when they cannot be read, before anything is stored', async () => {

            const known = await size();

            const response = await service.asAdmin('POST /objects?type=Noted', multipart(
                { name: 'content', value: '{}' }, { name: 'requestContext', value: '[1]' }));

            expect([response.statusCode, jsonOf(response)['message']]).to.equal([400, 'Unable to parse requestContext: it must be a JSON object']);
            expect(await size()).to.equal(known);
        });

        it('of an encoded form are an update', async () => {

            const id = await created();

            const replaced = await service.asAdmin(`PUT /objects/${id}`, form({ json: '{"name":"by form"}', full: '' }));
            const rehearsed = await service.asAdmin(`PUT /objects/${id}`, form({ content: '{"name":"x"}', dryRun: 'true' }));
            const part = await service.asAdmin(`PUT /objects/${id}`, form({ content: '"part"', jsonPointer: '/name' }));
            const mistyped = await service.asAdmin(`PUT /objects/${id}`, { payload: '{"name":"json"}', headers: FORM });

            expect(jsonOf(replaced)['content']).to.equal({ name: 'by form' });
            expect(jsonOf(rehearsed)).to.equal({ name: 'x' });
            expect([part.statusCode, part.payload]).to.equal([200, '"part"']);
            expect(jsonOf(mistyped)).to.equal({ name: 'json' });
            expect((await service.asAdmin(`PUT /objects/${id}`, form({ full: '' }))).statusCode).to.equal(400);
        });

        it('of a form that is posted to an object are a retrieval', async () => {

            const { id } = await service.create('Noted', { name: 'old', other: 1 }, 'handle=test/posted');
            await service.asAdmin(`PUT /objects/${id}`, multipart(
                { name: 'content', value: '{"name":"old","other":1}' }, { name: 'scan', value: '0123456789', filename: 'a.txt', type: 'text/plain' }));
            await service.asAdmin(`PUT /acls/${id}`, { payload: '{"readers":["authenticated"]}' });
            const login = await service.anonymously('POST /auth/token', { payload: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }) });
            const token = String(jsonOf(login)['access_token']);

            const content = await service.anonymously(`POST /objects/${id}`, form({ access_token: token }));
            const parts = await service.anonymously(`POST /objects/${id}`, form({ access_token: token, filter: '["/other"]' }));
            const full = await service.anonymously(`POST /objects/${id}?full`, form({ access_token: token }));
            const bytes = await service.anonymously(`POST /objects/${id}?payload=scan&disposition=attachment`, {
                ...form({ access_token: token }), headers: { ...FORM, range: 'bytes=0-1' }
            });

            expect(jsonOf(content)).to.equal({ name: 'old', other: 1 });
            expect(content.headers['cache-control']).to.contain('private');
            expect((await service.asAdmin(`GET /api/objects/${id}`)).payload).to.equal(content.payload);
            expect(jsonOf(parts)).to.equal({ other: 1 });
            expect(jsonOf(full)['id']).to.equal(id);
            expect([bytes.statusCode, bytes.payload]).to.equal([200, '0123456789']);
            expect(bytes.headers['content-disposition']).to.match(/^attachment/);
            expect((await service.anonymously(`POST /objects/${id}`, form({}))).statusCode).to.equal(401);
            expect((await service.asAdmin(`POST /objects/${id}`, form({ content: '{}' }))).statusCode).to.equal(400);
        });

        it('mint an id for an empty one', async () => {

            const requests: [string, More][] = [
                ['POST /objects?type=Noted&handle=&full', { payload: '{}' }],
                ['POST /objects?type=Noted&suffix=&full', { payload: '{}' }],
                ['POST /objects?type=Noted&full', multipart({ name: 'content', value: '{}' }, { name: 'handle', value: '' })],
                ['POST /objects?type=Noted&full', multipart({ name: 'content', value: '{}' }, { name: 'suffix', value: '' })],
                ['POST /doip?operationId=0.DOIP/Op.Create&targetId=service', {
                    payload: '{"id":"","type":"Noted","attributes":{"content":{}}}', headers: { 'content-type': 'application/json' }
                }],
                ['POST /doip?operationId=0.DOIP/Op.Create&targetId=service&suffix=', {
                    payload: '{"type":"Noted","attributes":{"content":{}}}', headers: { 'content-type': 'application/json' }
                }]
            ];
            for (const [line, more] of requests) {
                const response = await service.asAdmin(line, more);

                expect(response.statusCode, `${line} ${response.payload}`).to.equal(200);
                expect(jsonOf(response)['id']).to.match(/^test\/[0-9a-f]{20}$/);
            }

            const batch = await service.asAdmin('POST /batchUpload', { payload: '[{"id":"","type":"Noted","content":{}}]' });
            expect(jsonOf(batch)['success'], batch.payload).to.be.true();
        });

        it('have the first of several values', async () => {

            await service.create('Noted', { name: 'first', rank: 1 }, 'handle=test/rank1');
            await service.create('Noted', { name: 'second', rank: 2 }, 'handle=test/rank2');

            const sorted = await service.asAdmin('GET /search?query=/rank:*&ids&sortFields=/rank%20DESC&sortFields=/name');
            const searched = await service.asAdmin('GET /objects?query=/rank:1&query=/rank:2&ids&ids=false');
            const shown = await service.asAdmin('GET /objects/test/rank1?jsonPointer=/rank&jsonPointer=/name');

            expect(jsonOf(sorted)['results']).to.equal(['test/rank2', 'test/rank1']);
            expect(jsonOf(searched)['results']).to.equal(['test/rank1']);
            expect(shown.payload).to.equal('1');
        });

        it('may have an empty request context', async () => {

            const statuses = await Promise.all([
                'GET /objects/design?requestContext=',
                'GET /search?query=*&requestContext=',
                'GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=design&requestContext=',
                'GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=design&requestContext=null'
            ].map(async (line) => (await service.asAdmin(line)).statusCode));

            expect(statuses).to.equal([200, 200, 200, 200]);
        });
    });
});
