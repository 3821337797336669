/** Nodes of a fresh installation that start at the same moment. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DIALECTS } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { found } from '../support/type-code.js';
import { until } from '../support/until.js';

export const lab = Lab.script();
const { describe, it } = lab;

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`nodes that start concurrently on an empty database on ${name}`, () => {

        for (const round of [1, 2, 3]) {
            it(`all start at the first attempt, and have each type once (${round})`, async () => {

                const place = await create();
                const folders = await Promise.all([1, 2, 3].map(() => mkdtemp(join(tmpdir(), 'doip-gateway-node-'))));

                const started = await Promise.allSettled(folders.map((dataDir) => startGateway(place, { dataDir })));

                const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
                const types: string[][] = [];
                for (const node of nodes) {
                    // While its index is being built a node answers with 503.
                    await until(async () => (await node.asAdmin('0.DOIP/Op.Search', { attributes: { query: 'x' } })).status === '0.DOIP/Status.001');
                    types.push(await found(node, 'type:Schema'));
                }

                await Promise.all(nodes.map((node) => node.stop()));
                await place.dispose();
                await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
                expect(started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))).to.equal([]);
                expect(types.map((ids) => ids.length)).to.equal(types.map(() => 3));
            });
        }
    });
}
