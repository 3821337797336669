/** The audit log has what rate limits and quotas reject: who, what, and the limit; many equal ones as their number. What changes nothing does not fill it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../lib/util/json-types.js';
import { Op } from '../../lib/doip/operation-ids.js';
import { newKeyValue } from '../../lib/identity/keys/key-value.js';
import type { Received, RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { basic, jsonOf } from '../support/rest.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const PASSWORD = 'password of a user';
const REQUESTS = 8;

onEveryDatabase((name, start) => {

    describe(`limits in the audit log, ${name},`, () => {

        let service: RestService;
        let id: string;
        const headers = basic('limited', PASSWORD);

        before(async () => {

            service = await start({ AUDIT_DAYS: 1, QUOTA_USER_OBJECTS: 1, RATE_LIMIT_SECONDS: 86_400, RATE_LIMIT_USER_REQUESTS: REQUESTS });
            ({ id } = await service.create('User', { username: 'limited', password: PASSWORD }));
        });

        after(() => service.stop());

        const denied = async (): Promise<JsonObject[]> => {

            const line = 'GET /doip/gateway/Op.Audit.List?targetId=service&outcome=denied';
            return (jsonOf(await service.asAdmin(line))['entries'] as JsonObject[]).toReversed();
        };

        it('are entries of their user, with the limit as rule', async () => {

            const create = async (): Promise<number> => (await service.anonymously('POST /objects?type=Document', { headers, payload: '{}' })).statusCode;
            const statuses = [await create(), await create()];
            for (let i = statuses.length; i < REQUESTS + 20; ++i) {
                statuses.push((await service.anonymously('GET /objects/design', { headers })).statusCode);
            }

            await until(async () => (await denied()).length >= 2);
            const [first, second, ...others] = await denied();

            expect<unknown>([statuses.slice(0, 2), statuses.filter((status) => status === 429).length]).to.equal([[200, 507], 20]);
            expect<unknown>([first?.['user'], first?.['operation'], first?.['rule']]).to.equal(
                [id, '0.DOIP/Op.Create', `the quota of what ${id} has created is 1 objects, which this change would exceed`]);
            expect<unknown>([second?.['user'], second?.['operation'], second?.['object'], second?.['rule']]).to.equal(
                [id, '0.DOIP/Op.Retrieve', 'design', `a user may send at most ${REQUESTS} requests in 86400 seconds`]);
            // The rest of the twenty are one entry later.
            expect(others.length).to.be.at.most(1);
        });
    });

    describe(`what changes nothing, ${name},`, () => {

        let service: RestService;
        const json = { 'content-type': 'application/json' };
        const user = basic('idle', PASSWORD);

        before(async () => {

            service = await start({ AUDIT_DAYS: 1 });
            await service.create('User', { username: 'idle', password: PASSWORD });
            const design = jsonOf(await service.asAdmin('GET /objects/design'));
            await service.asAdmin('PUT /objects/design', { payload: JSON.stringify({ ...design, useLegacySessionsApi: true }) });
        });

        after(() => service.stop());

        const entries = async (): Promise<JsonObject[]> => (
            jsonOf(await service.asAdmin('GET /doip/gateway/Op.Audit.List?targetId=service&pageSize=1000'))['entries'] as JsonObject[]
        ).toReversed();

        const revoke = (token: string): Promise<Received> => service.anonymously('POST /auth/revoke', { payload: JSON.stringify({ token }), headers: json });

        /** Sends requests, and returns the entries that they have caused. */
        const causedBy = async (send: () => Promise<readonly Received[]>): Promise<unknown[]> => {

            const before = await entries();
            const answers = await send();
            expect(answers.map(({ statusCode }) => statusCode), answers.map(({ payload }) => payload).join()).to.equal(answers.map(() => 200));
            return (await entries()).slice(before.length).map(({ outcome, operation, user: by }) => [outcome, operation, by]);
        };

        const idle: readonly (readonly [title: string, send: () => Promise<Received>])[] = [
            ['a revocation of an unknown token', () => revoke('x')],
            ['a revocation of an unknown token by a user', () => (
                service.anonymously('POST /auth/revoke', { payload: '{"token":"x"}', headers: { ...json, ...user } })
            )],
            ['a revocation of an unknown API key', () => revoke(newKeyValue())],
            ['the end of no session', () => service.anonymously('DELETE /sessions/this')],
            ['the end of no session by a user', () => service.anonymously('DELETE /sessions/this', { headers: user })],
            ['a batch without items', () => service.anonymously('POST /batchUpload', { payload: '[]', headers: { ...json, ...user } })],
            ['a batch of items that are rejected', () => service.anonymously('POST /batchUpload', { payload: '[{}]', headers: { ...json, ...user } })]
        ];
        for (const [title, send] of idle) {
            it(`has no entry: ${title}`, async () => {

                expect(await causedBy(async () => [await send(), await send()])).to.equal([]);
            });
        }

        it('is told from the same operations where they change something', async () => {

            const logIn = { payload: JSON.stringify({ grant_type: 'password', username: 'idle', password: PASSWORD }), headers: json };
            const token = jsonOf(await service.anonymously('POST /auth/token', logIn))['access_token'] as string;
            const session = await service.asAdmin('POST /sessions/');
            const cookies = [session.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0] ?? '');
            const csrf = cookies.find((cookie) => cookie.startsWith('Csrf-token='))?.split('=')[1] ?? '';
            const headers = { cookie: cookies.join('; '), 'x-csrf-token': csrf };

            const caused = await causedBy(async () => [
                await revoke(token), await revoke(token), await service.anonymously('DELETE /sessions/this', { headers })
            ]);

            expect(caused).to.equal([['performed', Op.authRevoke, null], ['performed', Op.sessionsDelete, 'admin']]);
        });
    });
});
