/** Rejected responses of the client for DOIP whose next attempt is never made: they hold no connection. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Connection } from '../../../lib/client/connection.js';
import { DoipClient } from '../../../lib/client/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { openLink, TRANSPORTS } from '../../support/doip-links.js';
import { startServer } from '../../support/server.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

const ROUNDS = 5;

/** HTTP may open a connection before the other one is free again. */
const MAX_IDLE = 2;

const REQUEST = { targetId: 'service', operationId: Op.hello };

for (const transport of TRANSPORTS) {
    describe(`the connection of a rejected response over ${transport}`, () => {

        it('is free again when the source of tokens has no other one', async () => {

            const server = await startServer();
            const way = await openLink(server, transport);
            let calls = 0;
            const client = way.client({ token: async () => {

                calls += 1;
                if (calls % 2 === 0) {
                    throw new Error('there is no other token');
                }

                return 'wrong';
            } });
            for (let n = 0; n < ROUNDS; ++n) {
                await expect(client.perform(REQUEST)).to.reject(Error, 'there is no other token');
            }

            await until(() => way.link.open <= MAX_IDLE);
            const { requests } = way.link;
            await way.stop();
            await server.stop();

            expect(requests).to.equal(ROUNDS);
        });

        it('is free again when a signal ends the delay before the next attempt', async () => {

            const server = await startServer({ RATE_LIMIT_SECONDS: 600, RATE_LIMIT_ADDRESS_REQUESTS: 1 });
            const way = await openLink(server, transport);
            const direct = way.connection();
            let stop = new AbortController();
            const connection: Connection = {
                async perform(request) {

                    const response = await direct.perform(request);
                    const current = stop;
                    setImmediate(() => current.abort(new Error('enough')));
                    return response;
                },
                close: () => direct.close()
            };
            const client = new DoipClient(connection, { retries: { maxDelayMs: 3_600_000 } });
            await (await client.perform(REQUEST)).output.return();
            for (let n = 0; n < ROUNDS; ++n) {
                stop = new AbortController();
                await expect(client.perform({ ...REQUEST, signal: stop.signal })).to.reject(Error, 'enough');
            }

            await until(() => way.link.open <= MAX_IDLE);
            const { requests } = way.link;
            client.close();
            await way.stop();
            await server.stop();

            expect(requests).to.equal(ROUNDS + 1);
        });
    });
}
