/** Answers that type code throws after it has written: clients do not take them for refusals of the service, which they repeat. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { DoipClient } from '../../../lib/client/index.js';
import { connect, RepositoryClient, RepositoryError, RequestError } from '../../../lib/client/index.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import { addressOf, TRANSPORTS } from '../../support/doip-links.js';
import { ADMIN } from '../../support/native.js';
import type { TestServer } from '../../support/server.js';
import { startServer } from '../../support/server.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Creates a document, and throws a status with everything that the service itself says of a refusal. */
const CODE = `
const cordra = require('cordra');
exports.methods = {
    make: (object, { params }) => {
        cordra.create({ type: 'Document', content: { name: 'made' } });
        const more = { retryAfter: 0, error: 'invalid_token' };
        throw new cordra.CordraError({ message: 'made', ...more, attributes: more, headers: { 'retry-after': '0' } }, params);
    }
};`;

/** What a client throws, of either kind. */
type Rejection = RepositoryError | RequestError;

interface Caller {
    call(status: number | string): Promise<unknown>;
    close(): void;
}

const RETRIES = { delayMs: 1 };

for (const way of [...TRANSPORTS, 'REST'] as const) {
    describe(`an answer that code throws after it has written, over ${way}`, () => {

        let test: TestServer;
        let admin: DoipClient;
        let client: Caller;
        let tokens = 0;

        const newToken = async (): Promise<string> => {

            tokens += 1;
            const made = await admin.call('service', Op.authToken, { input: { grant_type: 'password', ...ADMIN } }) as { access_token: string };
            return made.access_token;
        };

        before(async () => {

            test = await startServer({ DOIP_PORT: 0 });
            admin = connect(test.url, ADMIN);
            await admin.create({ type: 'Schema', attributes: { content: { identifier: '', name: 'Maker', schema: { type: 'object' }, javascript: CODE } } });
            await admin.create({ id: 'test/maker', type: 'Maker', attributes: { content: {} } });
            if (way === 'REST') {
                const repository = new RepositoryClient(test.url, { token: newToken, retries: RETRIES });
                client = { call: (params) => repository.call({ objectId: 'test/maker' }, 'make', { params }), close: () => undefined };
            }
            else {
                const doip = connect(addressOf(test, way), { token: newToken, retries: RETRIES });
                client = { call: (input) => doip.call('test/maker', 'make', { input }), close: () => doip.close() };
            }
        });

        after(async () => {

            client.close();
            admin.close();
            await test.stop();
        });

        for (const status of [429, 401, 503, 500, '0.DOIP/Status.102', '0.DOIP/Status.101']) {
            it(`is not repeated with the status ${status}, and has nothing of a refusal by the service`, async () => {

                const { size: earlier } = await admin.searchPage('type:Document', { pageSize: 0 });
                const error = await client.call(status).catch((reason: unknown) => reason) as Rejection;
                const { size } = await admin.searchPage('type:Document', { pageSize: 0 });

                expect(error instanceof RequestError || error instanceof RepositoryError, String(error)).to.be.true();
                expect<unknown>([error.message, error.attempts, error.retryAfter, size - earlier]).to.equal(['made', 1, null, 1]);
                if (error instanceof RequestError) {
                    expect<unknown>(error.attributes).to.equal({ message: 'made' });
                }
            });
        }

        it('makes the next request ask for another token after 401', async () => {

            const earlier = tokens;
            await client.call(401).catch(() => undefined);
            await client.call(400).catch(() => undefined);

            expect(tokens - earlier).to.be.within(1, 2);
        });
    });
}
