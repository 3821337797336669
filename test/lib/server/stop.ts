/** How a server stops: what is in progress ends, everything else is closed, and nobody can hold it up for long. */

import { once } from 'node:events';
import { connect } from 'node:net';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Protocol, TestServer } from '../../support/server.js';
import { clientOf, pathOf, startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** More than stopping takes on a busy machine, and less than a stop takes that waits for clients. */
const PATIENCE_MS = 20_000;

const HELLO = '/doip/0.DOIP/Op.Hello?targetId=service';

for (const protocol of ['http/1.1', 'https, http/1.1', 'https, http/2'] satisfies Protocol[]) {
    const start = (settings = {}): Promise<TestServer> => startServer({ SHUTDOWN_SECONDS: 120, ...settings }, { tls: protocol !== 'http/1.1' });

    describe(`a stopping server, over ${protocol}`, () => {

        it('responds to a request in progress, and asks to close the connection', async () => {

            const server = await start();
            const client = clientOf(server, protocol);
            const pending = client.text({ path: pathOf('Wait') });
            await until(() => server.waiting.calls > 0);

            const stopped = server.stop();
            await until(() => !server.server.listener.listening);
            server.waiting.release();
            const answer = await pending;
            await stopped;
            client.close();

            expect(answer.status).to.equal(200);
            expect(JSON.parse(answer.text)).to.equal({ isReleased: true });
            if (protocol !== 'https, http/2') {
                expect(answer.headers['connection']).to.equal('close');
            }
        });

        it('finishes a download in progress', async () => {

            const server = await start();
            const client = clientOf(server, protocol);
            const response = await client.send({ path: pathOf('Source', '&size=20000000') });

            const stopped = server.stop();
            let bytes = 0;
            for await (const chunk of response.body) {
                bytes += (chunk as Buffer).length;
            }

            await stopped;
            client.close();
            expect(bytes).to.equal(20_000_000);
        });

        it('does not wait for idle connections', async () => {

            const server = await start({ SHUTDOWN_SECONDS: 2 * PATIENCE_MS / 1000 });
            const client = clientOf(server, protocol);
            await client.text({ path: HELLO });
            const silent = connect(server.port, '127.0.0.1');
            silent.on('error', () => undefined);
            await once(silent, 'connect');

            const began = Date.now();
            await server.stop();

            expect(Date.now() - began).to.be.below(PATIENCE_MS);
            client.close();
            silent.destroy();
        });

        it('accepts no new requests', async () => {

            const server = await start();
            const client = clientOf(server, protocol);
            await client.text({ path: HELLO });
            await server.stop();

            await expect(client.text({ path: HELLO })).to.reject();
            client.close();
            const other = clientOf(server, protocol);
            await expect(other.text({ path: HELLO })).to.reject();
            other.close();
        });

        it('aborts requests beyond the timeout', async () => {

            const server = await start({ SHUTDOWN_SECONDS: 0.3 });
            const client = clientOf(server, protocol);
            const pending = client.text({ path: pathOf('Wait') });
            const failed = expect(pending).to.reject();
            await until(() => server.waiting.calls > 0);

            const began = Date.now();
            await server.stop();
            await failed;
            client.close();

            expect(Date.now() - began).to.be.between(250, PATIENCE_MS);
            await until(() => server.waiting.aborted === 1);
        });
    });
}
