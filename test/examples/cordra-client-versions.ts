import type { CordraClient } from '@cnri/cordra-client';
import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { plain, startWithClient } from '../support/cordra-client.js';
import { forEachDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, createDatabase) => {

    describe(`Versions with the published JavaScript client, unmodified, on ${name}`, () => {

        let service: RestService;
        let client: CordraClient;

        before(async () => {

            ({ service, client } = await startWithClient(createDatabase));
        });

        after(() => service.stop());

        it('are published, listed, read and deleted', async () => {

            await client.create({
                id: 'test/map 1', type: 'Document', content: { name: 'Map' },
                payloads: [{ name: 'scan', filename: 'a.txt', body: new Blob(['old'], { type: 'text/plain' }) as never }]
            });
            const version = await client.publishVersion('test/map 1');
            await client.update({
                id: 'test/map 1', type: 'Document', content: { name: 'Other' },
                payloads: [{ name: 'scan', filename: 'a.txt', body: new Blob(['new'], { type: 'text/plain' }) as never }]
            });
            const listed = await client.getVersionsFor('test/map 1');
            const read = await client.get(version.id);

            expect(plain(version)).to.include({ type: 'Document', versionOf: 'test/map 1', publishedBy: 'admin', isTip: false });
            expect(listed.map(({ id, isTip }) => [id, isTip])).to.equal([[version.id, false], ['test/map 1', true]]);
            expect(plain(read.metadata)).to.include({ isVersion: true, versionOf: 'test/map 1' });
            expect((read.content as { name: string }).name).to.equal('Map');
            expect(await (await client.getPayload(version.id, 'scan') as unknown as Blob).text()).to.equal('old');
            expect(await (await client.getPayload('test/map 1', 'scan') as unknown as Blob).text()).to.equal('new');

            await client.delete(version.id);

            expect(await client.getVersionsFor('test/map 1')).to.have.length(1);
        });

        it('are refused in a way that it understands', async () => {

            await expect(client.publishVersion('test/none')).to.reject('Missing object test/none');
            await expect(client.getVersionsFor('test/none')).to.reject('Missing object test/none');
        });
    });
});
