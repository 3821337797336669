/** Several nodes index the same objects alike, also when a type was changed on another one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { Op } from '../../../lib/doip/operation-ids.js';
import type { TestDatabase } from '../../support/database.js';
import { DIALECTS } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Longer than a node without requests waits before it reads the change log. */
const READ_MS = 11_000;

const schema = (language?: string): JsonObject => ({ type: 'object', ...language === undefined ? {} : { cordra: { search: { language } } } });

for (const { name, create } of DIALECTS.filter(({ dialect }) => dialect === 'mysql')) {
    describe(`search on several nodes on ${name}`, () => {

        let database: TestDatabase;
        let one: TestGateway;
        let other: TestGateway;
        let otherDir: string;

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-node-'));
            one = await startGateway(database);
            other = await startGateway(database, { dataDir: otherDir });
        });

        after(async () => {

            await Promise.all([one, other].map((node) => node.stop()));
            await database.dispose();
            await rm(otherDir, { recursive: true });
        });

        const found = async (node: TestGateway, query: string): Promise<unknown> =>
            (await node.asAdmin(Op.search, { attributes: { query, type: 'id' } })).value;

        it('indexes with types that were changed elsewhere, without a request in between', async () => {

            const type = await one.create('Schema', { identifier: '', name: 'Poem', schema: schema() });
            await other.create('Poem', { text: 'Gärten' });
            const changed = await one.asAdmin(Op.update, {
                targetId: type.id, input: { attributes: { content: { identifier: type.id, name: 'Poem', schema: schema('de') } } }
            });
            const { id } = await one.create('Poem', { text: 'Häuser' });
            await sleep(READ_MS);

            expect(changed.status).to.equal('0.DOIP/Status.001');
            expect(await found(one, 'haus')).to.include({ size: 1, results: [id] });
            expect(await found(other, 'haus')).to.include({ size: 1, results: [id] });
        });
    });
}
