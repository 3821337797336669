/** Passwords of users and of the administrator: changing them, having to, and what is kept of them, on every database. */

import { generateKeyPairSync, pbkdf2Sync } from 'node:crypto';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, tokenOf, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, ADMIN_PASSWORD, startGateway } from '../../../support/gateway.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { IdentityKit } from '../../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Type of users whom everybody may change. */
const OPEN = 'OpenAccount';

const OK = '0.DOIP/Status.001';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';

forEachDatabase((name, create) => {

    describe(`a password change on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let kit: IdentityKit;
        let ann: string;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            kit = new IdentityKit(await place.open());
            await defineAccounts(test);
            await test.create('Schema', {
                name: OPEN,
                schema: { properties: {
                    username: { type: 'string', cordra: { auth: 'username' } },
                    login: { properties: { password: { type: 'string', cordra: { auth: 'password' } } } }
                } },
                authConfig: { defaultAclRead: ['public'], defaultAclWrite: ['self', 'authenticated'], aclCreate: ['authenticated'] }
            });
            ann = (await test.create(ACCOUNT, account('ann'))).id;
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        it('invalidates the old password at once', async () => {

            const { id } = await test.create(ACCOUNT, account('changer'));
            const [before, afterwards] = [basic('changer'), { username: 'changer', password: 'new' }];
            expect((await whoIs(test, before)).status).to.equal(OK);

            const { value } = await test.perform(Op.changePassword, { authentication: before, input: { password: 'new' } });

            expect(value).to.equal({ success: true });
            expect((await whoIs(test, before)).status).to.equal(UNAUTHENTICATED);
            expect((await whoIs(test, afterwards)).value).to.include({ userId: id });
        });

        it('is possible for a user who must change the password, before anything else', async () => {

            const { id } = await test.create(ACCOUNT, account('first', { mustChange: true }));
            const blocked = await whoIs(test, basic('first'));
            expect(blocked.status).to.equal(UNAUTHENTICATED);
            expect(blocked.value).to.equal({ message: 'Password change required.', passwordChangeRequired: true });
            expect((await test.perform(Op.retrieve, { targetId: id, authentication: basic('first') })).status).to.equal(UNAUTHENTICATED);
            expect((await test.perform(Op.getDesign, { authentication: basic('first') })).status).to.equal(OK);
            const noToken = await test.perform(Op.authToken, { input: basic('first') });
            expect(noToken.value).to.include({ error: 'invalid_grant', passwordChangeRequired: true });

            await test.perform(Op.changePassword, { authentication: basic('first'), input: 'chosen' });

            const authentication = { username: 'first', password: 'chosen' };
            expect((await whoIs(test, authentication)).status).to.equal(OK);
            const { value } = await test.perform(Op.retrieve, { targetId: id, authentication });
            expect<unknown>((value as { attributes: { content: JsonObject } }).attributes.content).to.include({ mustChange: false });
        });

        const changes: readonly (readonly [title: string, authentication: () => Promise<JsonObject>, input: JsonObject, status: string, text: RegExp])[] = [
            ['anonymous callers', async () => ({}), { password: 'x' }, UNAUTHENTICATED, /authentication is required/],
            ['access tokens', async () => ({ token: await tokenOf(test, basic('ann')) }), { password: 'x' }, FORBIDDEN, /not an access token/],
            ['an administrator acting as the user', async () => ({ ...ADMIN, asUserId: ann }), { password: 'x' }, FORBIDDEN, /needs the password/],
            ['a token of admin', async () => ({ token: await tokenOf(test, ADMIN) }), { password: 'x' }, FORBIDDEN, /not an access token/],
            ['the password in use', async () => basic('ann'), { password: 'ann-password' }, '0.DOIP/Status.101',
                /^New password can not be the same as previous password\.$/],
            ['an empty password', async () => basic('ann'), { password: '' }, '0.DOIP/Status.101', /minimum length of 1/],
            ['no password', async () => basic('ann'), {}, '0.DOIP/Status.101', /^Password missing\.$/],
            ['what the type does not allow', async () => basic('ann'), { password: 'x'.repeat(101) }, '0.DOIP/Status.101', /login\/password/]
        ];

        for (const [title, authentication, input, status, text] of changes) {
            it(`rejects ${title}`, async () => {

                const answer = await test.perform(Op.changePassword, { authentication: await authentication(), input });

                expect(answer.status).to.equal(status);
                expect((answer.value as { message: string }).message).to.match(text);
                expect((await whoIs(test, basic('ann'))).status).to.equal(OK);
            });
        }

        it('accepts admin\'s current password, and leaves everything unchanged', async () => {

            const token = await tokenOf(test, ADMIN);

            for (const operation of [Op.changeAdminPassword, Op.changePassword]) {
                expect((await test.asAdmin(operation, { input: { password: ADMIN_PASSWORD } })).value).to.equal({ success: true });
            }

            expect((await whoIs(test, { token })).status).to.equal(OK);
        });

        describe('by an update of the user object', () => {

            const session = async (credentials: JsonObject): Promise<JsonObject> => {

                const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
                const { content } = (value as { attributes: { content: JsonObject } }).attributes;
                await test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content: { ...content, useLegacySessionsApi: true } } } });
                const { attributes } = await test.perform(Op.sessionsCreate, { authentication: credentials });
                return attributes['session'] as JsonObject;
            };

            const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }) as JsonObject;
            const wholly = (targetId: string, content: JsonObject): [string, ShortRequest] => [Op.update, { targetId, input: { attributes: { content } } }];
            const paths: readonly (readonly [title: string, request: (id: string, username: string) => [string, ShortRequest]])[] = [
                ['a password as a whole', (id, username) => wholly(id, { username, login: { password: 'taken over' } })],
                ['a password by a pointer', (targetId) => [Op.update, { targetId, attributes: { jsonPointer: '/login/password' }, input: { attributes: { contentAtPointer: 'taken over' } } }]],
                ['a password in a dry run', (targetId) =>
                    [Op.update, { targetId, attributes: { dryRun: true, jsonPointer: '/login/password' }, input: { attributes: { contentAtPointer: 'taken over' } } }]],
                ['a password in a batch', (id, username) =>
                    [Op.batchUpload, { input: [{ id, type: ACCOUNT, attributes: { content: { username, login: { password: 'taken over' } } } }] }]],
                ['a first key', (id, username) => wholly(id, { username, login: { password: '' }, publicKey: key })]
            ];
            const ways: readonly (readonly [title: string, credentials: (user: JsonObject, id: string) => Promise<JsonObject>])[] = [
                ['an access token', async (user) => ({ token: await tokenOf(test, user) })],
                ['a session', (user) => session(user)],
                ['an administrator who acts as the user', async (_user, asUserId) => ({ ...ADMIN, asUserId })]
            ];
            let users = 0;
            for (const [what, request] of paths) {
                for (const [how, credentials] of ways) {
                    it(`is rejected for ${what} with ${how}`, async () => {

                        const username = `owner${++users}`;
                        const { id } = await test.create(ACCOUNT, account(username));
                        const [operation, wanted] = request(id, username);
                        const authentication = await credentials(basic(username), id);
                        const { status, value } = await test.perform(operation, { ...wanted, authentication });

                        const refused = operation === Op.batchUpload ? JSON.stringify(value).includes('"responseCode":403') : status === FORBIDDEN;
                        expect(refused, JSON.stringify(value)).to.be.true();
                        expect((await whoIs(test, authentication)).value).to.include({ userId: id });
                        expect((await whoIs(test, basic(username))).status).to.equal(OK);
                    });
                }
            }

            const writers = { writers: ['self', 'test/friend'] };
            const openings: readonly (readonly [title: string, request: (id: string, content: JsonObject) => [string, ShortRequest]])[] = [
                ['by its access control list', (targetId) => [Op.aclsUpdate, { targetId, input: writers }]],
                ['by an update', (targetId, content) => [Op.update, { targetId, input: { attributes: { content, acl: writers } } }]],
                ['by rights to its methods', (targetId) => [Op.aclsUpdate, { targetId, input: { methods: { reset: ['test/friend'] } } }]],
                ['in a batch', (id, content) => [Op.batchUpload, { input: [{ id, type: ACCOUNT, attributes: { content, acl: writers } }] }]],
                ['by another type', (targetId, content) => [Op.update, { targetId, allowTypeChange: true, input: { type: OPEN, attributes: { content } } }]]
            ];
            for (const [how, request] of openings) {
                it(`by other users is rejected with a token or a session, ${how}`, async () => {

                    const username = `open${++users}`;
                    const { id } = await test.create(ACCOUNT, account(username));
                    const [operation, wanted] = request(id, { username, login: { password: '' } });
                    const codeWith = async (authentication: JsonObject): Promise<boolean> => {

                        const { status, value } = await test.perform(operation, { ...wanted, authentication });
                        return operation === Op.batchUpload ? JSON.stringify(value).includes('"responseCode":200') : status === OK;
                    };

                    expect(await codeWith({ token: await tokenOf(test, basic(username)) })).to.be.false();
                    expect(await codeWith(await session(basic(username)))).to.be.false();
                    expect((await test.asAdmin(Op.aclsGet, { targetId: id })).value).to.equal({});
                    expect(await codeWith(basic(username))).to.be.true();
                    expect(await codeWith({ token: await tokenOf(test, basic(username)) }), 'the same writers again').to.be.true();
                });
            }

            it('leaves the user object readable for others with a token', async () => {

                const { id } = await test.create(ACCOUNT, account('readable'));
                const authentication = { token: await tokenOf(test, basic('readable')) };

                expect((await test.perform(Op.aclsUpdate, { targetId: id, authentication, input: { readers: ['public'] } })).status).to.equal(OK);
            });

            it('rejects a first key of an object without any, for an external user', async () => {

                const { id } = await test.create(ACCOUNT, {});
                const hook = async ({ token }: JsonObject): Promise<JsonObject | null> => (
                    token === 'elsewhere' ? { active: true, userId: id, grantAuthenticatedAccess: true } : null
                );
                test.gateway.services.identity.useAuthenticateHook(() => hook);

                const { status } = await test.perform(Op.update, {
                    targetId: id, authentication: { token: 'elsewhere' }, input: { attributes: { content: { publicKey: key } } }
                });
                test.gateway.services.identity.useAuthenticateHook(() => null);

                expect(status).to.equal(FORBIDDEN);
            });

            it('is accepted with the password itself, and from administrators by a token', async () => {

                const { id } = await test.create(ACCOUNT, account('rightful'));
                const token = await tokenOf(test, basic('rightful'));
                const change = (authentication: JsonObject, content: JsonObject) =>
                    test.perform(Op.update, { targetId: id, authentication, input: { attributes: { content: { username: 'rightful', ...content } } } });
                const statuses = [
                    await change({ token }, { login: { password: '' }, pin: '1234' }),
                    await change(basic('rightful'), { login: { password: 'chosen' }, publicKey: key }),
                    await change({ username: 'rightful', password: 'chosen' }, { login: { password: '' }, publicKey: key }),
                    await change({ token: await tokenOf(test, ADMIN) }, { login: { password: 'given' } })
                ].map(({ status }) => status);

                expect(statuses).to.equal([OK, OK, OK, OK]);
                expect((await whoIs(test, { username: 'rightful', password: 'given' })).value).to.include({ userId: id });
            });
        });

        it('rejects a password of admin that is too short for a user', async () => {

            for (const password of ['', 'x', 'seven77']) {
                const { status, value } = await test.asAdmin(Op.changeAdminPassword, { input: { password } });

                expect([status, (value as { message: string }).message.slice(0, 8)]).to.equal(['0.DOIP/Status.101', 'Password']);
            }
        });

        it('of admin works by either operation, and ends the tokens of admin', async () => {

            const token = await tokenOf(test, ADMIN);

            expect((await test.asAdmin(Op.changeAdminPassword, { input: { password: 'another one' } })).value).to.equal({ success: true });
            expect((await whoIs(test, { token })).status).to.equal(UNAUTHENTICATED);
            expect((await whoIs(test, ADMIN)).status).to.equal(UNAUTHENTICATED);
            const back = { authentication: { username: 'admin', password: 'another one' }, input: { password: ADMIN_PASSWORD } };
            expect((await test.perform(Op.changePassword, back)).status).to.equal(OK);
            expect((await whoIs(test, ADMIN)).status).to.equal(OK);
        });

        it('of admin is for admin only', async () => {

            expect((await test.perform(Op.changeAdminPassword, { authentication: basic('ann'), input: { password: 'x' } })).status).to.equal(FORBIDDEN);
            expect((await test.perform(Op.changeAdminPassword, { input: { password: 'x' } })).status).to.equal(UNAUTHENTICATED);
            expect((await test.asAdmin(Op.changeAdminPassword, { input: {} })).value).to.equal({ message: 'Password missing.' });
        });

        it('never shows a password or a secret', async () => {

            const { id } = await test.create(ACCOUNT, account('secretive', { pin: 'pin-1234' }));

            const { value } = await test.asAdmin(Op.retrieve, { targetId: id });

            expect(value).to.part.include({ attributes: { content: { id, username: 'secretive', login: { password: '' }, pin: '' } } });
            expect(JSON.stringify(value)).to.not.contain('pin-1234').and.to.not.contain('scrypt');
        });

        it('is not needed after an import: hashes are verified, and renewed at the next login', async () => {

            const { id } = await test.create(ACCOUNT, account('imported'));
            const salt = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
            const hash = pbkdf2Sync('from-before', Buffer.from(salt, 'hex'), 2048, 32, 'sha1').toString('hex');
            const record = JSON.stringify({ algorithm: 'PBKDF2WithHmacSHA1', iterations: 2048, salt, hash });
            await kit.db.commit({ steps: [...kit.credentials.putSteps(id, record), kit.accounts.bumpStep()] });

            expect((await whoIs(test, { username: 'imported', password: 'wrong' })).status).to.equal(UNAUTHENTICATED);
            expect(await kit.credentials.get(id)).to.equal(record);
            expect((await whoIs(test, { username: 'imported', password: 'from-before' })).status).to.equal(OK);

            expect(JSON.parse((await kit.credentials.get(id))!)).to.include({ algorithm: 'scrypt' });
            await kit.db.commit({ steps: [kit.accounts.bumpStep()] });
            expect((await whoIs(test, { username: 'imported', password: 'from-before' })).status).to.equal(OK);
        });
    });
});
