/** Who may use which path: nobody, somebody logged in, the writer of an object, its reader, and the administrator. */

import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_HEADERS, basic } from '../support/rest.js';
import { startRest } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ID = 'test/closed';
const READ = [401, 403, 200, 200, 200];
const WRITE = [401, 403, 403, 200, 200];
const ADMIN_ONLY = [401, 403, 403, 403, 200];
const OPEN = [200, 200, 200, 200, 200];

forEachDatabase((name, create) => {

    describe(`rights by path on ${name}`, () => {

        let service: RestService;
        let acl: string;
        const password = (username: string): string => `password of ${username}`;

        before(async () => {

            service = await startRest(create);
            const ids: Record<string, string> = {};
            for (const username of ['stranger', 'reader', 'writer']) {
                ids[username] = (await service.create('User', { username, password: password(username) })).id;
            }

            acl = JSON.stringify({ readers: [ids['reader']], writers: [ids['writer']] });
            await service.create('Document', { name: 'x' }, `handle=${ID}`);
            await service.asAdmin(`PUT /acls/${ID}`, { payload: acl });
        });

        after(() => service.stop());

        const doip = (operation: string): string => `POST /doip/${operation}?targetId=${ID}`;
        const lines: [line: string, codes: number[], payload?: string][] = [
            ['GET /startupStatus', OPEN], ['GET /schemas', OPEN], ['GET /schemas/Document', OPEN], ['GET /design', OPEN], ['GET /initData', OPEN],
            ['GET /schemaTemplates', OPEN],
            ['GET /check-credentials', OPEN], ['GET /search?query=*', OPEN], ['GET /objects?query=*', OPEN], ['GET /objects/design', OPEN],
            ['GET /objects/test/none', [404, 404, 404, 404, 404]], ['DELETE /objects/test/none', [401, 403, 403, 403, 404]],
            ['PUT /objects/test/none', [401, 403, 403, 403, 404], '{}'], ['PUT /acls/test/none', [401, 403, 403, 403, 404]],
            ['POST /versions?objectId=test/none', [401, 403, 403, 403, 404]], ['DELETE /objects/test/none?payload=x', [401, 403, 403, 403, 404]],
            ['POST /doip/0.DOIP/Op.Delete?targetId=test/none', [401, 403, 403, 403, 404]],
            [`GET /objects/${ID}`, READ], [`HEAD /objects/${ID}`, READ], [`GET /acls/${ID}`, READ], [`GET /versions?objectId=${ID}`, READ],
            [`GET /relationships/${ID}`, READ], [`GET /objects/${ID}?payload=none`, [401, 403, 404, 404, 404]],
            [`PUT /objects/${ID}`, WRITE, '{"name":"y"}'], [`PUT /objects/${ID}?jsonPointer=/name`, WRITE, '"z"'], [`PUT /acls/${ID}`, WRITE],
            [`DELETE /objects/${ID}?payload=none`, [401, 403, 403, 404, 404]], [`POST /versions?objectId=${ID}`, WRITE],
            ['POST /objects?type=Document', [401, 200, 200, 200, 200], '{"name":"x"}'],
            ['POST /objects?type=User&dryRun', ADMIN_ONLY, '{"username":"new","password":"long enough"}'],
            ['POST /objects?type=Schema&dryRun', ADMIN_ONLY, '{"name":"New","schema":{}}'],
            [`PUT /objects/${ID}?type=Schema&dryRun`, ADMIN_ONLY, '{"name":"New","schema":{}}'],
            ['POST /uploadObjects', ADMIN_ONLY, '{"results":[]}'], ['POST /reindexBatch', ADMIN_ONLY, '[]'],
            ['PUT /objects/design?dryRun&jsonPointer=/uiConfig', ADMIN_ONLY, '{}'],
            ['PUT /adminPassword', [401, 403, 403, 403, 400], '{}'], ['POST /updateHandles', ADMIN_ONLY], ['GET /updateHandles', ADMIN_ONLY],
            [doip('0.DOIP/Op.Retrieve'), READ], [doip('0.DOIP/Op.ListOperations'), READ], [doip('20.DOIP/Op.Versions.Get'), READ],
            [doip('20.DOIP/Op.Relationships.Get'), READ], [doip('0.DOIP/Op.Update'), WRITE, '{"attributes":{"content":{"name":"w"}}}'],
            [doip('20.DOIP/Op.Versions.Publish'), WRITE]
        ];
        for (const [line, codes, payload] of lines) {
            it(`give ${codes.join(', ')} for ${line} to an anonymous caller, a stranger, a reader, a writer and admin`, async () => {

                const headers = [{}, ...['stranger', 'reader', 'writer'].map((username) => basic(username, password(username))), ADMIN_HEADERS];
                const answers = [];
                for (const each of headers) {
                    const body = line.startsWith('PUT /acls') ? acl : payload;
                    answers.push(await service.anonymously(line, {
                        headers: { ...each, ...body === undefined ? {} : { 'content-type': 'application/json' } },
                        ...body === undefined ? {} : { payload: body }
                    }));
                }

                expect(answers.map(({ statusCode }) => statusCode), answers.map(({ payload: text }) => text.slice(0, 100)).join('\n')).to.equal(codes);
                const refused = answers.filter(({ statusCode }) => statusCode === 401);
                expect(refused.every(({ headers: { 'www-authenticate': challenge } }) => challenge === 'Bearer realm="cordra"')).to.be.true();
            });
        }

        it('keep a password that is absent in an update', async () => {

            const marked = (auth: string): object => ({ type: 'string', cordra: { auth } });
            await service.create('Schema', {
                name: 'Member', schema: { type: 'object', properties: { name: marked('username'), secret: marked('password') } }
            });
            const { id } = await service.create('Member', { name: 'keeper', secret: password('keeper') });
            const updated = await service.asAdmin(`PUT /objects/${id}`, { payload: JSON.stringify({ name: 'keeper' }) });
            const login = await service.anonymously('GET /check-credentials', { headers: basic('keeper', password('keeper')) });

            expect([updated.statusCode, updated.payload, login.statusCode]).to.equal([200, '{"name":"keeper"}', 200]);
        });

        it('close types and the design by default where the rules for all types are open', async () => {

            const everybody = { defaultAclRead: ['public'], defaultAclWrite: ['public'], aclCreate: ['public'] };
            const { id } = await service.create('Schema', { name: 'Plain', schema: {} });
            const { payload: before } = await service.asAdmin('GET /objects/design?jsonPointer=/authConfig');
            await service.asAdmin('PUT /objects/design?jsonPointer=/authConfig', { payload: JSON.stringify({ defaultAcls: everybody }) });
            const ask = async (line: string, payload: string): Promise<number> => (await service.anonymously(`${line}dryRun`, {
                headers: { ...basic('stranger', password('stranger')), 'content-type': 'application/json' }, payload
            })).statusCode;
            const type = '{"name":"New","schema":{},"javascript":""}';

            const codes = [
                await ask('POST /objects?type=Schema&', type), await ask(`PUT /objects/${id}?`, type), await ask(`PUT /objects/${ID}?type=Schema&`, type),
                await ask('PUT /objects/design?jsonPointer=/javascript&', '""'), await ask('POST /objects?type=CordraDesign&', '{}'),
                await ask('POST /objects?type=User&', '{"username":"new","password":"long enough"}')
            ];
            await service.asAdmin('PUT /objects/design?jsonPointer=/authConfig', {
                payload: JSON.stringify({ defaultAcls: everybody, schemaAcls: { Schema: everybody } })
            });

            const named = await ask('POST /objects?type=Schema&', type);
            await service.asAdmin('PUT /objects/design?jsonPointer=/authConfig', { payload: before });

            expect(codes).to.equal([403, 403, 403, 403, 403, 200]);
            expect(named).to.equal(200);
        });
    });
});
