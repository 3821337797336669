/** Names of types: one type each, also in a repository of an earlier version that has lost the row of a name. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const OK = '0.DOIP/Status.001';

forEachDatabase((name, create) => {

    describe(`the name of a type on ${name}`, () => {

        let place: TestDatabase;
        let gateway: TestGateway;

        before(async () => {

            place = await create();
            gateway = await startGateway(place);
        });

        after(async () => {

            await gateway.stop();
            await place.dispose();
        });

        const add = async (ofType: string): Promise<string> => (await gateway.create('Schema', { identifier: '', name: ofType, schema: {} })).id;

        const change = async (targetId: string, ofType: string): Promise<string> => (
            (await gateway.asAdmin('0.DOIP/Op.Update', { targetId, input: { attributes: { content: { identifier: '', name: ofType, schema: { title: 'changed' } } } } })).status
        );

        it('is claimed by the next change of the type if its row is not there', async () => {

            const [lost, other] = [await add('Lost'), await add('Other')];
            const db = await place.open();
            await db.commit({ steps: [{ sql: 'delete from type_names where name = ?', bindings: ['Lost'] }] });

            expect([await change(lost, 'Lost'), await change(lost, 'Lost'), await change(other, 'Other')]).to.equal([OK, OK, OK]);

            await expect(add('Lost')).to.reject(/Schema name Lost is not unique/);
            expect(await change(other, 'Lost')).to.equal('0.DOIP/Status.101');
            expect(await change(lost, 'Found')).to.equal(OK);
            expect(await change(other, 'Lost')).to.equal(OK);
        });
    });
});
