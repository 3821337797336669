/**
 * What is changed on one node counts on every other from its next request on: tokens, accounts, passwords, groups and lists.
 * On SQLite, which belongs to one process, the other node is the same one.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { ACCOUNT, account, basic, defineAccounts, TEAM, tokenOf, whoIs } from '../../../support/accounts.js';
import type { TestDatabase } from '../../../support/database.js';
import { forEachDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { startGateway } from '../../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';
const BAD = '0.DOIP/Status.101';
const UNAUTHENTICATED = '0.DOIP/Status.102';
const FORBIDDEN = '0.DOIP/Status.103';

forEachDatabase((name, create) => {

    describe(`identity on several nodes on ${name}`, () => {

        let database: TestDatabase;
        let one: TestGateway;
        let other: TestGateway;
        let otherDir: string;
        let number = 0;

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-node-'));
            one = await startGateway(database);
            other = database.dialect === 'mysql' ? await startGateway(database, { dataDir: otherDir }) : one;
            await defineAccounts(one);
        });

        after(async () => {

            await Promise.all([...new Set([one, other])].map((node) => node.stop()));
            await database.dispose();
            await rm(otherDir, { recursive: true });
        });

        /** A new user whom both nodes know: by password and by a token. */
        async function user(): Promise<{ id: string; username: string; token: string }> {

            const username = `user${++number}`;
            const { id } = await one.create(ACCOUNT, account(username));
            const token = await tokenOf(one, basic(username));
            for (const node of [one, other]) {
                expect((await whoIs(node, { token })).status).to.equal(OK);
                expect((await whoIs(node, basic(username))).status).to.equal(OK);
            }

            return { id, username, token };
        }

        const update = (id: string, content: JsonObject): Promise<Answer> =>
            one.asAdmin(Op.update, { targetId: id, input: { attributes: { content: { id, ...content } } } });

        const changes: [title: string, change: (user: { id: string; username: string; token: string }) => Promise<Answer>, password: boolean][] = [
            ['revocation of the token', ({ token }) => one.perform(Op.authRevoke, { input: { token } }), true],
            ['deactivation', ({ id, username }) => update(id, { username, login: { password: '' }, active: false }), false],
            ['deletion', ({ id }) => one.asAdmin(Op.delete, { targetId: id }), false],
            ['a new password by the administrator', ({ id, username }) => update(id, { username, login: { password: 'another one' } }), false],
            ['a new password by the user', ({ username }) => one.perform(Op.changePassword,
                { authentication: basic(username), input: { password: 'another one' } }), false]
        ];
        for (const [title, change, keepsPassword] of changes) {
            it(`all end what ${title} ends`, async () => {

                const changed = await user();
                const { status, value } = await change(changed);

                expect(status, JSON.stringify(value)).to.equal(OK);
                expect((await whoIs(other, { token: changed.token })).status).to.equal(UNAUTHENTICATED);
                expect((await whoIs(other, basic(changed.username))).status).to.equal(keepsPassword ? OK : UNAUTHENTICATED);
            });
        }

        it('all reject a token at once when one of them revokes it', async () => {

            const { token } = await user();
            let isRevoked = false;
            let usedAfter = 0;
            const uses = Array.from({ length: 8 }, async () => {

                for (let i = 0; i < 20; ++i) {
                    const began = isRevoked;
                    const { status } = await whoIs(other, { token });
                    usedAfter += began && status === OK ? 1 : 0;
                }
            });
            const { status } = await one.perform(Op.authRevoke, { input: { token } });
            isRevoked = true;
            await Promise.all(uses);

            expect([status, usedAfter]).to.equal([OK, 0]);
            expect((await whoIs(other, { token })).status).to.equal(UNAUTHENTICATED);
        });

        it('give a username to one of many concurrent users', async () => {

            const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).asAdmin(Op.create, {
                input: { type: ACCOUNT, attributes: { content: account(i % 3 === 0 ? 'Wanted' : 'wanted') } }
            })));

            const statuses = answers.map(({ status }) => status).toSorted();
            expect(statuses).to.equal([OK, ...Array<string>(19).fill(BAD)]);
            expect(answers.filter(({ status }) => status === BAD).map(({ value }) => (value as { message: string }).message.toLowerCase()))
                .to.equal(Array<string>(19).fill('username wanted is not unique.'));
        });

        it('follow changes of access control lists and groups', async () => {

            const { id, token } = await user();
            const { id: target } = await one.create('Document', { name: 'x' });
            const { id: team } = await one.create(TEAM, { members: [] });
            const read = async (): Promise<string> => (await other.perform(Op.retrieve, { targetId: target, authentication: { token } })).status;
            const steps: [change: () => Promise<Answer>, expected: string][] = [
                [() => one.asAdmin(Op.aclsUpdate, { targetId: target, input: { readers: [], writers: [] } }), FORBIDDEN],
                [() => one.asAdmin(Op.aclsUpdate, { targetId: target, input: { readers: [id], writers: [] } }), OK],
                [() => one.asAdmin(Op.aclsUpdate, { targetId: target, input: { readers: [team], writers: [] } }), FORBIDDEN],
                [() => one.asAdmin(Op.update, { targetId: team, input: { attributes: { content: { members: [id] } } } }), OK],
                [() => one.asAdmin(Op.delete, { targetId: team }), FORBIDDEN]
            ];

            for (const [change, expected] of steps) {
                expect((await change()).status).to.equal(OK);
                expect(await read()).to.equal(expected);
            }
        });

        it('follow the rules of types and of the design', async () => {

            const { token } = await user();
            const { id: schemaId } = await one.create('Schema', { name: 'Ruled', schema: { type: 'object' }, authConfig: { defaultAclRead: ['public'] } });
            const { id: target } = await one.create('Ruled', {});
            const read = async (): Promise<string> => (await other.perform(Op.retrieve, { targetId: target, authentication: { token } })).status;
            const types = async (): Promise<boolean> =>
                ((await whoIs(other, { token })).value as { typesPermittedToCreate: string[] }).typesPermittedToCreate.includes('Ruled');
            const rule = (authConfig: JsonObject): Promise<Answer> => one.asAdmin(Op.update, {
                targetId: schemaId, input: { attributes: { content: { id: schemaId, name: 'Ruled', schema: { type: 'object' }, authConfig } } }
            });

            const before = [await read(), await types()];
            expect((await rule({ defaultAclRead: [], aclCreate: ['authenticated'] })).status).to.equal(OK);

            expect([before, [await read(), await types()]]).to.equal([[OK, false], [FORBIDDEN, true]]);
        });
    });
});
