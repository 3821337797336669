import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Op } from '../../../../lib/doip/operation-ids.js';
import { forEachDatabase } from '../../../support/database.js';
import type { Answer, TestGateway } from '../../../support/gateway.js';
import { rounds, roundsMs } from '../../../support/rounds.js';
import { defineType, startNodes, type Nodes } from '../../../support/type-code.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const OK = '0.DOIP/Status.001';

/** Has its transaction number already; says so, and waits for a word from outside. */
const HELD = `
const cordra = require('cordra');
exports.beforeStorage = (object) => {
    const { wait, fail } = object.content;
    if (wait) {
        if (!cordra.get(wait + '-begun')) {
            cordra.create({ id: wait + '-begun', type: 'Document', content: {} });
        }
        while (!cordra.get(wait + '-go')) {}
    }
    if (fail) {
        throw 'no';
    }
    return object;
};
`;

interface Stored {
    readonly id: string;
    readonly attributes: { readonly content: JsonObject; readonly metadata: { readonly txnId: number } };
}

forEachDatabase((name, create, dialect) => {

    describe(`Op.HighestSafeTxnIdForSearch on ${name}`, () => {

        let nodes: Nodes;
        let one: TestGateway;
        let other: TestGateway;

        before(async () => {

            nodes = await startNodes(create);
            one = nodes.node;
            other = nodes.all.at(-1) ?? one;
            await defineType(one, 'Held', HELD);
            await until(async () => (await other.asAdmin(Op.create, { input: { type: 'Held', attributes: { content: {} } } })).status === OK);
        });

        after(() => nodes.stop());

        const stored = ({ value, status }: Answer): Stored => {

            expect(status, JSON.stringify(value)).to.equal(OK);
            return value as Stored;
        };

        const numberOf = (answer: Answer): number => stored(answer).attributes.metadata.txnId;

        async function highest(node: TestGateway): Promise<number> {

            const { value, status } = await node.asAdmin(Op.highestSafeTxnId);
            expect(status, JSON.stringify(value)).to.equal(OK);
            return (value as { txnId: number }).txnId;
        }

        /** Everything that a search finds, with its number. */
        async function found(node: TestGateway, query: string): Promise<Map<string, number>> {

            const { value } = await node.asAdmin(Op.search, { attributes: { query } });
            return new Map((value as { results: Stored[] }).results.map(({ id, attributes }) => [id, attributes.metadata.txnId]));
        }

        it('returns the number of the last change when nothing is in progress', async () => {

            const { attributes } = await one.create('Document', { last: true });
            const { txnId } = (attributes as unknown as Stored['attributes']).metadata;
            for (const node of nodes.all) {
                await until(async () => await highest(node) >= txnId);
                expect(await highest(node)).to.equal(txnId);
            }
        });

        it('requires a login', async () => {

            expect((await one.perform(Op.highestSafeTxnId)).status).to.equal('0.DOIP/Status.102');
        });

        for (const [what, begin] of [
            ['a creation', (wait: string) => one.asAdmin(Op.create, { input: { type: 'Held', attributes: { content: { wait } } } })],
            ['an update', async (wait: string) => {

                const { id } = await one.create('Held', { id: '' });
                return one.asAdmin(Op.update, { targetId: id, input: { attributes: { content: { wait } } } });
            }]
        ] as const) {
            it(`waits for ${what} that has its number and is not stored yet`, async () => {

                const wait = `test/held-${what.split(' ')[1]!}`;
                const held = begin(wait);
                await until(async () => (await one.asAdmin(Op.retrieve, { targetId: `${wait}-begun` })).status === OK);
                const answers: number[] = [];
                for (let n = 0; n < 20; ++n) {
                    await one.create('Document', { n });
                    answers.push(await highest(one), await highest(other));
                }

                await one.create('Document', {}, { id: `${wait}-go` });
                const number = numberOf(await held);
                expect(answers.filter((answer) => answer >= number)).to.equal([]);
                const later = numberOf(await one.asAdmin(Op.create, { input: { type: 'Document', attributes: { content: {} } } }));
                await until(async () => await highest(one) >= later);
            });
        }

        it('advances after a write in progress has failed', async () => {

            for (const content of [{ fail: true }, { wait: 'test/failed', fail: true }]) {
                const failing = one.asAdmin(Op.create, { input: { type: 'Held', attributes: { content } } });
                await one.create('Document', {}, { id: `test/failed-${Object.keys(content).length}` });
                if ('wait' in content) {
                    await until(async () => (await one.asAdmin(Op.retrieve, { targetId: 'test/failed-begun' })).status === OK);
                    await one.create('Document', {}, { id: 'test/failed-go' });
                }

                expect((await failing).status).to.equal('0.DOIP/Status.101');
            }

            const number = numberOf(await one.asAdmin(Op.create, { input: { type: 'Document', attributes: { content: {} } } }));
            await until(async () => await highest(one) >= number);
        });

        if (dialect === 'mysql') {
            it('does not wait for a stopped node, whose write in progress gets a higher number', async () => {

                const wait = 'test/overtaken';
                const { id } = await one.create('Held', { id: '' });
                const work = [
                    one.asAdmin(Op.create, { input: { type: 'Held', attributes: { content: { wait } } } }),
                    one.asAdmin(Op.update, { targetId: id, input: { attributes: { content: { wait } } } })
                ];
                await until(async () => (await one.asAdmin(Op.retrieve, { targetId: `${wait}-begun` })).status === OK);
                const { attributes } = await other.create('Document', { id: 'later' });
                const { txnId } = (attributes as unknown as Stored['attributes']).metadata;
                await until(async () => await highest(other) >= txnId);
                const told = await highest(other);
                await other.create('Document', {}, { id: `${wait}-go` });
                for (const answer of await Promise.all(work)) {
                    expect(numberOf(answer)).to.be.above(told);
                }
            });
        }

        it('is correct while all nodes write', { timeout: roundsMs(300_000) }, async () => {

            const [writers, writes, checks] = [6, rounds(15, 100), 15];
            const told = { highest: 0 };
            const late: unknown[] = [];
            let writing = writers;

            /** Creates, changes and publishes; notes what was not known to exist and comes with a number that was called complete before. */
            const write = async (writer: number): Promise<void> => {

                const node = nodes.all[writer % nodes.all.length] ?? one;
                for (let n = 0; n < writes; ++n) {
                    const before = told.highest;
                    const { id } = await node.create('Held', { id: '', title: `safe ${writer}` });
                    const input = { attributes: { content: { title: `safe ${writer}`, word: `w${writer}x${n}` } } };
                    const numbers = [
                        numberOf(await node.asAdmin(Op.update, { targetId: id, input })),
                        numberOf(await node.asAdmin(Op.versionsPublish, { targetId: id }).then(async ({ value }) => node.asAdmin(Op.retrieve, {
                            targetId: (value as { id: string }).id
                        })))
                    ];
                    late.push(...numbers.filter((number) => number <= before));
                }

                writing -= 1;
            };

            /** What a search finds up to the number stays as it is, but for objects that were changed since. */
            const check = async (known: Map<string, number>, last: number): Promise<number> => {

                const number = await highest(other);
                told.highest = Math.max(told.highest, number);
                const now = await found(other, '/title:safe');
                late.push(...[...now].filter(([id, txnId]) => txnId <= last && known.get(id) !== txnId));
                known.clear();
                now.forEach((txnId, id) => known.set(id, txnId));
                return number;
            };

            const work = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
            const known = new Map<string, number>();
            let last = 0;
            for (let n = 0; n < checks || writing > 0; ++n) {
                last = await check(known, last);
            }

            await work;
            await until(async () => await check(known, last) >= Math.max(...known.values()));
            expect(late).to.equal([]);
            expect(known.size).to.equal(writers * writes);
        });
    });
});
