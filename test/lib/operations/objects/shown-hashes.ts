import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import type { TestDatabase } from '../../../support/database.js';
import type { TestGateway } from '../../../support/gateway.js';
import { forEachDatabase } from '../../../support/database.js';
import { ADMIN, startGateway } from '../../../support/gateway.js';
import { OPEN_SCHEMA } from '../../../support/type-code.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const CODE = `exports.onObjectResolution = (object, context) => {
    if (context.userId !== 'admin') {
        delete object.content.ssn;
        object.userMetadata = null;
        object.payloads = (object.payloads || []).filter(({ name }) => name !== 'kept back');
    }

    return object;
};`;

forEachDatabase((name, create) => {

    describe(`hashes of objects that code shows in another form, on ${name},`, () => {

        let database: TestDatabase;
        let node: TestGateway;

        before(async () => {

            database = await create();
            node = await startGateway(database);
            await node.create('Schema', { identifier: '', name: 'Person', schema: OPEN_SCHEMA, javascript: CODE, hashObject: true });
            await node.create('Person', { id: '', ssn: '123-45-6789' }, { id: 'test/secretive' });
            await node.create('Person', { id: '', name: 'x' }, { id: 'test/noted', attributes: { userMetadata: { note: 1 } } });
            await node.create('Person', { id: '', name: 'x' }, { id: 'test/open' });
        });

        after(async () => {

            await node.stop();
            await database.dispose();
        });

        const metadataOf = (object: unknown): unknown => (object as { attributes: { metadata: JsonObject } }).attributes.metadata;

        async function seenBy(authentication: JsonObject, id: string): Promise<readonly unknown[]> {

            const { value } = await node.perform('0.DOIP/Op.Retrieve', { targetId: id, authentication });
            const found = await node.perform('0.DOIP/Op.Search', { authentication, attributes: { query: `id:"${id}"` } });
            const [result] = (found.value as { results: unknown[] }).results;
            return [metadataOf(value), metadataOf(result)];
        }

        for (const id of ['test/secretive', 'test/noted']) {
            it(`are omitted where a part was removed, which they could help to guess: ${id}`, async () => {

                for (const metadata of await seenBy({}, id)) {
                    expect(metadata).to.include(['txnId', 'createdOn']).and.to.not.include('hashes');
                }

                for (const metadata of await seenBy(ADMIN, id)) {
                    expect(metadata).to.include('hashes');
                }
            });
        }

        it('are kept where nothing was removed', async () => {

            for (const metadata of await seenBy({}, 'test/open')) {
                expect(metadata).to.include('hashes');
            }
        });
    });
});
