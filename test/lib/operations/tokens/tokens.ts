/** The tokens of a user: listed without their values and revoked by their ids, on every database. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, tokenOf, whoIs } from '../../../support/accounts.js';
import type { TestDatabase } from '../../../support/database.js';
import { forEachDatabase } from '../../../support/database.js';
import type { ShortRequest, TestGateway } from '../../../support/gateway.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { changeDesign } from '../../../support/type-code.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';
const NOT_FOUND = '0.DOIP/Status.104';

interface Listed {
    readonly id: string;
    readonly kind: string;
    readonly createdOn: number;
    readonly lastUsedOn: number;
    readonly expiresOn: number;
    readonly current: boolean;
}

forEachDatabase((name, create) => {

    describe(`tokens of users on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;

        beforeEach(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            await test.create(ACCOUNT, account('ann'), { id: 'test/ann' });
            await test.create(ACCOUNT, account('bob'), { id: 'test/bob' });
        });

        afterEach(async () => {

            await test.stop();
            await place.dispose();
        });

        const list = async (request: ShortRequest): Promise<Listed[]> => {

            const { status, value } = await test.perform(Op.tokensList, request);
            expect(status, JSON.stringify(value)).to.equal(OK);
            return (value as { tokens: Listed[] }).tokens;
        };

        const revoke = async (authentication: JsonObject, attributes: JsonObject): Promise<string> =>
            (await test.perform(Op.tokensRevoke, { authentication, attributes })).status;

        it('are listed with their times, and which one is that of the request, but not with their values', async () => {

            const before = Date.now();
            const [token, other] = [await tokenOf(test, basic('ann')), await tokenOf(test, basic('ann'))];
            await tokenOf(test, basic('bob'));
            const tokens = await list({ authentication: { token } });
            const byPassword = await list({ authentication: basic('ann') });

            expect(tokens).to.have.length(2);
            expect(tokens.filter(({ current }) => current)).to.have.length(1);
            expect(byPassword.some(({ current }) => current)).to.be.false();
            for (const { id, kind, createdOn, lastUsedOn, expiresOn } of tokens) {
                expect(id).to.match(/^[\w-]{22}$/);
                expect(kind).to.equal('token');
                expect([createdOn >= before, lastUsedOn >= createdOn, expiresOn > Date.now()]).to.equal([true, true, true]);
            }

            const text = JSON.stringify(tokens);
            expect([text.includes(token), text.includes(other)]).to.equal([false, false]);
        });

        it('cannot be used by their ids', async () => {

            const token = await tokenOf(test, basic('ann'));
            const [{ id = '' } = {}] = await list({ authentication: { token } });

            expect((await whoIs(test, { token: id })).status).to.equal(UNAUTHENTICATED);
            expect((await test.perform(Op.authIntrospect, { input: { token: id } })).value).to.equal({ active: false });
            await test.perform(Op.authRevoke, { input: { token: id } });
            expect((await whoIs(test, { token })).status).to.equal(OK);
        });

        it('are revoked one by one', async () => {

            const [token, other] = [await tokenOf(test, basic('ann')), await tokenOf(test, basic('ann'))];
            const found = (await list({ authentication: { token } })).find(({ current }) => !current);

            expect(await revoke({ token }, { tokenId: found?.id ?? '' })).to.equal(OK);
            expect((await whoIs(test, { token: other })).status).to.equal(UNAUTHENTICATED);
            expect((await whoIs(test, { token })).status).to.equal(OK);
            expect(await revoke({ token }, { tokenId: found?.id ?? '' })).to.equal(NOT_FOUND);
        });

        it('are revoked all at once, those of others excepted', async () => {

            const [token, other, ofBob] = [await tokenOf(test, basic('ann')), await tokenOf(test, basic('ann')), await tokenOf(test, basic('bob'))];

            expect(await revoke({ token }, { all: true })).to.equal(OK);
            for (const [each, status] of [[token, UNAUTHENTICATED], [other, UNAUTHENTICATED], [ofBob, OK]] as const) {
                expect((await whoIs(test, { token: each })).status).to.equal(status);
            }

            expect(await list({ authentication: basic('ann') })).to.equal([]);
        });

        it('include legacy sessions', async () => {

            await changeDesign(test, { useLegacySessionsApi: true });
            const { attributes } = await test.perform(Op.sessionsCreate, { authentication: basic('ann') });
            const authentication = attributes['session'] as JsonObject;
            const [session] = await list({ authentication });

            expect(session).to.include({ kind: 'session', current: true });
            expect(await revoke(basic('ann'), { tokenId: session?.id ?? '' })).to.equal(OK);
            expect((await whoIs(test, authentication)).status).to.equal(UNAUTHENTICATED);
        });

        it('of others are for the administrator only', async () => {

            const token = await tokenOf(test, basic('bob'));
            const [{ id = '' } = {}] = await list({ authentication: ADMIN, attributes: { userId: 'test/bob' } });

            for (const attributes of [{ userId: 'test/bob' }, { userId: 'admin' }, { userId: 'test/nobody' }, { userId: '' }]) {
                expect((await test.perform(Op.tokensList, { authentication: basic('ann'), attributes })).status).to.equal(FORBIDDEN);
                expect(await revoke(basic('ann'), { ...attributes, all: true })).to.equal(FORBIDDEN);
                expect(await revoke(basic('ann'), { ...attributes, tokenId: id })).to.equal(FORBIDDEN);
            }

            expect(await revoke(basic('ann'), { tokenId: id })).to.equal(NOT_FOUND);
            expect((await whoIs(test, { token })).status).to.equal(OK);
            expect(await revoke(ADMIN, { userId: 'test/bob', tokenId: id })).to.equal(OK);
            expect((await whoIs(test, { token })).status).to.equal(UNAUTHENTICATED);
            expect(await list({ authentication: ADMIN, attributes: { userId: 'test/nobody' } })).to.equal([]);
        });

        it('need a login, and one of both: an id or all', async () => {

            expect((await test.perform(Op.tokensList)).status).to.equal(UNAUTHENTICATED);
            expect(await revoke({}, { all: true })).to.equal(UNAUTHENTICATED);
            expect(await revoke(basic('ann'), {})).to.equal(BAD);
            expect(await revoke(basic('ann'), { all: true, tokenId: 'x' })).to.equal(BAD);
            expect(await revoke(basic('ann'), { all: true, dryRun: true })).to.equal(BAD);
        });
    });
});
