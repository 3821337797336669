import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { CordraClient } from '@cnri/cordra-client';
import type { RestService } from '../support/rest-service.js';
import { startWithClient } from '../support/cordra-client.js';
import { forEachDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, createDatabase) => {

    describe(`The published JavaScript client, uploading many objects, on ${name}`, () => {

        let service: RestService;
        let client: CordraClient;

        before(async () => {

            ({ service, client } = await startWithClient(createDatabase));
        });

        after(() => service.stop());

        it('stores them all, and removes all others when asked to', async () => {

            const { id = '' } = await client.create({ type: 'Document', content: { name: 'old' } });
            const objects = [1, 2].map((n) => ({ id: `test/${n}`, type: 'Document', content: { n } }));
            const types = [{ id: 'test/type', type: 'Schema', content: { identifier: 'test/type', name: 'Document', schema: { type: 'object' } } }];

            await client.uploadObjects(objects, false);

            expect((await client.get('test/2')).content).to.include({ n: 2 });
            expect(await client.getOrNull(id)).to.not.be.null();

            await client.uploadObjects([...objects, ...types], true);

            expect((await client.get('test/1')).content).to.equal({ n: 1 });
            expect(await client.getOrNull(id)).to.be.null();
        });
    });
});
