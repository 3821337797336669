import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { countToMerge } from '../../../lib/search/indexing/merge/merge-policy.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('the tiered merge policy', () => {

    const cases: [title: string, documents: number[], quiet: number, count: number][] = [
        ['leaves a single segment alone', [5], 10_000, 0],
        ['leaves none alone', [], 10_000, 0],
        ['merges segments of a size', [1, 1, 1], 0, 3],
        ['keeps an older segment apart that is much larger than all younger ones together', [100, 3, 2, 1], 0, 3],
        ['merges an older segment that is not', [100, 20, 8, 1], 0, 0],
        ['merges it as soon as the younger ones have grown', [100, 20, 8, 3], 0, 4],
        ['merges larger ones the longer nothing has changed', [4000, 300, 20], 100, 2],
        ['merges all in the end', [4000, 300, 20], 1000, 3]
    ];
    for (const [title, documents, quiet, count] of cases) {
        it(title, () => {

            expect(countToMerge(documents, { idleMs: quiet, isSearched: true })).to.equal(count);
        });
    }
});

forEachDatabase((name, create) => {

    describe(`segments on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let node: SearchNode;

        beforeEach(async () => {

            place = await create();
        });

        afterEach(async () => {

            await node.index.stop();
            await place.dispose();
        });

        async function start(storeAfter: number): Promise<void> {

            database = await place.open();
            node = new SearchNode(database, { storeAfter });
            await node.index.start();
            await node.search({});
        }

        function object(number: number, txnId: number): StoredObject {

            return {
                id: `test/${number}`, type: 'Document', content: { title: `kept ${txnId}` }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
            };
        }

        async function segments(): Promise<number> {

            return (await node.index.usage()).segments;
        }

        for (const [title, writes] of [['each write', 1], ['three writes', 3], ['twenty writes', 20]] as const) {
            it(`are merged in the background with searches after ${title}, and stay few meanwhile`, async () => {

                await start(200);
                const current = new Map<number, StoredObject>();
                for (let txnId = 1; txnId <= 300; ++txnId) {
                    // Every other write changes an older object.
                    const number = txnId % 2 === 0 ? txnId >> 2 : txnId;
                    const after = object(number, txnId);
                    await node.write(current.get(number) ?? null, after);
                    current.set(number, after);
                    if (txnId % writes === 0) {
                        expect((await node.search({ query: `kept AND ${txnId}` })).size).to.equal(1);
                        // Some are being merged, as many have come meanwhile.
                        await until(async () => await segments() <= 40);
                    }
                }

                // What is stored, and what is not.
                await until(async () => await segments() <= 2);
                expect((await node.search({ query: 'kept' })).size).to.equal(current.size);
                expect((await node.search({ sort: [{ field: 'metadata/txnId', reverse: true }], limit: 1 })).hits[0]?.id).to.equal('test/75');
            });
        }

        it('are stored after many changes of one object', async () => {

            await start(40);
            let before: StoredObject | null = null;
            for (let txnId = 1; txnId <= 60; ++txnId) {
                const after = object(1, txnId);
                await node.write(before, after);
                before = after;
                await node.search({ query: 'kept' });
            }

            // The log has no more than what is not stored.
            await until(async () => ((await database.read<{ n: number }>({ sql: 'select count(*) as n from search_log' }, []))[0]?.n ?? 60) < 40);
            expect((await node.search({ query: 'kept' })).size).to.equal(1);
        });
    });
});
