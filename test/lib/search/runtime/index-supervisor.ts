import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { DatabaseError } from '../../../../db/errors.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { rounds, roundsMs } from '../../../support/rounds.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { documentOf, EVERYTHING, objectOf, SearchNode } from '../../../support/search-node.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`the search index on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let nodes: SearchNode[];

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            nodes = [];
        });

        afterEach(async () => {

            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
        });

        async function start(options: ConstructorParameters<typeof SearchNode>[1] = {}): Promise<SearchNode> {

            const node = new SearchNode(database, options);
            nodes.push(node);
            await node.index.start();
            return node;
        }

        /** A database that has no room for segments as long as it is told so. */
        function crowded(isFull: () => boolean): Database {

            const commit: Database['commit'] = (unit) => {

                const isSegment = unit.steps.some(({ sql }) => /insert into .?search_segments/i.test(sql));
                return isSegment && isFull() ? Promise.reject(new DatabaseError('full', 'the database has no room')) : database.commit(unit);
            };

            return new Proxy(database, {
                get: (target, key) => {

                    const value: unknown = key === 'commit' ? commit : Reflect.get(target, key);
                    return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value;
                }
            });
        }

        /** A node whose index is complete, so that nothing is stored but what comes next. */
        async function startComplete(options: ConstructorParameters<typeof SearchNode>[1]): Promise<SearchNode> {

            const node = await start(options);
            await node.search({});
            return node;
        }

        it('is stored completely with the next changes after the disk was full', async () => {

            const first = await startComplete({});
            for (let i = 0; i < 20; ++i) {
                await first.write(null, object(`test/${i}`, 'one', i + 1));
            }

            await stop(first);
            let isFull = true;
            const node = new SearchNode(crowded(() => isFull), { owner: 'late', storeAfter: 10 });
            nodes.push(node);
            await node.index.start();
            expect((await node.search({ query: '/title:one' })).size).to.equal(20);
            const before = await node.segments.manifest();
            isFull = false;
            for (let i = 20; i < 40; ++i) {
                await node.write(null, object(`test/${i}`, 'one', i + 1));
            }

            await until(async () => (await node.segments.segments()).length > 0);
            await until(async () => ((await node.segments.manifest())?.covered ?? null) !== null, 40_000);

            expect(before?.covered).to.be.null();
            expect((await node.search({ query: '/title:one' })).size).to.equal(40);
        });

        async function stop(node: SearchNode): Promise<void> {

            nodes = nodes.filter((other) => other !== node);
            await node.index.stop();
        }

        function object(id: string, title: string, txnId: number): StoredObject {

            return {
                id, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
            };
        }

        async function storedSegments(node: SearchNode, count: number): Promise<void> {

            await until(async () => (await node.segments.segments()).length === count);
        }

        it('finds changes in the very next search, and no deleted objects', async () => {

            const node = await start();
            for (let i = 1; i <= 20; ++i) {
                const [first, second] = [object('test/1', `first ${i}`, i * 10), object('test/1', `second ${i}`, i * 10 + 1)];
                await node.write(null, first);
                expect((await node.search({ query: `/title:first AND ${i}` })).size).to.equal(1);
                await node.write(first, second);
                expect((await node.search({ query: '/title:first' })).size).to.equal(0);
                expect((await node.search({ query: `/title:second AND ${i}` })).hits.map(({ id }) => id)).to.equal(['test/1']);
                await node.write(second, null);
                expect((await node.search({})).size).to.equal(0);
            }
        });

        it('agrees with a naive matcher through changes, flushes, merges, restarts and kills', { timeout: roundsMs(300_000) }, async () => {

            const corpus = new SearchCorpus(99);
            const current = new Map<string, StoredObject>();
            let node = await start({ storeAfter: 25 });
            for (let round = 0; round < rounds(30, 60); ++round) {
                for (let change = corpus.below(30); change >= 0; --change) {
                    const id = `test/${corpus.below(60)}`;
                    const before = current.get(id) ?? null;
                    const after = before && corpus.once(4) ? null : objectOf(corpus.document(id));
                    await node.write(before, after);
                    current.delete(id);
                    if (after) {
                        current.set(id, after);
                    }
                }

                if (corpus.once(8)) {
                    await stop(node);
                    node = await start({ storeAfter: 25 });
                }

                for (let i = 0; i < 5; ++i) {
                    const request = corpus.request();
                    const found = await node.search(request);
                    const naive = naiveSearch(Array.from(current.values(), (object) => documentOf(object)), request);
                    const context = `round ${round}: ${JSON.stringify(request)}`;
                    expect(found.size, context).to.equal(naive.size);
                    if (request.sort.length > 0) {
                        expect(found.hits.map((hit) => hit.id), context).to.equal([...naive.ids]);
                    }
                }

                const all = await node.search({ sort: [{ field: 'id', reverse: false }] });
                expect(all.hits.map((hit) => hit.id), `round ${round}`).to.equal(naiveSearch(
                    Array.from(current.values(), (object) => documentOf(object)), { ...EVERYTHING, sort: [{ field: 'id', reverse: false }] }).ids as string[]);
            }
        });

        it('reads its segments after a restart, and the rest from the log', async () => {

            const first = await startComplete({ storeAfter: 10 });
            for (let i = 0; i < 10; ++i) {
                await first.write(null, object(`test/${i}`, 'stored', i + 1));
            }

            await storedSegments(first, 1);
            await first.write(null, object('test/later', 'later', 50));
            await first.write(object('test/3', 'stored', 4), null);
            await stop(first);

            const read: string[] = [];
            const second = await start({ described: ({ id }) => read.push(id) });

            expect((await second.search({ query: 'stored' })).size).to.equal(9);
            expect((await second.search({ query: 'later' })).size).to.equal(1);
            expect(read).to.equal(['test/later']);
        });

        it('is built for existing objects without an index', async () => {

            const first = await start();
            for (let i = 0; i < 250; ++i) {
                await first.write(null, object(`test/${i}`, 'old', i + 1));
            }

            await stop(first);
            await database.commit({ steps: [{ sql: 'delete from search_manifest', bindings: [] }, { sql: 'delete from search_log', bindings: [] }] });

            const second = await start();
            expect((await second.search({ query: 'old' })).size).to.equal(250);
            await stop(second);
            expect((await (await start()).search({ query: 'old' })).size).to.equal(250);
        });

        it('is rebuilt when a segment is damaged or of another layout', async () => {

            let node = await startComplete({ storeAfter: 5 });
            for (let i = 0; i < 5; ++i) {
                await node.write(null, object(`test/${i}`, 'kept', i + 1));
            }

            await storedSegments(node, 1);
            for (const damage of [
                `update search_sections set crc = crc + 1 where name = 'text.post'`,
                `delete from search_sections where name = 'col.ords'`,
                'update search_manifest set layout = 0'
            ]) {
                await stop(node);
                await database.commit({ steps: [{ sql: damage, bindings: [] }] });
                node = await start({ storeAfter: 5 });
                expect((await node.search({ query: 'kept' })).size, damage).to.equal(5);
            }
        });

        it('contains changes of other nodes', async () => {

            const [here, there] = [await start({ owner: 'here', isShared: true }), await start({ owner: 'there', isShared: true })];
            const first = object('test/1', 'one', 1);
            await here.write(null, first);
            await sleep(250);

            expect((await there.search({ query: 'one' })).size).to.equal(1);

            await there.write(first, object('test/1', 'two', 2));
            await here.write(null, object('test/2', 'two', 3));
            await sleep(250);

            for (const node of [here, there]) {
                expect((await node.search({ query: 'two' })).size).to.equal(2);
                expect((await node.search({ query: 'one' })).size).to.equal(0);
            }
        });

        it('contains a change with unknown outcome', async () => {

            const node = await start();
            const lost = object('test/lost', 'lost', 1);
            const { participant } = node.index;
            const committed = participant.committed?.bind(participant);
            participant.committed = () => {};
            await node.write(null, lost);
            participant.committed = committed as never;
            await stop(node);

            expect((await (await start()).search({ query: 'lost' })).size).to.equal(1);
        });

        it('prunes the log up to what all nodes have stored', async () => {

            const node = await startComplete({ storeAfter: 5 });
            for (let i = 0; i < 5; ++i) {
                await node.write(null, object(`test/${i}`, 'x', i + 1));
            }

            await storedSegments(node, 1);
            const count = { sql: 'select count(*) as n from search_log' };
            await until(async () => (await database.read<{ n: number }>(count, []))[0]?.n === 0);
        });

        it('returns many hits in batches, from one snapshot', async () => {

            const node = await start({ storeAfter: 300 });
            const objects = Array.from({ length: 1203 }, (_, i) => object(`test/${i}`, `word ${i}`, i + 1));
            await Promise.all(objects.map((one) => node.write(null, one)));

            const { size, hits } = await node.index.search({ ...EVERYTHING, query: 'word' });
            const first = await hits.next();
            await node.write(objects[1200] as StoredObject, null);
            const ids = [...first.value ?? []].map(({ id }) => id);
            for await (const block of hits) {
                expect(block.length).to.be.at.most(500);
                ids.push(...block.map(({ id }) => id));
            }

            expect(size).to.equal(1203);
            expect(new Set(ids).size).to.equal(1203);
        });

        it('reports an invalid query only to its caller', async () => {

            const node = await start();
            await node.write(null, object('test/1', 'one', 1));

            const [wrong, right] = await Promise.allSettled([node.search({ query: 'a AND' }), node.search({ query: 'one' })]);

            expect(wrong).to.include({ status: 'rejected' });
            expect((wrong as PromiseRejectedResult).reason).to.include({ message: 'Query parse failure at character 6: unexpected end of the query' });
            expect(right.status).to.equal('fulfilled');
        });

        it('ends a search that takes too long with 503', async () => {

            const node = await start({ timeout: 0 });
            await node.write(null, object('test/1', 'one', 1));

            await expect(node.search({ query: 'one' })).to.reject(/took too long/);
        });

        it('never contains the design object', async () => {

            const node = await start();
            await node.write(null, object('design', 'design', 1));

            expect((await node.search({})).size).to.equal(0);
        });
    });
});
