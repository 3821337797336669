/** Groups: who is in which, directly and not, and from when on it counts, on every database. */

import Lab from '@hapi/lab';
import { pino } from 'pino';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { Caller } from '../../../../lib/model/caller.js';
import { SERVICE } from '../../../../lib/model/caller.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { account, ACCOUNT, basic, defineAccounts, TEAM, tokenOf, whoIs } from '../../../support/accounts.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { IdentityKit } from '../../../support/identity.js';
import type { TestGateway } from '../../../support/gateway.js';
import { Principals } from '../../../../lib/identity/accounts/principals.js';
import { groupIdsOf } from '../../../../lib/identity/accounts/user-directory.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';
const FORBIDDEN = '0.DOIP/Status.103';

forEachDatabase((name, create) => {

    describe(`groups on ${name}`, () => {

        let place: TestDatabase;
        let test: TestGateway;
        let ann: string;

        before(async () => {

            place = await create();
            test = await startGateway(place);
            await defineAccounts(test);
            ann = (await test.create(ACCOUNT, account('ann'))).id;
            await test.create(ACCOUNT, account('bob'), { id: 'test/bob' });
        });

        after(async () => {

            await test.stop();
            await place.dispose();
        });

        const groupsOf = async (authentication: JsonObject): Promise<unknown> => {

            const { value } = await whoIs(test, authentication);
            return (value as { groupIds: unknown }).groupIds;
        };

        it('are all found, including nested and cyclic ones, and every change takes effect at once', async () => {

            const token = await tokenOf(test, basic('bob'));
            expect(await groupsOf({ token })).to.equal([]);

            await test.create(TEAM, { members: ['test/bob', 'test/outer'] }, { id: 'test/inner' });
            expect(await groupsOf({ token })).to.equal(['test/inner']);

            await test.create(TEAM, { members: ['test/inner', 'test/nobody'] }, { id: 'test/outer' });
            expect(await groupsOf({ token })).to.equal(['test/inner', 'test/outer']);

            await test.asAdmin(Op.update, { targetId: 'test/inner', input: { attributes: { content: { members: ['test/outer'] } } } });
            expect(await groupsOf({ token })).to.equal([]);

            await test.asAdmin(Op.update, { targetId: 'test/inner', input: { attributes: { content: { members: ['test/bob'] } } } });
            await test.asAdmin(Op.delete, { targetId: 'test/outer' });
            expect(await groupsOf(basic('bob'))).to.equal(['test/inner']);
            expect(await groupsOf(ADMIN)).to.equal([]);
        });

        it('made by others are kept, however many groups one user makes', async () => {

            const kit = new IdentityKit(await place.open());
            const mallory: Caller = { ...SERVICE, userId: 'test/mallory', username: 'mallory', isAdmin: false };
            const flood = Array.from({ length: 10_050 }, (_, n) => `test/a${String(n).padStart(5, '0')}`);
            await kit.setGroup('test/work', ['test/victim']);
            await kit.setGroup('test/staff', ['test/work']);
            await kit.change({ id: 'test/zoo', isNew: true, roles: { members: ['test/victim'], secure: [] }, caller: { ...mallory, userId: 'test/zoe' } });
            for (let i = 0; i < flood.length; i += 150) {
                await kit.db.commit({ steps: flood.slice(i, i + 150).flatMap((id) => [
                    ...kit.groups.addSteps(id, ['test/victim']), ...kit.principalStore.holdSteps(id, 'test/mallory', null)
                ]) });
            }

            const found = await groupIdsOf(kit.groups, ['test/victim']);

            expect(found.filter((id) => !id.startsWith('test/a'))).to.equal(['test/staff', 'test/work', 'test/zoo']);
            expect(found.length).to.equal(10_003);
        });

        it('do not count with the ids of a login provider that is configured later, unless the administrator made them', async () => {

            const kit = new IdentityKit(await place.open());
            const mallory: Caller = { ...SERVICE, userId: 'test/mallory', username: 'mallory', isAdmin: false };
            for (const [id, caller] of [['museum/one', mallory], ['museum/two', SERVICE], ['museums/three', mallory]] as const) {
                await kit.change({ id, isNew: true, roles: { members: ['test/person'], secure: [] }, caller });
            }

            expect(await groupIdsOf(kit.groups, ['test/person'])).to.equal(['museum/one', 'museum/two', 'museums/three']);
            const parts = { db: kit.db, accounts: kit.accounts, principals: kit.principalStore, policy: { isNamedInRules: () => false }, log: pino({ level: 'silent' }) };
            await new Principals(parts, ['museum/', 'library/']).reserve();
            const epoch = await kit.epoch();

            expect(await groupIdsOf(kit.groups, ['test/person'])).to.equal(['museum/two', 'museums/three']);
            // The next start changes nothing
            await new Principals(parts, ['museum/', 'library/']).reserve();
            expect(await kit.epoch()).to.equal(epoch);
        });

        it('give access to objects from the next request on', async () => {

            const authentication = { token: await tokenOf(test, basic('ann')) };
            const { id } = await test.create('Document', { name: 'x' }, { attributes: { acl: { readers: ['test/readers'], writers: [] } } });
            const read = async () => (await test.perform(Op.retrieve, { targetId: id, authentication })).status;
            expect(await read()).to.equal(FORBIDDEN);

            await test.create(TEAM, { members: [ann] }, { id: 'test/readers' });
            expect(await read()).to.equal(OK);

            await test.asAdmin(Op.delete, { targetId: 'test/readers' });
            expect(await read()).to.equal(FORBIDDEN);
        });
    });
});
