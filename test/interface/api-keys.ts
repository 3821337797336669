/** API keys by each interface: accepted wherever access tokens are, restricted alike, and never logged. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { NativeClient } from '../support/native.js';
import { basic, jsonOf } from '../support/rest.js';
import type { Received, RestService } from '../support/rest-service.js';
import { forEachWay } from '../support/rest-service.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ANN = { username: 'ann', password: 'password of ann' };
const JSON_TYPE = { 'content-type': 'application/json' };

forEachWay((name, start) => {

    describe(`API keys on ${name}`, () => {

        let service: RestService;
        let ann = '';
        let number = 0;

        before(async () => {

            service = await start({ DOIP_PORT: 0 });
            ann = (await service.create('User', { id: '', ...ANN })).id;
            await service.create('Document', { name: 'A map' }, 'handle=test/map');
            await service.create('Group', { groupName: 'g', description: '', users: [] }, 'handle=test/group');
        });

        after(() => service.stop());

        const make = (body: object = {}): Promise<Received> => service.anonymously('POST /auth/keys', {
            payload: JSON.stringify({ name: `key ${++number}`, ...body }), headers: { ...basic('ann', ANN.password), ...JSON_TYPE }
        });

        const keyOf = async (body: object = {}): Promise<{ readonly key: string; readonly id: string }> => {

            const response = await make(body);
            expect(response.statusCode, response.payload).to.equal(200);
            return JSON.parse(response.payload) as { key: string; id: string };
        };

        const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

        /** Status and JSON by native DOIP. */
        async function native(request: JsonObject): Promise<readonly [status: string, output: unknown]> {

            const client = await NativeClient.open(service.gateway.services.endpoint().native?.port ?? 0);
            try {
                const { head, segments } = await client.ask(`${JSON.stringify({ targetId: 'service', ...request })}\n#\n#\n`);
                return [head.status, head.output ?? segments[0]?.json];
            }
            finally {
                client.close();
            }
        }

        it('are made, listed and revoked by REST, and the response with the key is not stored by caches', async () => {

            const made = await make({ types: ['Document'], readOnly: true });
            const { key, id } = jsonOf(made) as { key: string; id: string };
            const listed = await service.anonymously('GET /auth/keys', { headers: basic('ann', ANN.password) });
            const byAdmin = await service.asAdmin(`GET /auth/keys?userId=${ann}`);
            const all = await service.asAdmin('GET /auth/keys?all&pageSize=1');
            const wrongPage = await service.asAdmin('GET /auth/keys?all&pageSize=0');

            expect([made.statusCode, made.headers['cache-control']]).to.equal([200, 'no-store']);
            expect(listed.payload).to.include(id).and.to.not.include(key);
            expect(byAdmin.payload).to.include(id).and.to.not.include(key);
            expect(all.statusCode).to.equal(200);
            expect(wrongPage.statusCode).to.equal(400);
            expect((await service.anonymously('GET /objects/test/map', bearer(key))).statusCode).to.equal(200);
            const revoked = await service.anonymously(`DELETE /auth/keys/${id}`, { headers: basic('ann', ANN.password) });
            expect([revoked.statusCode, jsonOf(revoked)]).to.equal([200, { success: true }]);
            expect((await service.anonymously('GET /objects/test/map', bearer(key))).statusCode).to.equal(401);
            expect((await service.anonymously(`DELETE /auth/keys/${id}`, { headers: basic('ann', ANN.password) })).statusCode).to.equal(404);
        });

        it('identify their user by REST, DOIP over HTTP and native DOIP', async () => {

            const { key } = await keyOf();
            const inDoip = Buffer.from(JSON.stringify({ token: key })).toString('base64');
            const answers = [
                await service.anonymously('GET /check-credentials', bearer(key)),
                await service.anonymously(`GET /check-credentials?access_token=${key}`),
                await service.anonymously(`GET /doip?operationId=${Op.checkCredentials}&targetId=service`, bearer(key)),
                await service.anonymously(`GET /doip?operationId=${Op.checkCredentials}&targetId=service`, { headers: { authorization: `Doip ${inDoip}` } })
            ];
            const [status, output] = await native({ operationId: Op.checkCredentials, authentication: { token: key } });

            for (const answer of answers) {
                expect(answer.statusCode, answer.payload).to.equal(200);
                expect(jsonOf(answer)).to.include({ userId: ann, username: 'ann' });
            }

            expect(status).to.equal('0.DOIP/Status.001');
            expect<unknown>(output).to.include({ userId: ann, username: 'ann' });
        });

        it('are restricted alike by REST, DOIP over HTTP and native DOIP', async () => {

            const { key } = await keyOf({ types: ['Document'], operations: ['Retrieve', 'Search'] });
            const retrieve = (id: string): JsonObject => ({ operationId: Op.retrieve, targetId: id, authentication: { token: key } });
            const create = { operationId: Op.create, authentication: { token: key }, input: { type: 'Document', attributes: { content: {} } } };
            const statuses = [
                await service.anonymously('GET /objects/test/map', bearer(key)),
                await service.anonymously('GET /objects/test/group', bearer(key)),
                await service.anonymously('POST /objects?type=Document', { payload: '{}', ...bearer(key) }),
                await service.anonymously(`GET /doip?operationId=${Op.retrieve}&targetId=test/map`, bearer(key)),
                await service.anonymously(`GET /doip?operationId=${Op.retrieve}&targetId=test/group`, bearer(key))
            ].map(({ statusCode }) => statusCode);
            const byNative = [await native(retrieve('test/map')), await native(retrieve('test/group')), await native(create)].map(([status]) => status);

            expect(statuses).to.equal([200, 403, 403, 200, 403]);
            expect(byNative).to.equal(['0.DOIP/Status.001', '0.DOIP/Status.103', '0.DOIP/Status.103']);
            const found = await service.anonymously('GET /search?query=*:*&ids', bearer(key));
            expect(jsonOf(found)['results']).to.equal(['test/map']);
        });

        it('without calls do not reveal which objects and methods exist', async () => {

            const javascript = 'exports.methods = { approve: () => true };';
            await service.create('Schema', { name: 'Contract', schema: { type: 'object' }, javascript }, 'handle=test/contract');
            for (const [type, id] of [['Contract', 'test/secret'], ['Document', 'test/hidden']]) {
                await service.create(type ?? '', {}, `handle=${id}`);
                await service.asAdmin(`PUT /acls/${id}`, { payload: '{"readers":[],"writers":[]}' });
            }

            const { key } = await keyOf({ operations: [Op.retrieve] });
            const answers = await Promise.all(['test/secret', 'test/hidden', 'test/missing'].flatMap((targetId) => [
                service.anonymously(`POST /doip?operationId=approve&targetId=${targetId}`, bearer(key)),
                native({ operationId: 'approve', targetId, authentication: { token: key } })
            ]));
            const message = `the API key does not permit ${Op.call}`;

            expect<unknown>(answers.map((answer) => ('payload' in answer ? [answer.statusCode, jsonOf(answer)] : answer))).to.equal(
                [1, 2, 3].flatMap(() => [[403, { message }], ['0.DOIP/Status.103', { message }]]));
        });

        it('that are wrong get the answer of a wrong token', async () => {

            const { key, id } = await keyOf();
            await service.anonymously(`DELETE /auth/keys/${id}`, { headers: basic('ann', ANN.password) });
            const tokens = ['wrong', key, `${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`, 'doipkey_', `doipkey_${'x'.repeat(9000)}`];
            const answers: unknown[] = [];
            for (const token of tokens) {
                const { statusCode, payload, headers } = await service.anonymously('GET /objects/test/map', bearer(token));
                answers.push([statusCode, payload, headers['www-authenticate'], (await native({ operationId: Op.hello, authentication: { token } }))]);
            }

            expect(answers).to.equal(answers.map(() => answers[0]));
            expect((answers[0] as unknown[])[0]).to.equal(401);
        });

        it('do not start sessions, whose cookies would know no scope', async () => {

            const { key } = await keyOf({ operations: ['gateway/Op.Sessions.Create'] });
            await service.asAdmin('PUT /objects/design?jsonPointer=/useLegacySessionsApi', { payload: 'true' });
            const response = await service.anonymously('POST /sessions', bearer(key));
            await service.asAdmin('DELETE /objects/design?jsonPointer=/useLegacySessionsApi');

            expect(response.statusCode, response.payload).to.equal(403);
            expect(response.headers['set-cookie']).to.be.undefined();
        });

        it('are not in the log, but who made and revoked them is', async () => {

            const { key, id } = await keyOf();
            await service.anonymously(`GET /check-credentials?access_token=${key}`);
            await service.anonymously('POST /auth/introspect', { payload: JSON.stringify({ token: key }), headers: JSON_TYPE });
            await service.anonymously('POST /auth/revoke', { payload: JSON.stringify({ token: key }), headers: JSON_TYPE });
            const events = service.log.filter(({ key: logged }) => logged === id).map(({ event, user, by }) => ({ event, user, by }));

            expect(events).to.equal([{ event: 'identity.key-created', user: ann, by: ann }, { event: 'identity.key-revoked', user: ann, by: null }]);
            expect(JSON.stringify(service.log)).to.not.include(key.slice(0, 30));
        });
    });
});
