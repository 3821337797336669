import type { CordraClient } from '@cnri/cordra-client';
import type { ClientSetup } from '../support/cordra-client.js';
import type { RestService } from '../support/rest-service.js';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { plain, startWithClient } from '../support/cordra-client.js';
import { forEachDatabase } from '../support/database.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, createDatabase) => {

    describe(`The published JavaScript client, unmodified, on ${name}`, () => {

        let service: RestService;
        let client: CordraClient;
        let clientOf: ClientSetup['clientOf'];

        before(async () => {

            ({ service, client, clientOf } = await startWithClient(createDatabase));
        });

        after(() => service.stop());

        it('creates, reads, updates and deletes an object with a payload', async () => {

            const created = await client.create({
                id: 'test/a b', type: 'Document', content: { id: '', name: 'Atlas' },
                acl: { readers: ['public'], writers: [] },
                userMetadata: { batch: 7 },
                payloads: [{ name: 'scan', filename: 'ü.txt', body: new Blob(['hello world'], { type: 'text/plain' }) as never }]
            });

            expect(plain(created)).to.include({ id: 'test/a b', type: 'Document', acl: { readers: ['public'], writers: [] } });
            expect(plain(created.userMetadata)).to.equal({ batch: 7 });
            expect(plain(created.payloads)).to.equal([{ name: 'scan', filename: 'ü.txt', mediaType: 'text/plain', size: 11 }]);

            const read = await client.get('test/a b');
            const payload = await client.getPayload('test/a b', 'scan');
            const part = await client.getPartialPayload('test/a b', 'scan', 6, 8);

            expect(plain(read)).to.equal(plain(created));
            expect(await (payload as unknown as Blob).text()).to.equal('hello world');
            expect(await (part as unknown as Blob).text()).to.equal('wor');

            const updated = await client.update({
                ...read, content: { ...read.content as object, name: 'Map' },
                payloads: [{ name: 'more', filename: '', body: new Blob(['x']) as never }]
            });

            expect((updated.content as { name: string }).name).to.equal('Map');
            expect(updated.payloads?.map((each) => each.name)).to.equal(['scan', 'more']);

            const without = await client.deletePayload(updated, 'scan');

            expect(without.payloads?.map((each) => each.name)).to.equal(['more']);

            await client.delete('test/a b');

            expect(await client.getOrNull('test/a b')).to.be.null();
        });

        it('reads and writes parts of an object', async () => {

            const { id = '' } = await client.create({ type: 'Document', content: { name: 'Atlas' } });

            await client.updateObjectProperty(id, '/name', 'Other');

            expect(await client.getObjectProperty(id, '/name')).to.equal('Other');
            expect(await client.getObjectPropertyFromFullCordraObject(id, '/type')).to.equal('Document');
        });

        it('reads and writes rights', async () => {

            const { id = '' } = await client.create({ type: 'Document', content: { name: 'Atlas' } });
            const before = await client.getAclForObject(id);
            const changed = await client.updateAclForObject(id, { readers: [], writers: ['test/u'] });

            expect(plain(before)).to.equal({});
            expect(plain(changed)).to.equal({ readers: [], writers: ['test/u'] });
            expect(plain(await client.getAclForObject(id))).to.equal(plain(changed));
        });

        it('does a dry run', async () => {

            const dry = await client.create({ id: 'test/dry', type: 'Document', content: { name: 'x' } }, undefined, { isDryRun: true, ...client.defaultOptions });

            expect(dry.id).to.equal('test/dry');
            expect(await client.getOrNull('test/dry')).to.be.null();
        });

        it('asks what the caller may do', async () => {

            const object = await client.create({ type: 'Document', content: { name: 'Atlas' } }, undefined, {
                includeResponseContext: true, ...client.defaultOptions
            });

            expect(plain(object.responseContext)).to.equal({ permission: 'WRITE' });
        });

        it('gets errors it understands', async () => {

            const wrong = client.create({ type: 'Nothing', content: {} });
            const twice = async () => {

                await client.create({ id: 'test/twice', type: 'Document', content: { name: 'x' } });
                await client.create({ id: 'test/twice', type: 'Document', content: { name: 'x' } });
            };

            await expect(wrong).to.reject('Unknown type Nothing');
            await expect(twice()).to.reject('Object already exists: test/twice');
        });

        it('reads without logging in', async () => {

            const anonymous = clientOf();
            const { id = '' } = await client.create({ type: 'Document', content: { name: 'Atlas' } });

            const read = await anonymous.get(id);

            expect((read.content as { name: string }).name).to.equal('Atlas');
            await expect(anonymous.delete(id)).to.reject();
        });
    });
});
