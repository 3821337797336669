/**
 * The published JavaScript client logs in, unmodified: by password, by key pair, as another user, and again when its token
 * has ended.
 */

import { generateKeyPairSync } from 'node:crypto';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../lib/util/json-types.js';
import type { ClientSetup } from '../support/cordra-client.js';
import type { RestService } from '../support/rest-service.js';
import { account, ACCOUNT, defineAccounts } from '../support/accounts.js';
import { plain, startWithClient } from '../support/cordra-client.js';
import { forEachDatabase } from '../support/database.js';
import { ADMIN_PASSWORD } from '../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, createDatabase) => {

    describe(`The published JavaScript client logs in on ${name}`, () => {

        const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        let service: RestService;
        let clientOf: ClientSetup['clientOf'];
        let ann: string;

        before(async () => {

            ({ service, clientOf } = await startWithClient(createDatabase));
            await defineAccounts(service);
            ann = (await service.create(ACCOUNT, account('ann', { publicKey: publicKey.export({ format: 'jwk' }) as JsonObject }))).id;
        });

        after(() => service.stop());

        /** Ends the access tokens of a user. */
        async function endTokens(id: string): Promise<void> {

            const content = JSON.parse((await service.asAdmin(`GET /objects/${id}`)).payload) as JsonObject;
            for (const active of [false, true]) {
                await service.asAdmin(`PUT /objects/${id}`, { payload: JSON.stringify({ ...content, active }) });
            }
        }

        it('with a username and a password', async () => {

            const client = clientOf({ username: 'ann', password: 'ann-password' });

            expect(plain(await client.authenticate())).to.include({ active: true, userId: ann, username: 'ann' });
            expect(plain(await client.getAuthenticationStatus(true))).to.include({ active: true, userId: ann, groupIds: [] });
            expect((await client.create({ type: 'Document', content: { name: 'x' } })).metadata?.createdBy).to.equal(ann);
        });

        it('with an object id and a password', async () => {

            const client = clientOf({ userId: ann, password: 'ann-password' });

            expect(plain(await client.authenticate())).to.include({ active: true, userId: ann });
        });

        it('with a key pair', async () => {

            const client = clientOf({ userId: ann, privateKey: privateKey.export({ format: 'jwk' }) });

            expect(plain(await client.authenticate())).to.include({ active: true, userId: ann, username: 'ann' });
            expect((await client.create({ type: 'Document', content: { name: 'x' } })).metadata?.createdBy).to.equal(ann);
        });

        it('again when its token has ended', async () => {

            const client = clientOf({ username: 'ann', password: 'ann-password' });
            await client.authenticate();
            await endTokens(ann);

            expect((await client.create({ type: 'Document', content: { name: 'x' } })).metadata?.createdBy).to.equal(ann);
        });

        it('and out', async () => {

            const client = clientOf({ username: 'ann', password: 'ann-password' });
            await client.authenticate();

            expect(plain(await client.signOut())).to.include({ active: false });
            expect(plain(await client.getAuthenticationStatus())).to.include({ active: true });
        });

        it('not with a wrong password', async () => {

            const client = clientOf({ username: 'ann', password: 'wrong' });

            await expect(client.authenticate()).to.reject();
        });

        it('to change its password', async () => {

            const { id } = await service.create(ACCOUNT, account('changer'));
            const client = clientOf({ username: 'changer', password: 'changer-password' });
            await client.authenticate();

            await client.changePassword('another', { username: 'changer', password: 'changer-password' });

            const again = clientOf({ username: 'changer', password: 'another' });
            expect(plain(await again.authenticate())).to.include({ active: true, userId: id });
            await expect(clientOf({ username: 'changer', password: 'changer-password' }).authenticate()).to.reject();
        });

        it('to change the password of admin', async () => {

            const client = clientOf({ username: 'admin', password: ADMIN_PASSWORD });
            await client.authenticate();

            await client.changeAdminPassword('another one', { username: 'admin', password: ADMIN_PASSWORD });

            const again = clientOf({ username: 'admin', password: 'another one' });
            expect(plain(await again.authenticate())).to.include({ userId: 'admin' });
            await again.changeAdminPassword(ADMIN_PASSWORD, { username: 'admin', password: 'another one' });
        });

        it('as another user', async () => {

            const options = { username: 'admin', password: ADMIN_PASSWORD, asUserId: ann };
            const client = clientOf({});

            expect((await client.create({ type: 'Document', content: { name: 'x' } }, undefined, options)).metadata?.createdBy).to.equal(ann);
            expect(plain(await client.getAuthenticationStatus(false, options))).to.include({ userId: ann });
        });
    });
});
