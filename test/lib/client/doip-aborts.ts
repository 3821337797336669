/** Requests of the client for DOIP that a signal ends, at every stage. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { randomBytes } from 'node:crypto';
import type { DoipClient } from '../../../lib/client/index.js';
import { readBytes } from '../../../lib/client/index.js';
import { documentOf, type DoipLink, openLink, TRANSPORTS } from '../../support/doip-links.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const LARGE = randomBytes(3_000_000);

const REASON = new Error('enough');

for (const transport of TRANSPORTS) {
    describe(`a signal that ends a request over ${transport}`, () => {

        let server: TestServer;
        let way: DoipLink;

        before(async () => {

            server = await startServer();
            way = await openLink(server, transport);
            await way.client().create(documentOf('test/a', [{ id: 'large', body: LARGE }]));
        });

        after(async () => {

            await way.stop();
            await server.stop();
        });

        type Stage = (client: DoipClient, stop: AbortController) => Promise<unknown>;

        const STAGES: readonly (readonly [stage: string, action: Stage])[] = [
            ['before it is sent', (client, stop) => {

                stop.abort(REASON);
                return client.create(documentOf('test/never'), { signal: stop.signal });
            }],
            ['while its bytes are sent', (client, stop) => client.create(documentOf('test/never', [{ id: 'a', body: LARGE }]), {
                signal: stop.signal, onProgress: () => stop.abort(REASON)
            })],
            ['while its bytes are awaited', (client, stop) => {

                const stuck = async function *(): AsyncGenerator<Uint8Array> {

                    yield LARGE;
                    setTimeout(() => stop.abort(REASON), 50);
                    await new Promise(() => undefined);
                };

                return client.create(documentOf('test/never', [{ id: 'a', body: stuck() }]), { signal: stop.signal });
            }],
            ['while the service works', (client, stop) => {

                const calls = server.waiting.calls;
                void until(() => server.waiting.calls > calls).then(() => stop.abort(REASON));
                return client.call('service', 'test/Op.Wait', { signal: stop.signal });
            }],
            ['before the next attempt', (_, stop) => {

                const slow = way.client({ retries: { delayMs: 3_600_000, maxDelayMs: 3_600_000 } });
                way.link.next('cut');
                void until(() => way.link.requests === 1).then(() => setTimeout(() => stop.abort(REASON), 50));
                return slow.hello({ signal: stop.signal });
            }],
            ['while bytes are received', async (client, stop) => {

                const bytes = await client.retrieveElement('test/a', 'large', {
                    signal: stop.signal, onProgress: ({ loaded }) => (loaded > 0 ? stop.abort(REASON) : undefined)
                });
                return bytes && readBytes(bytes, 1e9);
            }],
            ['while results are received', async (client, stop) => {

                for await (const { id } of client.search('*:*', { signal: stop.signal })) {
                    expect(id).to.be.a.string();
                    stop.abort(REASON);
                }

                stop.signal.throwIfAborted();
            }],
            ['while its token is awaited', (_, stop) => {

                setTimeout(() => stop.abort(REASON), 50);
                return way.client({ token: () => new Promise(() => undefined) }).caller({ signal: stop.signal });
            }]
        ];

        for (const [stage, action] of STAGES) {
            it(`throws its reason ${stage}, and the client goes on`, async () => {

                const client = way.client();
                way.link.next();

                await expect(action(client, new AbortController())).to.reject(Error, REASON.message);
                expect([(await client.hello()).id, await client.retrieve('test/never')]).to.equal(['test/service', null]);
            });
        }
    });

    it(`harms no later request over ${transport} when it comes after the end`, async () => {

        const server = await startServer();
        const way = await openLink(server, transport);
        const client = way.client();
        const stop = new AbortController();
        for (let n = 0; n < 3; ++n) {
            await client.hello({ signal: stop.signal });
        }

        stop.abort(REASON);
        const { id } = await client.hello();
        await way.stop();
        await server.stop();

        expect<unknown>(id).to.equal('test/service');
    });
}
