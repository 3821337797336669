/** What is cached of identity when the database has lost its last commits while the node runs. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { ADMIN_ID } from '../../../lib/model/caller.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { Identity } from '../../../lib/identity/identity.js';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { IdentityKit, INTERNAL } from '../../support/identity.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MANAGER = { userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'password' } as const;

forEachDatabase((name, create) => {

    describe(`a right that is taken away after the database has lost commits, on ${name}`, () => {

        let place: TestDatabase;
        let db: Database;
        let kit: IdentityKit;
        let node: Identity;

        before(async () => {

            place = await create();
            db = await place.open();
            kit = new IdentityKit(db);
            node = kit.node();
            await kit.addUser('test/ann', { username: 'ann' });
        });

        after(() => place.dispose());

        const raise = (): Promise<unknown> => db.commit({ steps: [kit.accounts.bumpStep()] });

        async function back(): Promise<void> {

            await db.commit({ steps: [{ sql: 'update epochs set identity = identity - 3', bindings: [] }] });
        }

        const outcomeOf = (authentication: object): Promise<string> => kit.authenticate(node, { ...authentication }).then(
            ({ userId, groupIds }) => [userId, ...groupIds].join(), (error: unknown) => (error instanceof DoipError ? error.status : String(error)));

        const REFUSED = '0.DOIP/Status.102';

        const rights: [right: string, given: () => Promise<{ credentials: object; take: () => Promise<unknown> }>, left: string][] = [
            ['a token', async () => {

                const { token } = await node.tokens.grant({ username: 'ann', password: 'secret' }, INTERNAL);
                return { credentials: { token }, take: () => node.accessTokens.revokeAllOfUser('test/ann') };
            }, REFUSED],
            ['an API key', async () => {

                const { value, stored } = await node.keys.create({ name: 'own', userId: 'test/ann', operations: null, types: null, readOnly: false, expiresOn: null }, MANAGER);
                return { credentials: { token: value }, take: () => node.keys.revoke(stored.id, MANAGER) };
            }, REFUSED],
            ['a password', async () => ({
                credentials: { username: 'ann', password: 'secret' }, take: () => kit.updateUser('test/ann', { username: 'ann', password: 'other' })
            }), REFUSED],
            ['a membership', async () => {

                await kit.updateUser('test/ann', { username: 'ann', password: 'secret' });
                await kit.setGroup('test/group', ['test/ann']);
                return { credentials: { username: 'ann', password: 'secret' }, take: () => kit.setGroup('test/group', [], false) };
            }, 'test/ann']
        ];
        for (const [right, give, left] of rights) {
            it(`counts no more: ${right}`, async () => {

                const { credentials, take } = await give();
                for (let n = 0; n < 3; ++n) {
                    await raise();
                }

                const used = await outcomeOf(credentials);
                await back();
                await take();

                expect(used).to.match(/^test\/ann/);
                expect(await outcomeOf(credentials)).to.equal(left);
            });
        }
    });
});
