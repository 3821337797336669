/** The audit log through the real interfaces: what is recorded, with whom, from where and by which rule; never secrets; for administrators only. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Op } from '../../lib/doip/operation-ids.js';
import type { JsonObject } from '../../lib/util/json-types.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { NativeClient } from '../support/native.js';
import { basic, jsonOf, multipart } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachWay, startRest } from '../support/rest-service.js';
import { DIALECTS } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const SECRET = 'the password of ann';
const CODE = `
const { create } = require('cordra');
exports.methods = {
    edit: (object) => { object.content.edited = true; },
    make: () => create({ type: 'Document', content: {} }).id,
    idle: () => 'nothing',
    peek: () => 'nothing'
};
exports.methods.peek.allowGet = true;
`;
const JSON_TYPE = { 'content-type': 'application/json' };

forEachWay((name, start) => {

    describe(`the audit log on ${name}`, () => {

        let service: RestService;
        let ann = '';
        let seen = 0;

        before(async () => {

            service = await start({ AUDIT_DAYS: 30, DOIP_PORT: 0 });
            ann = (await service.create('User', { id: '', username: 'ann', password: SECRET }, 'handle=test/ann')).id;
        });

        after(() => service.stop());

        const doip = (operation: string, query = '', method = 'POST'): Promise<Received> =>
            service.asAdmin(`${method} /doip?targetId=service&operationId=${operation}${query}`);

        const list = async (query = ''): Promise<JsonObject[]> => {

            const answer = await doip(Op.auditList, `&pageSize=1000${query}`, 'GET');
            expect(answer.statusCode, answer.payload).to.equal(200);
            return jsonOf(answer)['entries'] as JsonObject[];
        };

        /** The entries since the last call, oldest first. */
        const fresh = async (): Promise<JsonObject[]> => {

            const entries = (await list()).reverse().filter(({ id }) => Number(id) > seen);
            seen = Math.max(seen, ...entries.map(({ id }) => Number(id)));
            return entries;
        };

        const asAnn = { headers: basic('ann', SECRET) };
        const put = (path: string, value: unknown, more: { headers: Record<string, string> } = asAnn): Promise<Received> =>
            service.anonymously(`PUT ${path}`, { ...more, payload: JSON.stringify(value) });

        it('has every change of an object, with user, rule and address', async () => {

            await fresh();
            const created = jsonOf(await service.anonymously('POST /objects?type=Document&full&handle=test/map', { ...asAnn, payload: '{"name":"A map"}' }));
            await put('/objects/test/map', { name: 'A better map' });
            await put('/acls/test/map', { readers: ['public'], writers: ['test/ann'] });
            await service.anonymously('PUT /objects/test/map', { ...multipart(
                { name: 'content', value: '{"name":"A map"}' }, { name: 'scan', value: 'bytes', filename: 'scan.png' }), headers: {
                ...asAnn.headers, ...multipart().headers } });
            await service.anonymously('POST /versions?objectId=test/map&versionId=test/map-1', asAnn);
            await service.anonymously('DELETE /objects/test/map', asAnn);

            const entries = await fresh();
            expect<unknown>(entries.map(({ outcome, operation, object, parts }) => [outcome, operation, object, parts ?? []])).to.equal([
                ['created', Op.create, 'test/map', []],
                ['changed', Op.update, 'test/map', ['content']],
                ['changed', Op.aclsUpdate, 'test/map', ['acl']],
                ['changed', Op.update, 'test/map', ['content', 'payloads']],
                ['created', Op.versionsPublish, 'test/map-1', []],
                ['deleted', Op.delete, 'test/map', []]
            ]);
            for (const { user, method, address, protocol, request, type } of entries) {
                expect<unknown>([user, method, address, protocol, type]).to.equal([ann, 'password', '127.0.0.1', 'rest', 'Document']);
                expect(request).to.be.a.string();
            }

            const numbers = entries.map(({ txnId }) => txnId);
            expect<unknown>(entries.slice(1, 4).map(({ formerTxnId }) => formerTxnId)).to.equal(numbers.slice(0, 3));
            expect<unknown>(numbers[0]).to.equal((created['metadata'] as JsonObject)['txnId']);
            expect<unknown>(entries[0]?.['rule']).to.equal('aclCreate of Document has authenticated');
            expect<unknown>(entries[3]?.['rule']).to.equal('writers has test/ann');
            expect(entries[4] as object).to.include({ versionOf: 'test/map' });
        });

        it('has who acted as whom', async () => {

            await service.asAdmin('POST /objects?type=Document&handle=test/acted', { payload: '{}', headers: { 'As-User': ann } });
            await service.asAdmin('DELETE /objects/test/acted');

            const entries = await fresh();
            expect<unknown>(entries.map(({ outcome, user, actor, method }) => [outcome, user, actor ?? null, method]))
                .to.equal([['created', ann, 'admin', 'as-user'], ['deleted', 'admin', null, 'password']]);
        });

        it('has logins, keys and passwords, and none of their secrets', async () => {

            const token = jsonOf(await service.anonymously('POST /auth/token', {
                payload: JSON.stringify({ grant_type: 'password', username: 'ann', password: SECRET }), headers: JSON_TYPE
            }))['access_token'] as string;
            const { key, id } = jsonOf(await service.anonymously('POST /auth/keys', {
                payload: '{"name":"harvester"}', headers: { ...asAnn.headers, ...JSON_TYPE }
            })) as { key: string; id: string };
            await service.anonymously('POST /objects?type=Document&handle=test/by-key', { payload: '{}', headers: { authorization: `Bearer ${key}` } });
            await service.anonymously(`DELETE /auth/keys/${id}`, asAnn);
            await service.anonymously('POST /auth/revoke', { payload: JSON.stringify({ token }), headers: JSON_TYPE });
            await service.anonymously('PUT /users/this/password', { ...asAnn, payload: `${SECRET} 2` });
            await service.anonymously('PUT /users/this/password', { headers: basic('ann', `${SECRET} 2`), payload: SECRET });
            await service.anonymously('POST /auth/token', {
                payload: JSON.stringify({ grant_type: 'password', username: 'ann', password: 'wrong password' }), headers: JSON_TYPE
            });
            await service.asAdmin('DELETE /objects/test/by-key');

            const ofAnn = jsonOf(await service.asAdmin('POST /auth/keys', { payload: JSON.stringify({ name: 'for ann', userId: ann }), headers: JSON_TYPE }));
            await service.anonymously('POST /auth/revoke', { payload: JSON.stringify({ token: ofAnn['key'] }), headers: JSON_TYPE });
            await service.asAdmin(`DELETE /auth/tokens?userId=${ann}&all`);

            const entries = await fresh();
            const ofCredentials = entries.filter(({ subject }) => subject !== undefined);
            expect<unknown>(ofCredentials.map(({ operation, user, subject, key: keyId }) => [operation, user, subject, keyId ?? null])).to.equal([
                [Op.keysCreate, ann, ann, id], [Op.keysRevoke, ann, ann, id], [Op.keysCreate, 'admin', ann, ofAnn['id']],
                [Op.authRevoke, null, ann, ofAnn['id']], [Op.tokensRevoke, 'admin', ann, null]
            ]);
            const sorted = entries.filter(({ outcome }) => outcome !== 'denied');
            expect<unknown>(sorted.map(({ outcome, operation, user, apiKey }) => [outcome, operation, user, apiKey ?? null])).to.equal([
                ['performed', Op.authToken, ann, null],
                ['performed', Op.keysCreate, ann, null],
                ['created', Op.create, ann, id],
                ['performed', Op.keysRevoke, ann, null],
                ['performed', Op.authRevoke, null, null],
                ['changed', Op.changePassword, ann, null],
                ['changed', Op.changePassword, ann, null],
                ['deleted', Op.delete, 'admin', null],
                ['performed', Op.keysCreate, 'admin', null],
                ['performed', Op.authRevoke, null, null],
                ['performed', Op.tokensRevoke, 'admin', null]
            ]);
            expect<unknown>(entries.filter(({ outcome }) => outcome === 'denied').map(({ operation, user, rule }) => [operation, user, rule]))
                .to.equal([[Op.authToken, null, 'wrong name or password']]);
            const text = JSON.stringify(await list());
            for (const secret of [SECRET, token, key, ofAnn['key'] as string, 'wrong password', ADMIN_PASSWORD]) {
                expect(text.includes(secret), secret).to.be.false();
            }
        });

        it('has logins and keys also with an attribute dryRun, which their operations do not have', async () => {

            await fresh();
            const answers = [
                await service.anonymously('POST /auth/token?dryRun=true', {
                    payload: JSON.stringify({ grant_type: 'password', username: 'ann', password: SECRET }), headers: JSON_TYPE
                }),
                await service.anonymously(`POST /doip?targetId=service&operationId=${Op.keysCreate}&attributes.dryRun=true`, {
                    payload: '{"name":"hidden"}', headers: { ...asAnn.headers, ...JSON_TYPE }
                })
            ];

            expect(answers.map(({ statusCode }) => statusCode), answers[1]!.payload).to.equal([200, 200]);
            expect<unknown>((await fresh()).map(({ outcome, operation, user }) => [outcome, operation, user]))
                .to.equal([['performed', Op.authToken, ann], ['performed', Op.keysCreate, ann]]);
        });

        it('has methods of types, and who called those whose code changed other objects', async () => {

            await service.create('Schema', { name: 'Coded', schema: { type: 'object' }, javascript: CODE }, 'handle=test/coded-type');
            await service.create('Coded', {}, 'handle=test/coded');
            await put('/acls/test/coded', { readers: ['public'], writers: ['test/ann'] }, { headers: basic('admin', ADMIN_PASSWORD) });
            await fresh();
            const answers = [
                await service.anonymously('POST /call?objectId=test/coded&method=edit', asAnn),
                await service.anonymously('POST /call?objectId=test/coded&method=make', asAnn),
                await service.anonymously('POST /doip?targetId=test/coded&operationId=make', asAnn),
                await service.anonymously('POST /call?objectId=test/coded&method=idle', asAnn),
                await service.anonymously('POST /doip?targetId=test/coded&operationId=idle', asAnn),
                await service.anonymously('GET /call?objectId=test/coded&method=peek', asAnn),
                await service.anonymously('POST /call?objectId=test/coded&method=peek', asAnn)
            ];

            expect(answers.map(({ statusCode }) => statusCode), answers.map(({ payload }) => payload).join()).to.equal([200, 200, 200, 200, 200, 200, 200]);
            const entries = await fresh();
            const facts = entries.map(({ outcome, operation, user, actor, address, method }) => [outcome, operation, user, actor ?? null, address, method]);
            expect<unknown>(facts).to.equal([
                ['changed', Op.call, ann, null, '127.0.0.1', 'password'],
                ['created', Op.call, 'admin', ann, '127.0.0.1', 'internal'],
                ['created', 'make', 'admin', ann, '127.0.0.1', 'internal'],
                ['performed', Op.call, ann, null, '127.0.0.1', 'password'],
                ['performed', 'idle', ann, null, '127.0.0.1', 'password']
            ]);
            expect<unknown>(entries.map(({ rule }) => rule)).to.equal([
                'writers has test/ann', 'the service itself, in a request of test/ann', 'the service itself, in a request of test/ann',
                'method idle: method idle is open to readers or writers of test/coded', 'method idle: method idle is open to readers or writers of test/coded'
            ]);
            expect<unknown>((await list(`&userId=${ann}`)).filter(({ actor }) => actor === ann).map(({ operation }) => operation)).to.equal(['make', Op.call]);
            await service.asAdmin('DELETE /objects/test/coded-type');
        });

        it('has who uploaded objects', async () => {

            await fresh();
            const uploaded = await service.asAdmin('POST /uploadObjects', { payload: '[{"id":"test/uploaded","type":"Document","content":{}}]' });

            expect(uploaded.statusCode, uploaded.payload).to.equal(200);
            const entries = await fresh();
            expect<unknown>(entries.map(({ outcome, operation, object, user, actor, method }) => [outcome, operation, object, user, actor ?? null, method])).to.equal([
                ['created', Op.uploadObjects, 'test/uploaded', 'admin', 'admin', 'internal'],
                ['performed', Op.uploadObjects, service.gateway.services.serviceId, 'admin', null, 'password']
            ]);
        });

        it('names the service by its id, also where it was denied by its alias', async () => {

            await fresh();
            await service.anonymously(`POST /doip?targetId=service&operationId=${Op.changeAdminPassword}`, { ...asAnn, payload: '{"password":"another password"}' });
            const [denied] = await fresh();

            expect<unknown>([denied?.['outcome'], denied?.['object']]).to.equal(['denied', service.gateway.services.serviceId]);
            expect((await list('&objectId=service&outcome=denied')).length).to.be.above(0);
        });

        it('has every denied request, also of items of a batch, by every protocol', async () => {

            await service.create('Document', {}, 'handle=test/closed');
            await put('/acls/test/closed', { readers: [], writers: [] }, { headers: basic('admin', ADMIN_PASSWORD) });
            await fresh();
            await service.anonymously('GET /objects/test/closed');
            await service.anonymously('GET /objects/test/closed', asAnn);
            await service.anonymously('GET /objects/test/closed', asAnn);
            await put('/objects/test/closed', {});
            await service.anonymously('GET /objects/test/closed', { headers: basic('ann', 'not the password') });
            await service.anonymously('POST /batchUpload?format=ndjson', { ...asAnn, payload: '{"id":"test/closed","type":"Document","content":{}}\n' });
            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            await client.ask(`${JSON.stringify({ targetId: 'test/closed', operationId: Op.delete })}\n#\n#\n`);
            client.close();

            const entries = (await fresh()).filter(({ outcome }) => outcome === 'denied');
            expect<unknown>(entries.map(({ operation, object, user, protocol }) => [operation, object, user, protocol])).to.equal([
                [Op.retrieve, 'test/closed', null, 'rest'],
                [Op.retrieve, 'test/closed', ann, 'rest'],
                [Op.update, 'test/closed', ann, 'rest'],
                [Op.retrieve, 'test/closed', null, 'rest'],
                [Op.batchUpload, 'test/closed', ann, 'rest'],
                [Op.delete, 'test/closed', null, 'doip']
            ]);
            expect<unknown>(entries.slice(0, 4).map(({ rule }) => rule)).to.equal([
                'readers of test/closed does not admit an anonymous caller', 'readers of test/closed does not admit test/ann',
                'writers of test/closed does not admit test/ann', 'wrong name or password'
            ]);
        });

        it('has requests with credentials that cannot be read, which are answered with 401, by every protocol', async () => {

            await fresh();
            const answers = [
                await service.anonymously('GET /objects/design', { headers: { authorization: 'Digest username="ann"' } }),
                await service.anonymously(`GET /doip?targetId=design&operationId=${Op.retrieve}`, { headers: { authorization: 'Basic ???' } }),
                await service.anonymously(`GET /doip?targetId=design&operationId=${Op.search}&authentication=${encodeURIComponent('["x"]')}`)
            ];
            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            const { head } = await client.ask(`${JSON.stringify({ targetId: 'design', operationId: Op.retrieve, authentication: 'text' })}\n#\n#\n`);
            client.close();

            expect(answers.map(({ statusCode, headers }) => [statusCode, headers['www-authenticate'] !== undefined])).to.equal(answers.map(() => [401, true]));
            expect(jsonOf(answers[0]!)).to.equal({ message: 'the Authorization header must use the scheme Basic, Bearer or Doip' });
            expect(head.status).to.equal('0.DOIP/Status.102');
            expect<unknown>((await fresh()).map(({ outcome, protocol, user, rule }) => [outcome, protocol, user, rule])).to.equal([
                ['denied', 'rest', null, 'the Authorization header must use the scheme Basic, Bearer or Doip'],
                ['denied', 'doip-http', null, 'the Authorization header is malformed: Basic needs the Base64 form of username:password'],
                ['denied', 'doip-http', null, 'parameter authentication must be a JSON object'],
                ['denied', 'doip', null, 'Unable to parse authentication: it must be a JSON object']
            ]);
        });

        it('names the API key of each request, by every protocol, and of each item of a batch', async () => {

            const { key, id } = jsonOf(await service.anonymously('POST /auth/keys', {
                payload: '{"name":"of every protocol","types":["Document"]}', headers: { ...asAnn.headers, ...JSON_TYPE }
            })) as { key: string; id: string };
            await fresh();
            const byKey = { headers: { authorization: `Bearer ${key}` } };
            const item = (handle: string, type = 'Document'): string => JSON.stringify({ id: handle, type, content: {} });
            await service.anonymously('POST /objects?type=Document&handle=test/key-1', { ...byKey, payload: '{}' });
            await service.anonymously(`POST /doip?targetId=service&operationId=${Op.create}`, {
                headers: { ...byKey.headers, ...JSON_TYPE }, payload: JSON.stringify({ id: 'test/key-2', type: 'Document', attributes: { content: {} } })
            });
            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            const create = { targetId: 'service', operationId: Op.create, authentication: { token: key } };
            await client.ask(`${JSON.stringify({ ...create, input: { id: 'test/key-3', type: 'Document', attributes: { content: {} } } })}\n#\n#\n`);
            client.close();
            await service.anonymously('POST /batchUpload?format=ndjson&parallel=false', { ...byKey, payload: `${item('test/key-4')}\n${item('test/key-5', 'Group')}\n` });
            await service.anonymously('POST /auth/keys', { ...byKey, headers: { ...byKey.headers, ...JSON_TYPE }, payload: '{"name":"more"}' });
            await service.anonymously('DELETE /objects/test/key-1', byKey);
            await service.anonymously('POST /objects?type=Document', { ...byKey, payload: '{}', headers: { ...byKey.headers, 'As-User': 'admin' } });
            const entries = await fresh();

            expect<unknown>(entries.filter(({ outcome }) => outcome !== 'denied').map(({ outcome, object, protocol, user, method, apiKey }) => [outcome, object, protocol, user, method, apiKey]))
                .to.equal([
                    ['created', 'test/key-1', 'rest', ann, 'api-key', id], ['created', 'test/key-2', 'doip-http', ann, 'api-key', id],
                    ['created', 'test/key-3', 'doip', ann, 'api-key', id], ['created', 'test/key-4', 'rest', ann, 'api-key', id],
                    ['deleted', 'test/key-1', 'rest', ann, 'api-key', id]
                ]);
            expect<unknown>(entries.filter(({ outcome }) => outcome === 'denied').map(({ operation, apiKey }) => [operation, apiKey ?? null]))
                .to.equal([[Op.batchUpload, id], [Op.keysCreate, id], [Op.create, null]]);
        });

        it('has nothing of what was not done', async () => {

            await fresh();
            const answers = [
                await service.asAdmin('POST /objects?type=Document&dryRun', { payload: '{}' }),
                await service.asAdmin('POST /objects?type=Nothing', { payload: '{}' }),
                await service.asAdmin('POST /objects?type=User', { payload: '{"username":"ann","password":"a password","id":""}' }),
                await service.asAdmin('GET /search?query=*:*'),
                await service.asAdmin('POST /search', { payload: '{"query":"*:*"}' })
            ];

            expect(answers.map(({ statusCode }) => statusCode)).to.equal([200, 400, 400, 200, 200]);
            expect(await fresh()).to.equal([]);
        });

        it('is verified by an operation, and read by administrators alone', async () => {

            const verified = jsonOf(await doip(Op.auditVerify));
            const { seal, hash } = verified['head'] as { seal: number; hash: string };
            const again = jsonOf(await doip(Op.auditVerify, `&expect=${seal}:${hash}`));
            const other = jsonOf(await doip(Op.auditVerify, `&expect=${seal}:${'0'.repeat(64)}`));
            const later = jsonOf(await doip(Op.auditVerify, `&expect=${seal + 9}:${hash}`));
            const wrong = await doip(Op.auditVerify, '&expect=1:2');

            expect<unknown>([verified['problem'], again['problem'], wrong.statusCode]).to.equal([undefined, undefined, 400]);
            expect<unknown>([other['problem'], later['problem']]).to.equal([
                `seal ${seal} is not the expected one: the log was written anew`, `seal ${seal + 9} is missing: the end of the log was removed`]);
            for (const operation of [Op.auditList, Op.auditVerify]) {
                const path = `POST /doip?targetId=service&operationId=${operation}`;
                expect<unknown>([(await service.anonymously(path)).statusCode, (await service.anonymously(path, asAnn)).statusCode]).to.equal([401, 403]);
            }
        });

        for (const [query, message] of [
            ['&outcome=lost', 'outcome'], ['&from=yesterday', 'from'], ['&pageSize=0', 'pageSize'], ['&pageSize=1001', 'pageSize'], ['&before=0', 'before']
        ] as const) {
            it(`rejects ${query}`, async () => {

                const answer = await doip(Op.auditList, query, 'GET');
                expect<unknown>([answer.statusCode, String(jsonOf(answer)['message']).includes(message)]).to.equal([400, true]);
            });
        }
    });
});

describe('without AUDIT_DAYS', () => {

    it('nothing is recorded', async () => {

        const service = await startRest(DIALECTS[0]!.create);
        try {
            await service.create('Document', {});
            await service.anonymously('GET /objects/test/none');
            const answer = await service.asAdmin(`GET /doip?targetId=service&operationId=${Op.auditList}`);
            expect(jsonOf(answer)).to.equal({ entries: [] });
        }
        finally {
            await service.stop();
        }
    });
});
