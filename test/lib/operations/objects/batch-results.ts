/**
 * The results of a batch, however many there are: a long list of them is on disk until it has been read.
 */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchGateway, BatchRecord } from '../../../support/batch.js';
import { BATCH, createBatchGateway, text } from '../../../support/batch.js';
import { forEachDatabase } from '../../../support/database.js';
import { ADMIN, envelope } from '../../../support/gateway.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

forEachDatabase((name, create) => {

    describe(`the results of a batch on ${name}`, () => {

        let gateway: BatchGateway;
        const spooled = (): Promise<string[]> => readdir(join(gateway.database.options.dataDir, 'gateway-tmp')).catch(() => []);

        before(async () => {

            gateway = await createBatchGateway(create);
        });

        after(() => gateway.stop());

        it('are spilled to disk during the batch, and removed with the response', async () => {

            const items = Array.from({ length: 150 }, (_, i) => ({ id: `test/long${i}`, type: 'Plain', content: { text: `${i} ü`.repeat(3000) } }));

            const { output } = await gateway.asAdmin(BATCH, { input: text(JSON.stringify(items)) });
            const { results, success } = JSON.parse(String(output[0])) as BatchRecord;

            expect(success).to.be.true();
            expect(results.map(({ position }) => position).toSorted((a, b) => a - b)).to.equal(items.map((_, i) => i));
            expect(JSON.stringify(results.find(({ position }) => position === 77)?.response.attributes?.['content']) === JSON.stringify(items[77]?.content)).to.be.true();

            expect(await spooled()).to.equal([]);
        });

        it('are removed when the response is not read', async () => {

            const items = Array.from({ length: 60 }, (_, n) => ({ id: `test/unread${n}`, type: 'Plain', content: { text: 'x'.repeat(30_000) } }));
            for (const segments of [0, 1]) {
                const { output } = await gateway.gateway.perform(envelope(BATCH, {
                    authentication: ADMIN, input: items
                }));
                const iterator = output[Symbol.asyncIterator]();
                for (let n = 0; n < segments; ++n) {
                    await iterator.next();
                }

                expect(await spooled()).to.have.length(1);

                await iterator.return?.();

                await until(async () => (await spooled()).length === 0);
            }
        });
    });
});
