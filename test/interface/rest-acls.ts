import type { Received, RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jsonOf } from '../support/rest.js';
import { onEveryDatabase } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, beforeEach, after } = lab;

onEveryDatabase((name, start) => {

    describe(`access control lists by REST on ${name}`, () => {

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

        it('are empty when the defaults apply', async () => {

            const response = await service.anonymously(`GET ${path}`);

            expect([response.statusCode, response.payload]).to.equal([200, '{}']);
        });

        for (const method of ['PUT', 'POST']) {
            it(`are replaced by ${method}, with any media type of the body`, async () => {

                const acl = { readers: ['public', 'test/u'], writers: ['test/w'] };
                const response = await service.asAdmin(`${method} ${path}?type=Document&full`, {
                    payload: JSON.stringify(acl), headers: { 'content-type': 'text/plain;charset=UTF-8' }
                });
                const stored = await service.anonymously(`GET ${path}`);

                expect([response.statusCode, jsonOf(response)]).to.equal([200, acl]);
                expect(jsonOf(stored)).to.equal(acl);
            });
        }

        it('may have only readers or writers, or neither', async () => {

            for (const acl of [{ readers: [] }, { writers: ['test/w'] }, {}]) {
                await service.asAdmin(`PUT ${path}`, { payload: JSON.stringify(acl) });
                const object = jsonOf(await service.asAdmin(`GET /objects/test/${count}?full`));

                expect(jsonOf(await service.asAdmin(`GET ${path}`))).to.equal(acl);
                expect(object['acl']).to.equal(Object.keys(acl).length > 0 ? acl : undefined);
            }
        });

        it('may have rules for methods, which are returned as sent', async () => {

            const javascript = 'exports.methods = { look: () => 1, sign: () => 2 }; exports.staticMethods = { count: () => 3 };';
            const name = `Signed${count}`;
            const { id: schemaId } = await service.create('Schema', { name, schema: { type: 'object' }, javascript });
            const { id } = await service.create(name, {});
            const acl = { readers: ['public'], writers: ['test/w'], methods: { look: ['public'], sign: [], 'a/b': ['readers'] } };
            const put = await service.asAdmin(`PUT /acls/${id}`, { payload: JSON.stringify(acl) });
            const ofSchema = await service.asAdmin(`PUT /acls/${schemaId}`, { payload: '{"methods":{"count":["public"]}}' });
            const called = await Promise.all([
                `/call?objectId=${id}&method=look`, `/call?objectId=${id}&method=sign`, `/call?type=${name}&method=count`,
                `/doip?operationId=look&targetId=${id}`
            ].map((path) => service.anonymously(`POST ${path}`)));
            const listed = await service.anonymously(`GET /doip?operationId=0.DOIP/Op.ListOperations&targetId=${id}`);
            const retrieved = await service.anonymously(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}`);
            const found = await service.anonymously('GET /search?ids&query=acl\\/methods\\/a~1b\\/_:readers');

            expect([put.statusCode, jsonOf(put), ofSchema.statusCode]).to.equal([200, acl, 200]);
            expect(jsonOf(await service.anonymously(`GET /acls/${id}`))).to.equal(acl);
            expect(jsonOf(await service.anonymously(`GET /objects/${id}?full`))['acl']).to.equal(acl);
            expect(jsonOf(retrieved)['attributes']).to.include({ acl });
            expect(called.map(({ statusCode }) => statusCode)).to.equal([200, 401, 200, 200]);
            expect(listed.payload).to.contain('look').and.to.not.contain('sign');
            expect(jsonOf(found)['results']).to.equal([id]);
        });

        it('can be sent with objects and in batches, including rules for methods', async () => {

            const acl = { writers: ['test/w'], methods: { look: ['public'] } };
            const item = { type: 'Document', content: {}, acl };
            const batch = jsonOf(await service.asAdmin('POST /batchUpload', { payload: JSON.stringify([item]) }))['results'] as { response: object }[];
            const payload = JSON.stringify({ type: 'Document', attributes: { content: {}, acl } });
            const created = jsonOf(await service.asAdmin('POST /doip?operationId=0.DOIP/Op.Create&targetId=service', {
                payload, headers: { 'content-type': 'application/json' }
            }));

            expect(batch[0]!.response).to.include({ acl });
            expect(created['attributes']).to.include({ acl });
        });

        it('can grant a method only by callers who have the right', async () => {

            const javascript = 'exports.methods = { look: () => 1, sign: () => 2 };';
            const [ruled, free] = [`Ruled${count}`, `Free${count}`];
            const rules = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['public', 'authenticated'] };
            const aclMethods = { instance: { look: ['writers'], sign: [] } };
            await service.create('Schema', { name: ruled, schema: { type: 'object' }, javascript, authConfig: { ...rules, aclMethods } });
            await service.create('Schema', { name: free, schema: { type: 'object' }, javascript, authConfig: rules });
            const { id: userId } = await service.create('User', { username: `ann${count}`, password: 'password of ann' });
            const headers = { 'As-User': userId, 'content-type': 'application/json' };
            const as = (line: string, body: object): Promise<Received> => service.asAdmin(line, { payload: JSON.stringify(body), headers });
            const batch = async (item: object): Promise<number> => {

                const answer = jsonOf(await as('POST /batchUpload', [item]));
                return (answer['results'] as { responseCode: number }[])[0]!.responseCode;
            };

            const [ofRuled, ofFree] = [ruled, free].map((type) => `test/${type}`);
            await as(`POST /objects?type=${ruled}&handle=${ofRuled}`, {});
            await as(`POST /objects?type=${free}&handle=${ofFree}`, {});
            const [sign, look] = [{ methods: { sign: ['public'] } }, { methods: { look: ['public'] } }];
            const refused = [
                (await as(`PUT /acls/${ofRuled}`, sign)).statusCode,
                await batch({ id: ofRuled, type: ruled, content: {}, acl: sign }),
                await batch({ type: ruled, content: {}, acl: sign }),
                (await as('POST /doip?operationId=0.DOIP/Op.Create&targetId=service', { type: ruled, attributes: { content: {}, acl: sign } })).statusCode
            ];
            const before = (await service.anonymously(`GET /acls/${ofRuled}`)).payload;
            const taken = [(await as(`PUT /acls/${ofRuled}`, look)).statusCode, (await as(`PUT /acls/${ofFree}`, sign)).statusCode];
            const design = jsonOf(await service.asAdmin('GET /objects/design'));
            await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, enableTypeChangeViaUpdate: true }) });
            const changed = await as(`PUT /objects/${ofFree}?type=${ruled}`, {});

            expect(refused).to.equal([403, 403, 403, 403]);
            expect(before).to.equal('{}');
            expect(taken).to.equal([200, 200]);
            expect(changed.statusCode).to.equal(403);
            expect((await service.anonymously(`POST /call?objectId=${ofFree}&method=sign`)).payload).to.equal('2');
        });

        it('can lose the list of a method only by callers who are on it', async () => {

            const javascript = 'exports.methods = { approve: () => 1 };';
            const name = `Approved${count}`;
            const rules = { defaultAclRead: ['public'], defaultAclWrite: ['creator'], aclCreate: ['authenticated'] };
            await service.create('Schema', { name, schema: { type: 'object' }, javascript, authConfig: rules });
            const { id: userId } = await service.create('User', { username: `ann${count}`, password: 'password of ann' });
            const { id } = await service.create(name, {});
            const headers = { 'As-User': userId, 'content-type': 'application/json' };
            const as = async (line: string, body: object): Promise<number> => (await service.asAdmin(line, { payload: JSON.stringify(body), headers })).statusCode;
            const update = { id, type: name, content: {}, acl: { writers: [userId] } };
            const call = (): Promise<number> => as(`POST /call?objectId=${id}&method=approve`, {});

            await service.asAdmin(`PUT /acls/${id}`, { payload: JSON.stringify({ writers: [userId], methods: { approve: [] } }) });
            const denied = [
                await as(`PUT /acls/${id}`, { writers: [userId] }), await as(`PUT /acls/${id}`, { writers: [userId], methods: {} }),
                await as(`POST /doip?operationId=0.DOIP/Op.Update&targetId=${id}`, { attributes: { content: {}, acl: update.acl } }), await call()
            ];
            const batch = await service.asAdmin('POST /batchUpload', { payload: JSON.stringify([update]), headers });
            expect(denied).to.equal([403, 403, 403, 403]);
            expect((jsonOf(batch)['results'] as { responseCode: number }[])[0]?.responseCode).to.equal(403);

            expect(await as(`PUT /acls/${id}`, { writers: [userId, 'test/other'], methods: { approve: [] } })).to.equal(200);
            await service.asAdmin(`PUT /acls/${id}`, { payload: JSON.stringify({ writers: [userId], methods: { approve: [userId] } }) });
            expect([await as(`PUT /acls/${id}`, { writers: [userId] }), await call()]).to.equal([200, 200]);
        });

        it('are removed by null, so that the defaults apply again', async () => {

            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":[]}' });
            const response = await service.asAdmin(`PUT ${path}`, { payload: 'null' });
            const object = jsonOf(await service.anonymously(`GET /objects/test/${count}?full`));

            expect([response.statusCode, response.payload]).to.equal([200, '{}']);
            expect(object).to.not.include('acl');
        });

        it('are removed by a list without members, also in the form of DOIP and in hashes', async () => {

            const name = `Hashed${count}`;
            await service.create('Schema', { name, schema: { type: 'object' }, hashObject: true });
            const { id } = await service.create(name, {});
            const states = async (): Promise<unknown[]> => {

                const { acl, metadata } = jsonOf(await service.asAdmin(`GET /objects/${id}?full`)) as { acl?: unknown; metadata: { hashes: unknown } };
                const { attributes } = jsonOf(await service.asAdmin(`GET /doip?operationId=0.DOIP/Op.Retrieve&targetId=${id}`)) as { attributes: object };
                const found = jsonOf(await service.asAdmin(`GET /search?ids&query=id:"${id}" AND aclRead:missing AND aclWrite:missing`));
                return [acl, 'acl' in attributes, metadata.hashes, found['size']];
            };

            const before = await states();
            const removed: unknown[] = [];
            for (const [line, payload] of [
                [`PUT /acls/${id}`, '{}'], [`POST /acls/${id}`, '{"readers":null,"writers":null}'],
                [`POST /doip?operationId=gateway/Op.Acls.Update&targetId=${id}`, '{}']
            ] as const) {
                await service.asAdmin(`PUT /acls/${id}`, { payload: '{"readers":[],"writers":["test/w"]}' });
                const given = await states();
                const response = await service.asAdmin(line, { payload, headers: { 'content-type': 'application/json' } });

                expect([given[0], given[1], given[3]]).to.equal([{ readers: [], writers: ['test/w'] }, true, 0]);
                expect([response.statusCode, response.payload], line).to.equal([200, '{}']);
                removed.push(await states());
            }

            expect([before[0], before[1], before[3]]).to.equal([undefined, false, 1]);
            expect(removed).to.equal([before, before, before]);
        });

        it('without members are stored as they are with created and updated objects, with the same rights as none', async () => {

            const [id, headers] = [`test/empty${count}`, { 'content-type': 'application/json' }];
            const batch = { payload: JSON.stringify([{ id, type: 'Document', content: {}, acl: {} }]), headers };
            const aclOf = async (): Promise<unknown> => jsonOf(await service.anonymously(`GET /objects/${id}?full`))['acl'];
            await service.asAdmin('POST /batchUpload', batch);
            const created = await aclOf();
            await service.asAdmin(`PUT /acls/${id}`, { payload: '{"readers":[]}' });
            await service.asAdmin('POST /batchUpload', batch);

            expect([created, await aclOf()]).to.equal([{}, {}]);
        });

        it('are returned with the caller\'s permission, as are objects', async () => {

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

        it('list the basic operations among the methods', async () => {

            const line = `GET /listMethods?objectId=test/${count}&includeCrud=true`;

            expect((await service.anonymously(line)).payload).to.equal('["0.DOIP/Op.Retrieve"]');
            expect((await service.asAdmin(line)).payload).to.equal('["0.DOIP/Op.Retrieve","0.DOIP/Op.Update","0.DOIP/Op.Delete"]');
            expect((await service.asAdmin(line.replace('includeCrud=true', 'includeCrud=false'))).payload).to.equal('[]');
        });

        it('take effect at once', async () => {

            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":[]}' });
            const hidden = await service.anonymously(`GET /objects/test/${count}`);
            await service.asAdmin(`PUT ${path}`, { payload: '{"readers":["public"]}' });
            const shown = await service.anonymously(`GET /objects/test/${count}`);

            expect([hidden.statusCode, shown.statusCode]).to.equal([401, 200]);
        });

        const faults: [string, string | undefined][] = [
            ['nothing', undefined], ['no JSON', 'x'], ['an array', '[]'], ['readers that are no array', '{"readers":"public"}'],
            ['readers that are no strings', '{"readers":[1]}'],
            ['methods that are an array', '{"methods":["x"]}'], ['a method for one user that is no array', '{"methods":{"x":"public"}}'],
            ['a method for what is no user', '{"methods":{"x":[{}]}}'], ['a method without a name', '{"methods":{"":["public"]}}'],
            ['too many methods', JSON.stringify({ methods: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`m${i}`, []])) })],
            ['unknown members', '{"read":[]}'], ['too many readers', JSON.stringify({ readers: Array(1001).fill('x') })]
        ];
        for (const [title, payload] of faults) {
            it(`cannot be ${title}`, async () => {

                const response = await service.asAdmin(`PUT ${path}`, payload === undefined ? {} : { payload });

                expect(response.statusCode, response.payload).to.equal(400);
                expect(jsonOf(response)['message']).to.be.a.string();
                expect((await service.anonymously(`GET ${path}`)).payload).to.equal('{}');
            });
        }

        it('exist only for existing objects, and for permitted callers', async () => {

            const missing = await service.asAdmin('GET /acls/test/none');
            const unset = await service.asAdmin('PUT /acls/test/none', { payload: '{}' });
            const denied = await service.anonymously(`PUT ${path}`, { payload: '{}' });

            expect([missing.statusCode, unset.statusCode, denied.statusCode]).to.equal([404, 404, 401]);
        });
    });
});
