/** Who is taken for whom: names and passwords, transports and As-User, on every database. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, performOver, TEAM, tokenOf, whoIs } from '../../support/accounts.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { ADMIN, ADMIN_PASSWORD, startGateway } from '../../support/gateway.js';
import type { ShortRequest, TestGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';

const FAILED = { message: 'Authentication failed' };

forEachDatabase((name, create) => {

    describe(`authentication on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        const ids: Record<string, string> = {};

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            for (const [username, more] of Object.entries({
                ann: {}, bob: {}, idle: { active: false }, nul: { active: true }, must: { mustChange: true }, 'test/bob': {}
            })) {
                ids[username] = (await test.create(ACCOUNT, account(username, more), username === 'bob' ? { id: 'test/bob' } : {})).id;
            }
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        async function setDesign(members: JsonObject): Promise<void> {

            const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
            const { content } = (value as { attributes: { content: JsonObject } }).attributes;
            await test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content: { ...content, ...members } } } });
        }

        describe('with username and password', () => {

            const good: readonly (readonly [title: string, credentials: () => JsonObject, request: ShortRequest, user: string])[] = [
                ['a username', () => basic('ann'), {}, 'ann'],
                ['a username in another case', () => ({ ...basic('ann'), username: 'AnN' }), {}, 'ann'],
                ['an object id', () => ({ ...basic('ann'), username: ids.ann! }), {}, 'ann'],
                ['an object id that is also the username of another', () => basic('bob'), {}, 'bob'],
                ['a client id in the place of the username', () => ({ password: 'ann-password' }), { clientId: 'ann' }, 'ann'],
                ['an account that says it is active', () => basic('nul'), {}, 'nul']
            ];

            for (const [title, credentials, request, user] of good) {
                it(`accepts ${title}`, async () => {

                    const { value } = await whoIs(test, credentials(), request);

                    expect(value).to.include({ active: true, userId: ids[user]!, username: user });
                });
            }

            it('prefers an object id to the same username of another user', async () => {

                expect((await whoIs(test, { username: 'test/bob', password: 'bob-password' })).value).to.include({ userId: 'test/bob' });
                expect((await whoIs(test, { username: 'test/bob', password: 'test/bob-password' })).status).to.equal(UNAUTHENTICATED);
            });

            for (const username of ['admin', 'Admin', 'ADMIN']) {
                it(`recognises the administrator as ${username}`, async () => {

                    expect((await whoIs(test, { username, password: ADMIN_PASSWORD })).value).to.include({ userId: 'admin', username: 'admin' });
                });
            }

            it('identifies anonymous callers', async () => {

                expect((await test.perform(Op.checkCredentials)).value).to.equal({ active: false });
                expect((await test.perform(Op.checkCredentials, { attributes: { full: 'true' } })).value).to.equal(
                    { active: false, typesPermittedToCreate: [], groupIds: [] });
            });

            const refusals: readonly (readonly [title: string, credentials: JsonObject, clientId?: string | undefined, message?: string])[] = [
                ['a wrong password', { username: 'ann', password: 'wrong' }],
                ['the password of another user', { username: 'ann', password: 'bob-password' }],
                ['a password in another case', { username: 'ann', password: 'ANN-password' }],
                ['an unknown user', { username: 'nobody', password: 'ann-password' }],
                ['an unknown id', { username: 'test/nobody', password: 'ann-password' }],
                ['an id in another case', { username: 'TEST/bob', password: 'bob-password' }],
                ['a name that is too long', { username: 'x'.repeat(10_000), password: 'ann-password' }],
                ['a name with an unpaired surrogate', { username: '\ud800', password: 'ann-password' }],
                ['a name with a zero byte', { username: 'ann\u0000', password: 'ann-password' }],
                ['a password that is too long', { username: 'ann', password: 'x'.repeat(10_000) }],
                ['a password beyond all measure', { username: 'ann', password: 'x'.repeat(16_385) }, undefined, 'credentials may have at most 16384 characters'],
                ['a name beyond all measure', { username: 'x'.repeat(8_000_000), password: 'x' }, undefined, 'credentials may have at most 16384 characters'],
                ['a client id beyond all measure', { password: 'x' }, 'x'.repeat(8_000_000), 'credentials may have at most 16384 characters'],
                ['a token beyond all measure', { token: 'a.'.repeat(10_000) }, undefined, 'credentials may have at most 16384 characters'],
                ['a wrong password of admin', { username: 'admin', password: 'wrong' }],
                ['the id of an object that is no user', { username: 'test/document', password: 'x' }],
                ['an inactive account with a wrong password', { username: 'idle', password: 'wrong' }],
                ['a user who must change the password with a wrong one', { username: 'must', password: 'wrong' }],
                ['both a username and a client id', basic('ann'), 'ann', 'No support for authenticating with both username and clientId'],
                ['a client id without credentials', {}, 'ann', 'No authentication provided for ann'],
                ['an inactive account', basic('idle'), undefined, 'Account is inactive'],
                ['no password', { username: 'ann' }, undefined, 'Unable to parse authentication (neither token nor password)'],
                ['an empty password', { username: 'ann', password: '' }, undefined, 'Unable to parse authentication (neither token nor password)'],
                ['no name', { password: 'x' }, undefined, 'Unable to parse authentication (neither token nor password)'],
                ['a name that is no string', { username: ['ann'], password: 'x' }, undefined,
                    'Unable to parse authentication (neither token nor password)'],
                ['a password that is no string', { username: 'ann', password: { $gt: '' } }, undefined,
                    'Unable to parse authentication (neither token nor password)'],
                ['a token that is no string', { token: 5 }, undefined, 'Unable to parse authentication (neither token nor password)'],
                ['something else', { apiKey: 'x' }, undefined, 'Unable to parse authentication (neither token nor password)']
            ];

            for (const [title, credentials, clientId, message] of refusals) {
                it(`rejects ${title}`, async () => {

                    const { status, value } = await whoIs(test, credentials, clientId === undefined ? {} : { clientId });

                    expect(status).to.equal(UNAUTHENTICATED);
                    expect<unknown>(value).to.equal(message === undefined ? FAILED : { message });
                });
            }

            it('rejects wrong credentials even where none are needed', async () => {

                expect((await test.perform(Op.getDesign, { authentication: { username: 'ann', password: 'no' } })).status).to.equal(UNAUTHENTICATED);
            });

            it('checks a client id sent with a token', async () => {

                const token = await tokenOf(test, basic('ann'));

                expect((await whoIs(test, { token }, { clientId: ids.ann! })).status).to.equal(OK);
                expect((await whoIs(test, { token }, { clientId: 'ANN' })).status).to.equal(OK);
                expect((await whoIs(test, { token }, { clientId: 'test/bob' })).status).to.equal(UNAUTHENTICATED);
                expect((await whoIs(test, { token: await tokenOf(test, ADMIN) }, { clientId: 'test/bob' })).status).to.equal(OK);
            });
        });

        describe('over insecure transports', () => {

            const transports: readonly (readonly [title: string, protocol: string, allowed: boolean, remoteAddress: string])[] = [
                ['plain HTTP from another machine', 'http', false, '192.0.2.7'],
                ['plain HTTP from another machine by IPv6', 'http', false, '2001:db8::1'],
                ['HTTPS from another machine', 'https', true, '192.0.2.7'],
                ['plain HTTP behind a trusted proxy that says https', 'http', true, '192.0.2.7'],
                ['plain HTTP from this machine', 'http', true, '127.0.0.1'],
                ['plain HTTP forwarded by this machine', 'http', false, '127.0.0.1'],
                ['calls of the same process', 'internal', true, '']
            ];

            for (const [title, protocol, allowed, remoteAddress] of transports) {
                it(`${allowed ? 'accepts' : 'rejects'} credentials by ${title}`, async () => {

                    const transport = { protocol, secure: allowed, remoteAddress };
                    const direct = await performOver(test, transport, Op.checkCredentials, { authentication: basic('ann') });
                    const token = await performOver(test, transport, Op.authToken, { input: basic('ann') });
                    const anonymous = await performOver(test, transport, Op.checkCredentials, {});

                    expect([direct.status, token.status]).to.equal(allowed ? [OK, OK] : [FORBIDDEN, FORBIDDEN]);
                    expect(anonymous.status).to.equal(OK);
                    if (!allowed) {
                        expect(direct.value).to.equal({ message: 'Authentication requires HTTPS' });
                        expect(token.value).to.include({ error: 'invalid_request', error_description: 'Authentication requires HTTPS' });
                    }
                });
            }

            it('accepts them anywhere if the design allows it', async () => {

                await setDesign({ allowInsecureAuthentication: true });

                const { status } = await performOver(test, { protocol: 'http', secure: false, remoteAddress: '192.0.2.7' },
                    Op.checkCredentials, { authentication: basic('ann') });

                await setDesign({ allowInsecureAuthentication: false });
                expect(status).to.equal(OK);
            });
        });

        describe('as another user', () => {

            it('lets the administrator act as any user', async () => {

                const acting = (await whoIs(test, { ...ADMIN, asUserId: ids.ann! })).value;

                expect(acting).to.include({ active: true, userId: ids.ann!, username: 'ann' });
                expect((acting as { typesPermittedToCreate: string[] }).typesPermittedToCreate).to.include('Document').and.to.not.include('Schema');
            });

            it('lets the administrator act as an id without user object, which is not authenticated', async () => {

                await test.create(TEAM, { members: ['orcid/0000'] }, { id: 'test/as-user-team' });

                const { value } = await whoIs(test, { ...ADMIN, asUserId: 'orcid/0000' });

                expect(value).to.equal({ active: true, userId: 'orcid/0000', typesPermittedToCreate: [], groupIds: ['test/as-user-team'] });
            });

            it('records the other user as author', async () => {

                const { value } = await test.perform(Op.create, {
                    authentication: { ...ADMIN, asUserId: ids.ann! }, input: { type: 'Document', attributes: { content: { name: 'x' } } }
                });

                expect(value).to.part.include({ attributes: { metadata: { createdBy: ids.ann } } });
            });

            it('works with a token of the administrator', async () => {

                const token = await tokenOf(test, ADMIN);

                expect((await whoIs(test, { token, asUserId: ids.ann! })).value).to.include({ userId: ids.ann! });
                expect((await whoIs(test, { token, asUserId: 'admin' })).value).to.include({ userId: 'admin' });
            });

            const refusals: readonly (readonly [title: string, authentication: () => JsonObject])[] = [
                ['another user', () => ({ ...basic('ann'), asUserId: 'test/bob' })],
                ['a user who wants to be admin', () => ({ ...basic('ann'), asUserId: 'admin' })],
                ['nobody', () => ({ asUserId: 'test/bob' })],
                ['a wrong password of admin', () => ({ username: 'admin', password: 'wrong', asUserId: 'test/bob' })],
                ['something that is no id', () => ({ ...ADMIN, asUserId: 7 })]
            ];

            for (const [title, authentication] of refusals) {
                it(`is rejected for ${title} with 401`, async () => {

                    expect((await whoIs(test, authentication())).status).to.equal(UNAUTHENTICATED);
                });
            }
        });

        it('rejects a taken username, also for 20 concurrent requests', async () => {

            const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => test.asAdmin(Op.create, {
                input: { type: ACCOUNT, attributes: { content: account(i % 2 === 0 ? 'Twin' : 'twin') } }
            })));

            expect(answers.filter(({ status }) => status === OK)).to.have.length(1);
            const messages = answers.filter(({ status }) => status !== OK).map(({ value }) => (value as { message: string }).message);
            expect(messages.every((message) => /^Username [Tt]win is not unique\.$/.test(message))).to.be.true();
        });

        it('never responds with 500 to any input', async () => {

            await setDesign({ disableAuthenticationBackOff: true });
            const values = [null, true, 0, -1, 1e308, '', ' ', '.', '..', 'a.b', 'a.b.c', '\u0000', '\ud800', 'x'.repeat(70_000), [], {}, [[]], { a: 1 }];
            const members = ['token', 'username', 'password', 'sessionId', 'csrfToken', 'asUserId', '__proto__', 'constructor'];
            const statuses = new Set<string>();
            for (const [i, value] of values.entries()) {
                for (const member of members) {
                    const authentication = JSON.parse(JSON.stringify({ [member]: value, ...i % 2 === 0 ? {} : { password: 'x' } })) as JsonObject;
                    const { status } = await whoIs(test, authentication, i % 3 === 0 ? { clientId: 'x' } : {});
                    const token = await test.perform(Op.authToken, { input: { grant_type: 'password', ...authentication } });
                    statuses.add(status).add(token.status);
                }
            }

            statuses.delete(OK);
            expect([...statuses].toSorted()).to.equal(['0.DOIP/Status.101', UNAUTHENTICATED]);
        });
    });
});
