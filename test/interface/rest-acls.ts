import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf } from '../support/rest.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

forEachWay((name, start) => {

    describe(`Access control lists by REST on ${name}`, () => {

        let service: RestService;
        let count = 0;
        let path = '';

        before(async () => {

            service = await start();
        });

        beforeEach(async () => {

            path = `/acls/test/${++count}`;
            await service.create('Document', { name: 'Map' }, `suffix=${count}`);
        });

        after(() => service.stop());

        it('are empty where the defaults apply', async () => {

            const response = await service.anonymously(`GET ${path}`);

            expect([response.statusCode, response.payload]).to.equal([200, '{}']);
        });

        for (const method of ['PUT', 'POST']) {
            it(`are replaced by ${method}, whatever media type the body claims`, async () => {

                const acl = { readers: ['public', 'test/u'], writers: ['test/w'] };
                const response = await service.asAdmin(`${method} ${path}?type=Document&full`, {
                    payload: JSON.stringify(acl), headers: { 'content-type': 'text/plain;charset=UTF-8' }
                });
                const stored = await service.anonymously(`GET ${path}`);

                expect([response.statusCode, jsonOf(response)]).to.equal([200, acl]);
                expect(jsonOf(stored)).to.equal(acl);
            });
        }

        it('may name readers or writers alone, or nothing at all', async () => {

            for (const acl of [{ readers: [] }, { writers: ['test/w'] }, {}]) {
                await service.asAdmin(`PUT ${path}`, { payload: JSON.stringify(acl) });
                const object = jsonOf(await service.asAdmin(`GET /objects/test/${count}?full`));

                expect(jsonOf(await service.asAdmin(`GET ${path}`))).to.equal(acl);
                expect((object['acl'] ?? {})).to.equal(acl);
            }
        });

        it('are taken away by null, so that the defaults apply again', async () => {

            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":[]}' });
            const response = await service.asAdmin(`PUT ${path}`, { payload: 'null' });
            const object = jsonOf(await service.anonymously(`GET /objects/test/${count}?full`));

            expect([response.statusCode, response.payload]).to.equal([200, '{}']);
            expect(object).to.not.include('acl');
        });

        it('come with what the caller may do, as all that is asked of an object does', async () => {

            const id = `test/${count}`;
            const lines = [
                `GET ${path}`, `GET /relationships/${id}`, `GET /versions?objectId=${id}`, `GET /listMethods?objectId=${id}`, `GET /objects/${id}`
            ];
            for (const line of lines) {
                const headers = await Promise.all([service.anonymously(line), service.asAdmin(line)]);

                expect(headers.map((answer) => answer.headers['x-permission']), line).to.equal(['READ', 'WRITE']);
            }

            const changes = [`PUT ${path}`, `POST /versions?objectId=${id}`, `PUT /objects/${id}`];
            for (const line of changes) {
                expect((await service.asAdmin(line, { payload: line.startsWith('POST') ? '' : '{}' })).headers['x-permission'], line).to.equal('WRITE');
            }

            expect((await service.asAdmin('GET /search?query=x')).headers).to.not.include('x-permission');
        });

        it('tell which of the basic operations are among the methods', async () => {

            const line = `GET /listMethods?objectId=test/${count}&includeCrud=true`;

            expect((await service.anonymously(line)).payload).to.equal('["0.DOIP/Op.Retrieve"]');
            expect((await service.asAdmin(line)).payload).to.equal('["0.DOIP/Op.Retrieve","0.DOIP/Op.Update","0.DOIP/Op.Delete"]');
            expect((await service.asAdmin(line.replace('includeCrud=true', 'includeCrud=false'))).payload).to.equal('[]');
        });

        it('count at once', async () => {

            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":[]}' });
            const hidden = await service.anonymously(`GET /objects/test/${count}`);
            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":["public"]}' });
            const shown = await service.anonymously(`GET /objects/test/${count}`);

            expect([hidden.statusCode, shown.statusCode]).to.equal([401, 200]);
        });

        const faults: [string, string | undefined][] = [
            ['nothing', undefined], ['no JSON', 'x'], ['an array', '[]'], ['readers that are no array', '{"readers":"public"}'],
            ['readers that are no strings', '{"readers":[1]}'], ['too many readers', JSON.stringify({ readers: Array(1001).fill('x') })]
        ];
        for (const [title, payload] of faults) {
            it(`cannot be ${title}`, async () => {

                const response = await service.asAdmin(`PUT ${path}`, payload === undefined ? {} : { payload });

                expect(response.statusCode, response.payload).to.equal(400);
                expect(jsonOf(response)['message']).to.be.a.string();
                expect((await service.anonymously(`GET ${path}`)).payload).to.equal('{}');
            });
        }

        it('are there only for objects that are, and only for those who may', async () => {

            const missing = await service.asAdmin('GET /acls/test/none');
            const unset = await service.asAdmin('PUT /acls/test/none', { payload: '{}' });
            const denied = await service.anonymously(`PUT ${path}`, { payload: '{}' });

            expect([missing.statusCode, unset.statusCode, denied.statusCode]).to.equal([404, 404, 401]);
        });
    });
});
