/** Versions that the clients publish of what was read alone: with `ifMatch`, over every transport, and never twice. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { RepositoryClient, RepositoryError } from '../../../lib/client/web/index.js';
import { ConnectionError, type DoipClient, RequestError, Status } from '../../../lib/client/index.js';
import { documentOf, type DoipLink, openLink, TRANSPORTS } from '../../support/doip-links.js';
import { type FlakyProxy, startFlakyProxy } from '../../support/flaky-proxy.js';
import { ADMIN_PASSWORD } from '../../support/gateway.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

async function failure(action: Promise<unknown>): Promise<unknown> {

    return await action.then(() => new Error('it did not fail'), (reason: unknown) => reason);
}

describe('a version that the client for REST publishes', () => {

    let server: TestServer;
    let proxy: FlakyProxy;
    let repository: RepositoryClient;

    before(async () => {

        server = await startServer();
        proxy = await startFlakyProxy(server.url);
        repository = new RepositoryClient(proxy.url, { username: 'admin', password: ADMIN_PASSWORD, retries: { attempts: 4, delayMs: 1 } });
    });

    after(async () => {

        await proxy.stop();
        await server.stop();
    });

    it('is one of what was read', async () => {

        const { etag } = await repository.create('Document', { name: 'v1' }, { id: 'test/a' });
        const changed = await repository.update('test/a', { name: 'v2' });
        const error = await failure(repository.publish('test/a', { ifMatch: etag }));
        const published = await repository.publish('test/a', { ifMatch: changed.etag });

        expect(error).to.be.an.instanceof(RepositoryError);
        expect((error as RepositoryError).status).to.equal(412);
        expect((await repository.versions('test/a')).map(({ id }) => id)).to.equal([published.id, 'test/a']);
    });

    it('is not published again when the response was lost, as the object keeps its tag', async () => {

        const { etag } = await repository.create('Document', { name: 'v1' }, { id: 'test/b' });
        proxy.next('lose');
        const error = await failure(repository.publish('test/b', { ifMatch: etag }));

        expect(error).to.include({ status: 0, attempts: 1, mayHaveChanged: true });
        expect(proxy.requests).to.have.length(1);
        expect(await repository.versions('test/b')).to.have.length(2);
    });
});

for (const transport of TRANSPORTS) {
    describe(`a version that the client publishes over ${transport}`, () => {

        let server: TestServer;
        let way: DoipLink;
        let client: DoipClient;

        before(async () => {

            server = await startServer();
            way = await openLink(server, transport);
            client = way.client();
        });

        after(async () => {

            await way.stop();
            await server.stop();
        });

        it('is one of what was read', async () => {

            const created = await client.create(documentOf('test/a'));
            const changed = await client.update({ id: 'test/a', attributes: { content: { name: 'changed' } } });
            const error = await failure(client.publish('test/a', { ifMatch: created.attributes.metadata?.txnId ?? 0 }));
            const published = await client.publish('test/a', { ifMatch: changed.attributes.metadata?.txnId ?? 0 });

            expect(error).to.be.an.instanceof(RequestError);
            expect((error as RequestError).status).to.equal(Status.conflict);
            expect((await client.versions('test/a')).map(({ id }) => id)).to.equal([published.id, 'test/a']);
        });

        it('is not published again when the response was lost, as the object keeps its transaction number', async () => {

            const { attributes: { metadata } } = await client.create(documentOf('test/b'));
            way.link.next('lose');
            const error = await failure(client.publish('test/b', { ifMatch: metadata?.txnId ?? 0 }));

            expect(error).to.be.an.instanceof(ConnectionError);
            expect(error).to.include({ attempts: 1, mayHaveChanged: true });
            expect(await client.versions('test/b')).to.have.length(2);
        });
    });
}
