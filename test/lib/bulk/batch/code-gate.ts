/** Items of a batch for which type code runs: a few at a time, in their order, and none waits for one after it. */

import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { mkdtemp, rm } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatchTask } from '../../../../lib/bulk/batch/batch-runner.js';
import { BulkService } from '../../../../lib/bulk/batch/batch-service.js';
import { CodeGate } from '../../../../lib/bulk/code-gate.js';
import { TempFolder } from '../../../../lib/bulk/temp-folder.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What is known of an item: its id, and whether code runs for it. */
type Item = readonly [id: string | undefined, runsCode: boolean];

const list = (count: number, make: (n: number) => Item): readonly Item[] => Array.from({ length: count }, (_, n) => make(n));

/** Items, and how many of them are in work at most. */
const BATCHES: readonly (readonly [title: string, items: readonly Item[], most: number])[] = [
    ['without code', list(300, () => [undefined, false]), 128],
    ['with code', list(300, () => [undefined, true]), 16],
    ['with code, each under its id', list(300, (n) => [`test/${n}`, true]), 16],
    ['with code, all of one id', list(50, () => ['test/1', true]), 1],
    ['with code, of two ids', list(100, (n) => [`test/${n % 2}`, true]), 2],
    ['some with code', list(300, (n) => [undefined, n % 3 === 0]), 128],
    ['of few ids, some with code', list(200, (n) => [`test/${n % 5}`, n % 2 === 0]), 5],
    ['of one id, first with code', list(60, (n) => ['test/1', n < 30]), 1],
    ['of one id, later with code', list(60, (n) => ['test/1', n >= 30]), 1]
];

const silent = (): void => {};

const OPTIONS = { parallel: true, failFast: false, log: { info: silent, warn: silent, error: silent } };

describe('items of a batch', () => {

    let dataDir: string;
    let bulk: BulkService;

    before(async () => {

        dataDir = await mkdtemp(join(tmpdir(), 'code-gate-'));
        bulk = new BulkService({
            folder: new TempFolder(dataDir), limits: { itemBytes: 1000, jsonDepth: 10 }, codeOf: () => 400, explain: () => null
        });
    });

    after(() => rm(dataDir, { recursive: true }));

    for (const refers of [false, true]) {
        for (const [title, items, most] of BATCHES) {
            it(`${title}${refers ? ', which refer to earlier ones,' : ''} are all done, the right number at a time`, async () => {

                let running = 0;
                let highest = 0;
                const done: number[] = [];
                const taskOf = ([id, runsCode]: Item, position: number): BatchTask => ({
                    position, bytes: 1, id, runsCode,
                    work: async (beforeWrite) => {

                        highest = Math.max(highest, ++running);
                        await nextTurn();
                        await (refers ? beforeWrite() : nextTurn());
                        running -= 1;
                        done.push(position);
                        return null;
                    }
                });
                const { results, success } = await bulk.run(OPTIONS, async (batch) => {

                    for (const [position, item] of items.entries()) {
                        await batch.add(taskOf(item, position));
                    }

                    return null;
                });
                await results.dispose();

                expect([success, done.length]).to.equal([true, items.length]);
                expect(highest).to.be.at.most(most);
                expect(refers ? done : done.toSorted((a, b) => a - b)).to.equal(items.map((_, position) => position));
            });
        }
    }

    it('with code are in work two at a time, many while they are quick, and two again after one that takes long', async () => {

        const gate = new CodeGate();
        const highestOf = async (count: number, work: () => Promise<unknown>): Promise<number> => {

            let running = 0;
            let highest = 0;
            await Promise.all(Array.from({ length: count }, () => gate.run(async () => {

                highest = Math.max(highest, ++running);
                await work();
                running -= 1;
            })));
            return highest;
        };

        const atFirst = await highestOf(16, nextTurn);
        const quick = await highestOf(40, nextTurn);
        await gate.run(() => delay(600));
        const afterLong = await highestOf(10, nextTurn);

        expect([atFirst, quick, afterLong]).to.equal([2, 16, 2]);
    });

    it('with code give way when they fail', async () => {

        const { results, success } = await bulk.run(OPTIONS, async (batch) => {

            for (let position = 0; position < 20; ++position) {
                await batch.add({ position, bytes: 1, runsCode: true, work: () => Promise.reject(new Error('no')) });
            }

            return null;
        });
        await results.dispose();

        expect(success).to.be.false();
    });
});
