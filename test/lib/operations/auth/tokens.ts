/** Access tokens by their three operations, on every database. */

import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject, JsonValue } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM, tokenOf, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD_REQUEST = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';

forEachDatabase((name, create) => {

    describe(`access tokens on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let ann: string;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            ann = (await test.create(ACCOUNT, account('ann'))).id;
            await test.create(TEAM, { members: [ann] }, { id: 'test/team' });
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const grants: readonly (readonly [title: string, input: () => JsonValue])[] = [
            ['for a username', () => ({ grant_type: 'password', ...basic('ann') })],
            ['for a username in another case', () => ({ grant_type: 'password', ...basic('ann'), username: 'ANN' })],
            ['for an object id', () => ({ grant_type: 'password', ...basic('ann'), username: ann })],
            ['without a grant type', () => basic('ann')]
        ];

        for (const [title, input] of grants) {
            it(`are issued ${title}, with id and username`, async () => {

                const { status, value } = await test.perform('Auth.Token', { input: input() });

                expect(status).to.equal(OK);
                expect(Object.keys(value as object)).to.equal(['access_token', 'token_type', 'active', 'userId', 'username']);
                expect(value).to.include({ token_type: 'Bearer', active: true, userId: ann, username: 'ann' });
                expect((value as JsonObject).access_token).to.match(/^[\w-]{32}$/);
            });
        }

        it('include types and groups on request', async () => {

            const { value } = await test.perform(Op.authToken, { input: basic('ann'), attributes: { full: true } });

            expect(value).to.include({ groupIds: ['test/team'] });
            expect((value as { typesPermittedToCreate: string[] }).typesPermittedToCreate).to.include('Document').and.to.not.include('User');
        });

        it('identify their user until they are revoked', async () => {

            const token = await tokenOf(test, basic('ann'));

            expect((await whoIs(test, { token })).value).to.include({ active: true, userId: ann, username: 'ann', groupIds: ['test/team'] });
            expect((await test.perform(Op.authIntrospect, { input: { token } })).value).to.equal({ active: true, userId: ann, username: 'ann' });
            expect((await test.perform(Op.authRevoke, { input: { token } })).value).to.equal({ active: false });
            expect((await test.perform(Op.authIntrospect, { input: { token } })).value).to.equal({ active: false });
            expect((await test.perform(Op.authRevoke, { input: { token } })).value).to.equal({ active: false });
            const refused = await whoIs(test, { token });
            expect(refused.status).to.equal(UNAUTHENTICATED);
            expect(refused.attributes['error']).to.equal('invalid_token');
        });

        it('are issued to admin, too', async () => {

            const token = await tokenOf(test, ADMIN);

            expect((await whoIs(test, { token })).value).to.include({ active: true, userId: 'admin', username: 'admin', groupIds: [] });
        });

        it('that are unknown list the types that anonymous callers may create', async () => {

            const { value } = await test.perform(Op.authIntrospect, { input: { token: 'unknown' }, attributes: { full: true } });

            expect(value).to.equal({ active: false, typesPermittedToCreate: [], groupIds: [] });
        });

        it('are inactive when they are too long', async () => {

            const token = 'x'.repeat(1_000_000);

            const answers = [await test.perform(Op.authIntrospect, { input: { token } }), await test.perform(Op.authRevoke, { input: { token } })];

            expect<unknown>(answers.map(({ value }) => value)).to.equal([{ active: false }, { active: false }]);
        });

        it('are issued for the input, regardless of other credentials', async () => {

            const { status } = await test.perform(Op.authToken, { input: basic('ann'), authentication: { token: 'expired' } });

            expect(status).to.equal(OK);
        });

        const faults: readonly (readonly [title: string, operation: string, input: JsonValue | undefined, status: string, error: string])[] = [
            ['no input', Op.authToken, undefined, BAD_REQUEST, 'invalid_request'],
            ['an input that is no object', Op.authToken, ['password'], BAD_REQUEST, 'invalid_request'],
            ['nothing to grant', Op.authToken, {}, BAD_REQUEST, 'invalid_request'],
            ['no password', Op.authToken, { grant_type: 'password', username: 'ann' }, BAD_REQUEST, 'invalid_request'],
            ['a username that is no string', Op.authToken, { username: { $ne: '' }, password: 'x' }, BAD_REQUEST, 'invalid_request'],
            ['no assertion', Op.authToken, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }, BAD_REQUEST, 'invalid_request'],
            ['another grant type', Op.authToken, { grant_type: 'client_credentials' }, BAD_REQUEST, 'unsupported_grant_type'],
            ['a grant type that is no string', Op.authToken, { grant_type: 7 }, BAD_REQUEST, 'unsupported_grant_type'],
            ['a wrong password', Op.authToken, { username: 'ann', password: 'wrong' }, UNAUTHENTICATED, 'invalid_grant'],
            ['an unknown user', Op.authToken, { username: 'nobody', password: 'wrong' }, UNAUTHENTICATED, 'invalid_grant'],
            ['an assertion that is none', Op.authToken,
                { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.c' }, UNAUTHENTICATED, 'invalid_grant'],
            ['a username beyond all measure', Op.authToken, { username: 'x'.repeat(16_385), password: 'x' }, BAD_REQUEST, 'invalid_request'],
            ['an assertion beyond all measure', Op.authToken,
                { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.'.repeat(10_000) }, BAD_REQUEST, 'invalid_request'],
            ['no token to introspect', Op.authIntrospect, {}, BAD_REQUEST, 'invalid_request'],
            ['no token to revoke', Op.authRevoke, undefined, BAD_REQUEST, 'invalid_request'],
            ['a token that is no string', Op.authRevoke, { token: 1 }, BAD_REQUEST, 'invalid_request']
        ];

        for (const [title, operation, input, status, error] of faults) {
            it(`give ${title} the error ${error}`, async () => {

                const answer = await test.perform(operation, input === undefined ? {} : { input });

                const body = answer.value as JsonObject;
                expect<unknown>([answer.status, body.error]).to.equal([status, error]);
                expect<unknown>(body.error_description).to.equal(body.message);
            });
        }

        it('give the same error for an unknown user and a wrong password', async () => {

            const answers = [];
            for (const input of [{ username: 'ann', password: 'no' }, { username: 'nobody', password: 'no' }, { username: 'test/x', password: 'no' }]) {
                answers.push(await test.perform(Op.authToken, { input }));
            }

            expect(answers[1]).to.equal(answers[0]);
            expect(answers[2]).to.equal(answers[0]);
        });

        it('are not issued for an access token as the assertion', async () => {

            const assertion = await tokenOf(test, basic('ann'));

            const { status } = await test.perform(Op.authToken, { input: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion } });

            expect(status).to.equal(UNAUTHENTICATED);
        });

        it('survive a restart, including the use that extended them', async () => {

            const token = await tokenOf(test, basic('ann'));

            await test.stop();
            test = await startGateway(place);

            expect((await whoIs(test, { token })).value).to.include({ userId: ann });
        });

        const endings: readonly (readonly [title: string, end: (id: string) => Promise<{ status: string }>])[] = [
            ['deactivation', (id) => test.asAdmin(Op.update, { targetId: id, input: { attributes: { content: { username: id, active: false } } } })],
            ['deletion', (id) => test.asAdmin(Op.delete, { targetId: id })],
            ['a password change by the user', (id) => test.perform(Op.changePassword, {
                authentication: { username: id, password: 'first' }, input: { password: 'second' }
            })],
            ['a password change by admin', (id) => test.asAdmin(Op.update, {
                targetId: id, input: { attributes: { content: { username: id, login: { password: 'second' } } } }
            })],
            ['a change to a type without users', (id) => test.asAdmin(Op.update, {
                targetId: id, input: { type: 'Document', attributes: { content: { name: 'x' } } }
            })]
        ];

        for (const [i, [title, end]] of endings.entries()) {
            it(`end with ${title}`, async () => {

                await test.asAdmin(Op.update, { targetId: 'design', input: { attributes: { content: await designWith(test, { enableTypeChangeViaUpdate: true }) } } });
                const id = `test/ending${i}`;
                await test.create(ACCOUNT, { username: id, login: { password: 'first' } }, { id });
                const token = await tokenOf(test, { username: id, password: 'first' });
                expect((await whoIs(test, { token })).status).to.equal(OK);

                expect((await end(id)).status).to.equal(OK);

                expect((await whoIs(test, { token })).status).to.equal(UNAUTHENTICATED);
                expect((await test.perform(Op.authIntrospect, { input: { token } })).value).to.equal({ active: false });
            });
        }

        it('are rejected at once when they are revoked during use', async () => {

            const token = await tokenOf(test, basic('ann'));
            const uses: Promise<{ status: string }>[] = [];
            let revoked = false;
            const use = async () => {

                const late = revoked;
                const { status } = await whoIs(test, { token });
                return { status, late };
            };

            uses.push(use());
            await uses[0];
            for (let i = 0; i < 20; ++i) {
                uses.push(use());
            }

            const revocation = test.perform(Op.authRevoke, { input: { token } }).then(() => {

                revoked = true;
            });
            for (let i = 0; i < 20; ++i) {
                uses.push(use());
                await new Promise(setImmediate);
            }

            await revocation;
            uses.push(use());
            const answers = await Promise.all(uses) as { status: string; late: boolean }[];
            expect(answers[0]!.status).to.equal(OK);
            expect(answers.filter(({ late }) => late).map(({ status }) => status)).to.not.include(OK);
            expect(answers.every(({ status }) => status === OK || status === UNAUTHENTICATED)).to.be.true();
        });
    });
});

async function designWith(test: TestGateway, members: JsonObject): Promise<JsonObject> {

    const { value } = await test.asAdmin(Op.retrieve, { targetId: 'design' });
    return { ...(value as { attributes: { content: JsonObject } }).attributes.content, ...members };
}
