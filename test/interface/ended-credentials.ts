/** Credentials that end while a request with them is in progress: what comes later in a long body is not stored any more. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { request, type ClientRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { jwt } from '../support/accounts.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';
import { ADMIN_HEADERS, basic, jsonOf } from '../support/rest.js';
import type { RestService } from '../support/rest-service.js';
import { onEveryDatabase } from '../support/rest-service.js';
import { LONG_MS, sendSlowly } from '../support/slow-request.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const JSON_TYPE = { 'content-type': 'application/json' };

/** A user with credentials, and a request in progress. */
interface Long {
    readonly id: string;
    readonly headers: Record<string, string>;
    readonly end: () => Promise<unknown>;
}

/** A request whose body is being sent. */
interface Open {
    readonly sent: ClientRequest;
    readonly answer: Promise<{ readonly status: number; readonly body: string }>;
}

onEveryDatabase((name, start) => {

    describe(`credentials that end during a request on ${name}`, () => {

        let service: RestService;
        let number = 0;
        before(async () => {

            service = await start();
        });

        after(() => service.stop());

        const open = (method: string, path: string, headers: Record<string, string>): Open => {

            const sent = request(`${service.url}${path}`, { method, headers });
            const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {

                sent.on('error', reject);
                sent.on('response', (response) => {

                    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
                });
            });
            sent.flushHeaders();
            return { sent, answer };
        };

        const withPassword = async (): Promise<{ id: string; name: string; headers: Record<string, string> }> => {

            const username = `user${++number}`;
            const { id } = await service.create('User', { id: '', username, password: 'a long password' });
            return { id, name: username, headers: basic(username, 'a long password') };
        };

        const ways: readonly (readonly [title: string, make: () => Promise<Long>])[] = [
            ['an access token that is revoked', async () => {

                const { id, name: username } = await withPassword();
                const granted = await service.anonymously('POST /auth/token', { headers: JSON_TYPE, payload: JSON.stringify({ username, password: 'a long password' }) });
                const token = String(jsonOf(granted)['access_token']);
                return {
                    id, headers: { authorization: `Bearer ${token}` },
                    end: () => service.anonymously('POST /auth/revoke', { headers: JSON_TYPE, payload: JSON.stringify({ token }) })
                };
            }],
            ['an access token whose user changes the password', async () => {

                const { id, name: username, headers } = await withPassword();
                const granted = await service.anonymously('POST /auth/token', { headers: JSON_TYPE, payload: JSON.stringify({ username, password: 'a long password' }) });
                return {
                    id, headers: { authorization: `Bearer ${String(jsonOf(granted)['access_token'])}` },
                    end: () => service.anonymously('PUT /users/this/password', { headers: { ...headers, 'content-type': 'text/plain' }, payload: 'another password' })
                };
            }],
            ['an API key that is revoked', async () => {

                const { id, headers } = await withPassword();
                const made = jsonOf(await service.anonymously('POST /auth/keys', { headers: { ...headers, ...JSON_TYPE }, payload: '{"name": "key"}' }));
                return {
                    id, headers: { authorization: `Bearer ${String(made['key'])}` },
                    end: () => service.anonymously(`DELETE /auth/keys/${String(made['id'])}`, { headers })
                };
            }],
            ['a password that is changed', async () => {

                const { id, headers } = await withPassword();
                return {
                    id, headers,
                    end: () => service.anonymously('PUT /users/this/password', { headers: { ...headers, 'content-type': 'text/plain' }, payload: 'another password' })
                };
            }],
            ['a password of a user who is deleted', async () => {

                const { id, headers } = await withPassword();
                return { id, headers, end: () => service.asAdmin(`DELETE /objects/${id}`) };
            }]
        ];
        for (const [title, make] of ways) {
            it(`store no further items of a batch: ${title}`, async () => {

                const { headers, end } = await make();
                const prefix = `test/batch${++number}`;
                const { sent, answer } = open('POST', '/batchUpload?format=ndjson', { ...headers, 'content-type': 'application/x-ndjson' });
                sent.write(`${JSON.stringify({ id: `${prefix}-0`, type: 'Document', content: {} })}\n`);
                await until(async () => (await service.asAdmin(`GET /objects/${prefix}-0`)).statusCode === 200);
                await end();
                let items = 0;
                // The credentials are verified again once a second.
                const until1500 = performance.now() + 1500;
                await until(async () => {

                    sent.write(`${JSON.stringify({ id: `${prefix}-${++items}`, type: 'Document', content: {} })}\n`);
                    await service.asAdmin(`GET /objects/${prefix}-${items}`);
                    return performance.now() > until1500;
                });
                sent.end(`${JSON.stringify({ id: `${prefix}-last`, type: 'Document', content: {} })}\n`);
                const { body } = await answer;
                const results = (JSON.parse(body) as { results: { responseCode?: number }[] }).results;

                expect((await service.asAdmin(`GET /objects/${prefix}-last`)).statusCode).to.equal(404);
                expect(results[0]?.responseCode).to.equal(200);
                expect(results.at(-1)?.responseCode, body.slice(-300)).to.equal(401);
            });
        }

        it('do not store an object whose body was longer under way', async () => {

            const [, make] = ways[0]!;
            const { headers, end } = await make();
            const { sent, answer } = open('POST', '/objects?type=Document&handle=test/slow', { ...headers, ...JSON_TYPE });
            sent.write('{"name": ');
            await end();
            // The service has logged in before: a slow one may do so long after the request was sent.
            const since = performance.now();
            await until(() => performance.now() > since + 1100);
            sent.end('"x"}');

            expect((await answer).status).to.equal(401);
            expect((await service.asAdmin('GET /objects/test/slow')).statusCode).to.equal(404);
        });

        const requests: readonly (readonly [title: string, line: string, first: string, rest: string, way?: number])[] = [
            ['change a password', 'PUT /users/this/password', '"a password ', 'of somebody else"', 3],
            ['create an API key', 'POST /auth/keys', '{"name": ', '"another"}', 3],
            ['change rights', 'PUT /acls/test/rights', '{"readers": ', '["public"]}'],
            ['create a type', 'PUT /schemas/Late', '{"type": ', '"object"}'],
            ['call a method', 'POST /call?objectId=test/called&method=tell', '{"x": ', '1}']
        ];
        for (const [title, line, first, rest, way = 1] of requests) {
            it(`do not ${title} when they end while the input comes`, async () => {

                const [, make] = ways[way]!;
                const { id, headers, end } = await make();
                const methods = { aclMethods: { instance: { tell: ['authenticated'] } } };
                await service.asAdmin('POST /objects?type=Schema&handle=test/called-type', {
                    headers: JSON_TYPE, payload: JSON.stringify({
                        name: 'Called', schema: { type: 'object' }, authConfig: { ...methods, defaultAclRead: ['public'] },
                        javascript: `exports.methods = { tell: () => 'told' };`
                    })
                });
                for (const [handle, type] of [['test/rights', 'Document'], ['test/called', 'Called']]) {
                    await service.asAdmin(`POST /objects?type=${type}&handle=${handle}`, { headers: JSON_TYPE, payload: '{}' });
                }

                await service.asAdmin('PUT /acls/test/rights', { headers: JSON_TYPE, payload: JSON.stringify({ writers: [id] }) });
                const { status, body } = await sendSlowly(service.url, line, { headers: { ...headers, ...JSON_TYPE }, first, rest }, async () => {

                    // Not before the service has authenticated the request
                    await delay(300);
                    await end();
                    await delay(LONG_MS);
                });

                expect(status, body).to.equal(401);
                expect(body).not.to.contain('told');
            });
        }

        for (const [path, isLater] of [['/uploadObjects?deleteCurrentObjects', false], ['/doip?operationId=gateway/Op.Import&targetId=service', true]] as const) {
            it(`store nothing that came later: ${path}`, async () => {

                const login = JSON.stringify({ grant_type: 'password', username: 'admin', password: ADMIN_PASSWORD });
                const granted = await service.anonymously('POST /auth/token', { headers: JSON_TYPE, payload: login });
                const token = String(jsonOf(granted)['access_token']);
                const present = await service.create('Document', {});
                const ids = [`test/early${++number}`, `test/late${number}`];
                const lines = ids.map((id) => `${JSON.stringify({ id, type: 'Document', content: {} })}\n`);
                const { sent, answer } = open('POST', path, { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' });
                sent.write(lines[0]);
                await (isLater ? until(async () => (await service.asAdmin(`GET /objects/${ids[0]}`)).statusCode === 200) : null);
                await service.anonymously('POST /auth/revoke', { headers: JSON_TYPE, payload: JSON.stringify({ token }) });
                const since = performance.now();
                await until(() => performance.now() > since + 1100);
                sent.end(lines[1]);

                const { status, body } = await answer;
                expect(isLater ? body.includes('401') || body.includes('Authentication') : status === 401, `${status} ${body}`).to.be.true();
                const found = await Promise.all([present.id, ...ids].map(async (id) => (await service.asAdmin(`GET /objects/${id}`)).statusCode));
                expect(found).to.equal([200, isLater ? 200 : 404, 404]);
            });
        }

        it('of the administrator may be a password, also acting as another user', async () => {

            const { id } = await withPassword();
            const { sent, answer } = open('POST', '/objects?type=Document&handle=test/as-user', { ...ADMIN_HEADERS, 'as-user': id, ...JSON_TYPE });
            sent.write('{"name": ');
            const since = performance.now();
            await until(() => performance.now() > since + 1100);
            sent.end('"x"}');

            expect((await answer).status).to.equal(200);
        });

        for (const isReplaced of [false, true]) {
            it(`may be a signed assertion, ${isReplaced ? 'unless the key is replaced meanwhile' : 'while the key stays'}`, async () => {

                const [own, other] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
                const username = `signer${++number}`;
                const content = (key: KeyObject | undefined): string => JSON.stringify({ username, publicKey: key?.export({ format: 'jwk' }) });
                await service.asAdmin('POST /objects?type=Schema', { headers: JSON_TYPE, payload: JSON.stringify({
                    name: 'Signer', authConfig: { defaultAclRead: ['public'], defaultAclWrite: ['self'] }, schema: { type: 'object', properties: {
                        username: { type: 'string', cordra: { auth: 'username' } }, password: { type: 'string', cordra: { auth: 'password' } },
                        publicKey: { type: 'object', cordra: { auth: 'publicKey' } }
                    } }
                }) });
                const made = await service.asAdmin(`POST /objects?type=Signer&handle=test/${username}`, { headers: JSON_TYPE, payload: content(own?.publicKey) });
                expect(made.statusCode, made.payload).to.equal(200);
                const headers = { authorization: `Bearer ${jwt(own!.privateKey, { iss: username })}`, ...JSON_TYPE };
                const line = `PUT /acls/test/${username}`;
                const changed = await sendSlowly(service.url, line, { headers, first: '{"readers":', rest: '[]}' }, async () => {

                    await delay(300);
                    const replaced = isReplaced ? await service.asAdmin(`PUT /objects/test/${username}`, { headers: JSON_TYPE, payload: content(other?.publicKey) }) : null;
                    expect(replaced?.statusCode ?? 200).to.equal(200);
                    await delay(LONG_MS);
                });

                expect(changed.status, changed.body).to.equal(isReplaced ? 401 : 200);
            });
        }

        it('are those of a user who must change the password and does so, however slowly', async () => {

            const account = { username: 'must', password: 'a long password', requirePasswordChange: true };
            await service.create('User', account);
            const headers = { ...basic('must', 'a long password'), ...JSON_TYPE };
            const changed = await sendSlowly(service.url, 'PUT /users/this/password', { headers, first: '"another ', rest: 'password"' }, () => delay(LONG_MS));

            expect(changed.status, changed.body).to.equal(200);
        });

        it('do not matter to those of others, whose requests take as long', async () => {

            const { headers } = await withPassword();
            const { sent, answer } = open('POST', '/objects?type=Document&handle=test/slow-too', { ...headers, ...JSON_TYPE });
            sent.write('{"name": ');
            const since = performance.now();
            await until(() => performance.now() > since + 1100);
            sent.end('"x"}');

            expect((await answer).status).to.equal(200);
        });
    });
});
