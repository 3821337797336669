/**
 * The results of a batch: a short list is kept in memory, a long one on disk, which nobody can tell from the answer, and nothing of
 * it stays, whatever becomes of the client.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientResponse, Protocol, TestServer } from '../support/server.js';
import { ADMIN_HEADERS } from '../support/rest.js';
import { clientOf, startServer } from '../support/server.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const REST = '/batchUpload?format=ndjson';
const DOIP = '/doip?operationId=20.DOIP/Op.BatchUpload&targetId=service&format=ndjson';
const HEADERS = { ...ADMIN_HEADERS, 'content-type': 'application/x-ndjson' };

const PROTOCOLS: readonly Protocol[] = ['http/1.1', 'https, http/2'];

for (const protocol of PROTOCOLS) {
    describe(`the results of a batch over ${protocol}`, () => {

        let server: TestServer;

        before(async () => {

            server = await startServer({}, { tls: protocol !== 'http/1.1' });
        });

        after(() => server.stop());

        const spooled = async (): Promise<number> => (await readdir(join(server.config.storage.dataDir, 'gateway-tmp')).catch(() => [])).length;

        /** Sends a batch in which everything is stored, and leaves the answer to be read. */
        const send = (path: string, body: AsyncIterable<Uint8Array> | string): Promise<ClientResponse> => {

            return clientOf(server, protocol).send({ path, method: 'POST', headers: HEADERS, body });
        };

        for (const path of [REST, DOIP]) {
            it(`stay on disk until a slow client has read them: POST ${path}`, async () => {

                const { status, body } = await send(path, large(20));
                const meanwhile = await spooled();
                const text = (await body.toArray() as Buffer[]).map(String).join('');

                expect([status, meanwhile]).to.equal([200, 1]);
                const { results, success } = JSON.parse(text) as { results: { position: number }[]; success: boolean };
                expect(success).to.be.true();
                expect(results.map(({ position }) => position).toSorted((a, b) => a - b)).to.equal(Array.from({ length: 20 }, (_, n) => n));
                await until(async () => await spooled() === 0);
            });

            it(`are removed when the client disconnects while it reads: POST ${path}`, async () => {

                const response = await send(path, large(20));
                for await (const piece of response.body) {
                    expect((piece as Buffer).length).to.be.above(0);
                    expect(await spooled()).to.equal(1);
                    break;
                }

                response.abort();
                await until(async () => await spooled() === 0);
            });

            it(`are removed when the client disconnects while it sends: POST ${path}`, async () => {

                const client = clientOf(server, protocol);
                const isSpooled = until(async () => await spooled() === 1);
                const sending = client.send({ path, method: 'POST', headers: HEADERS, body: (async function *() {

                    yield *large(4);
                    await isSpooled;
                    throw new Error('the client goes away');
                })() });

                await expect(sending).to.reject();
                await isSpooled;
                client.close();
                await until(async () => await spooled() === 0);
            });
        }
    });
}

/** Objects of a megabyte each, as lines: the answer is longer than the buffers of a connection. */
async function *large(count: number): AsyncGenerator<Buffer> {

    for (let n = 0; n < count; ++n) {
        yield Buffer.from(`${JSON.stringify({ id: `test/large${n}`, type: 'Document', content: { name: `${n}`, text: 'x'.repeat(900_000) } })}\n`);
    }
}
