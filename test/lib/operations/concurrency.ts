import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '../../support/database.js';
import type { TestGateway } from '../../support/gateway.js';
import { forEachDatabase } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const AT_ONCE = 50;
const OK = '0.DOIP/Status.001';
const CONFLICT = '0.DOIP/Status.105';

forEachDatabase((name, create) => {

    describe(`concurrent writers on ${name}`, () => {

        let database: TestDatabase;
        let nodes: TestGateway[];
        let otherDir: string;

        before(async () => {

            database = await create();
            otherDir = await mkdtemp(join(tmpdir(), 'doip-gateway-node-'));
            nodes = [await startGateway(database)];
            if (database.dialect === 'mysql') {
                // Several nodes may share a server; SQLite belongs to one process.
                nodes.push(await startGateway(database, { dataDir: otherDir }));
            }
        });

        after(async () => {

            await Promise.all(nodes.map((node) => node.stop()));
            await database.dispose();
            await rm(otherDir, { recursive: true });
        });

        const node = (i: number): TestGateway => nodes[i % nodes.length]!;

        it('all succeed when each changes another part of one object', async () => {

            const { id } = await node(0).create('Document', { marks: {} });

            const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => node(i).asAdmin('0.DOIP/Op.Update', {
                targetId: id, attributes: { jsonPointer: `/marks/m${i}` }, input: { attributes: { contentAtPointer: i } }
            })));

            const { value } = await node(0).perform('0.DOIP/Op.Retrieve', { targetId: id, attributes: { jsonPointer: '/marks' } });
            expect(answers.map(({ status }) => status)).to.equal(Array<string>(AT_ONCE).fill(OK));
            expect(Object.keys(value as object)).to.have.length(AT_ONCE);
        });

        it('of one new id get one success, and conflicts for the others', async () => {

            const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => node(i).asAdmin('0.DOIP/Op.Create', {
                input: { id: 'test/one', type: 'Document', attributes: { content: { name: `by ${i}` } } }
            })));

            const statuses = answers.map(({ status }) => status).sort();
            const { value } = await node(0).perform('0.DOIP/Op.Retrieve', { targetId: 'test/one' });
            expect(statuses).to.equal([OK, ...Array<string>(AT_ONCE - 1).fill(CONFLICT)]);
            expect(answers.find(({ status }) => status === OK)?.value).to.equal(value);
        });

        it('and a deleter leave the object whole or deleted, never partly', async () => {

            const { id } = await node(0).create('Document', { marks: {} });

            const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => (i === 5 ?
                node(i).asAdmin('0.DOIP/Op.Delete', { targetId: id }) :
                node(i).asAdmin('0.DOIP/Op.Update', { targetId: id, input: { attributes: { content: { name: `n${i}` } } } }))));

            const { status } = await node(0).perform('0.DOIP/Op.Retrieve', { targetId: id });
            expect(answers[5]?.status).to.equal(OK);
            expect(status).to.equal('0.DOIP/Status.104');
        });

        it('get ascending transaction numbers', async () => {

            const { id } = await node(0).create('Document', {});

            const seen: number[] = [];
            for (let i = 0; i < 10; ++i) {
                const { value } = await node(i).asAdmin('0.DOIP/Op.Update', { targetId: id, input: { attributes: { content: {} } } });
                seen.push((value as { attributes: { metadata: { txnId: number } } }).attributes.metadata.txnId);
            }

            expect(seen).to.equal(seen.toSorted((one, other) => one - other));
            expect(new Set(seen).size).to.equal(10);
        });
    });
});
