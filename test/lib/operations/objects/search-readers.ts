/** Every caller finds just what the caller may read, whichever lists an object has and whatever the defaults are. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import type { TestGateway } from '../../../support/gateway.js';
import { found } from '../../../support/searching.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';

forEachDatabase((name, create) => {

    describe(`rights in searches on ${name}`, () => {

        const USERS = ['ann', 'bob', 'eve'];
        const callers: Map<string, JsonObject> = new Map([
            ['nobody', {}], ['admin', ADMIN], ...USERS.map((user): [string, JsonObject] => [user, { username: user, password: `password of ${user}` }])
        ]);
        let database: TestDatabase;
        let gateway: TestGateway;
        let ids: string[];

        before(async () => {

            database = await create();
            gateway = await startGateway(database);
            for (const user of USERS) {
                await gateway.create('User', { username: user, password: `password of ${user}` }, { id: `test/${user}` });
            }

            await gateway.create('Group', { groupName: 'g', description: 'd', users: ['test/ann', 'test/bob'] }, { id: 'test/g' });
            const lists: (string[] | undefined)[] = [
                undefined, [], ['public'], ['authenticated'], ['creator'], ['self'], ['test/ann'], ['test/g'], ['TEST/ANN'], ['writers']
            ];
            ids = [];
            for (const readers of lists) {
                for (const writers of lists) {
                    const acl = { ...readers ? { readers } : {}, ...writers ? { writers } : {} };
                    const { id } = await gateway.create('Document', { secret: `word${ids.length}`, all: 'common' }, { attributes: { acl } });
                    ids.push(id);
                }
            }
        });

        after(async () => {

            await gateway.stop();
            await database.dispose();
        });

        async function compare(): Promise<void> {

            for (const [caller, authentication] of callers) {
                const readable: string[] = [];
                for (const id of ids) {
                    const { status } = await gateway.perform('0.DOIP/Op.Retrieve', { targetId: id, authentication });
                    if (status === OK) {
                        readable.push(id);
                    }
                }

                const { size, results, facets } = await found(gateway, {
                    query: '/all:common', type: 'id', sortFields: 'id', facets: [{ field: '/secret', maxBuckets: 1000 }]
                }, authentication);
                expect<unknown>(results.toSorted(), caller).to.equal(readable.toSorted());
                expect(size, caller).to.equal(readable.length);
                expect(facets?.[0]?.buckets.reduce((sum, { count }) => sum + count, 0), caller).to.equal(readable.length);
            }
        }

        it('omit exactly the objects that the caller may not read, for every caller', async () => {

            await compare();
        });

        it('follow the defaults of the service at once', async () => {

            const { value } = await gateway.asAdmin('0.DOIP/Op.Retrieve', { targetId: 'design' });
            const { content } = (value as { attributes: { content: JsonObject } }).attributes;
            for (const defaultAclRead of [['test/bob'], ['creator'], []]) {
                const authConfig = { defaultAcls: { defaultAclRead, defaultAclWrite: [] } };
                const { status } = await gateway.asAdmin('0.DOIP/Op.Update', {
                    targetId: 'design', input: { attributes: { content: { ...content, authConfig } } }
                });
                expect(status).to.equal(OK);
                await compare();
            }
        });
    });
});
