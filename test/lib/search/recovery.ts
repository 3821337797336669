import type { Worker } from 'node:worker_threads';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database, Unit } from '../../../db/database.js';
import { DatabaseError } from '../../../db/errors.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { naiveSearch } from '../../support/naive-search.js';
import { SearchCorpus } from '../../support/search-corpus.js';
import { documentOf, EVERYTHING, objectOf, SearchNode } from '../../support/search-node.js';
import { until } from '../../support/until.js';
import { watchedDatabase } from '../../support/watched-database.js';
import { watchWorkers } from '../../support/worker-threads.js';
import type { WatchedWorkers } from '../../support/worker-threads.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

forEachDatabase((name, create) => {

    describe(`the recovery of the search index on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let nodes: SearchNode[];
        let workers: WatchedWorkers;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            nodes = [];
            workers = watchWorkers();
        });

        afterEach(async () => {

            workers.restore();
            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
        });

        async function start(options: ConstructorParameters<typeof SearchNode>[1] = {}): Promise<SearchNode> {

            const node = new SearchNode(database, options);
            nodes.push(node);
            await node.index.start();
            await until(() => node.search({}).then(() => true, () => false));
            return node;
        }

        function object(number: number, title: string): StoredObject {

            return {
                id: `test/${number}`, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: number }
            };
        }

        async function write(node: SearchNode, from: number, to: number): Promise<void> {

            for (let number = from; number < to; ++number) {
                await node.write(null, object(number, `kept ${number % 3 === 0 ? 'third' : 'other'}`));
            }
        }

        /** Waits until there are so many segments, and the searching thread reads them instead of what it had in memory. */
        async function storedSegments(node: SearchNode, count: number): Promise<void> {

            await until(async () => (await node.segments.segments()).length === count && (await node.index.usage()).unstored === 0);
        }

        async function execute(sql: string): Promise<void> {

            await database.commit({ steps: [{ sql, bindings: [] }] });
        }

        const ends: readonly (readonly [how: string, end: (searcher: Worker) => void])[] = [
            ['is ended', (searcher) => void searcher.terminate()],
            // It cannot even take this apart.
            ['fails', (searcher) => searcher.postMessage(null)]
        ];
        for (const [how, end] of ends) {
            it(`answers the next search though the search thread ${how}, without missing or duplicate objects`, async () => {

                const node = await start({ storeAfter: 20 });
                await write(node, 1, 31);
                for (let round = 1; round <= 3; ++round) {
                    const searcher = workers.alive('search/runtime/search-worker.js').at(-1) as Worker;
                    end(searcher);
                    await write(node, round * 100, round * 100 + 10);

                    expect((await node.search({ query: 'kept' })).size, `round ${round}`).to.equal(30 + round * 10);
                }
            });
        }

        it('replaces a stuck search thread, and fails the search that waited for it', async () => {

            const node = await start({ storeAfter: 10, timeout: 200 });
            await write(node, 1, 11);
            await storedSegments(node, 1);
            const { segments } = node;
            const piece = segments.readRange.bind(segments);
            let release = (): void => {};
            const stuck = new Promise<void>((resolve) => {

                release = resolve;
            });
            segments.readRange = async (...args) => {

                await stuck;
                return await piece(...args);
            };

            const first = node.search({ query: '/title:"kept third"' });
            await expect(first).to.reject(/took too long/);
            release();

            await until(async () => await node.search({ query: '/title:"kept third"' }).then(({ size }) => size === 3, () => false));
        });

        it('abandons a flush silently at shutdown, and indexes everything at the next start', async () => {

            const faults: string[] = [];
            const note = (_fields: object, message: string): void => void faults.push(message);
            const node = await start({ storeAfter: 10, logger: { info() {}, warn: note, error: note } });
            const { segments } = node;
            const switchTo = segments.switch.bind(segments);
            let isStoring = false;
            let release = (): void => {};
            const held = new Promise<void>((resolve) => {

                release = resolve;
            });
            segments.switch = async (...args) => {

                isStoring = true;
                await held;
                await switchTo(...args);
            };

            await write(node, 1, 31);
            await until(() => isStoring);
            const stopped = node.index.stop();
            const [searcher] = workers.alive('search/runtime/search-worker.js');
            await until(() => searcher?.threadId === undefined || searcher.threadId === -1);
            release();
            await stopped;
            nodes = [];

            expect(faults).to.equal([]);
            expect((await (await start()).search({ query: 'kept' })).size).to.equal(30);
        });

        for (const [changes, segments] of [[600, 1], [20, 0]] as const) {
            it(`stores ${changes} changes ${segments === 1 ? '' : 'not '}when it is stopped, for the next start`, async () => {

                const described: string[] = [];
                const node = await start();
                await write(node, 1, changes + 1);
                await node.index.stop();
                const next = await start({ described: ({ id }) => void described.push(id) });
                nodes = [next];

                expect(await next.segments.segments()).to.have.length(segments);
                expect(described.length).to.equal(segments === 1 ? 0 : changes);
                expect((await next.search({ query: 'kept' })).size).to.equal(changes);
            });
        }

        it('stops in time though the index cannot be stored, and indexes everything at the next start', async () => {

            const node = await start();
            await write(node, 1, 301);
            let release = (): void => {};
            const held = new Promise<void>((resolve) => {

                release = resolve;
            });
            const { segments } = node;
            const writeSegment = segments.write.bind(segments);
            let isWriting = false;
            segments.write = async (...args) => {

                isWriting = true;
                await held;
                return await writeSegment(...args);
            };

            const stopped = node.index.stop();
            await until(() => isWriting && workers.alive('search/runtime/search-worker.js').length === 0);
            release();
            await stopped;
            nodes = [];

            expect((await (await start()).search({ query: 'kept' })).size).to.equal(300);
        });

        it('does not bring deleted objects back when it is unknown whether their deletion was stored', async () => {

            const first = await start({ storeAfter: 1000 });
            for (let from = 1; from <= 1000; from += 100) {
                await Promise.all(Array.from({ length: 100 }, (_, i) => first.write(null, object(from + i, 'kept'))));
            }

            await storedSegments(first, 1);
            await first.index.stop();
            let losses = 1;
            const flaky = Object.assign(watchedDatabase(database, () => {}), {
                commit: async (unit: Unit) => {

                    if (losses > 0 && unit.steps.some(({ sql }) => sql.includes('search_manifest') && sql.includes('covered'))) {
                        --losses;
                        throw new DatabaseError('unknown-outcome', 'cut');
                    }

                    return await database.commit(unit);
                }
            });
            const second = new SearchNode(flaky, { storeAfter: 50 });
            nodes = [second];
            await second.index.start();
            await second.search({});
            for (let number = 1; number <= 50; ++number) {
                await second.write(object(number, 'kept'), null);
            }

            await until(() => losses === 0);
            await write(second, 2001, 2051);
            await storedSegments(second, 2);
            await second.index.stop();

            expect((await (await start()).search({ query: 'kept' })).size).to.equal(1000);
        });

        it('gives no duplicates when a segment that was just stored cannot be read', async () => {

            const node = await start({ storeAfter: 10 });
            const { segments } = node;
            const switchTo = segments.switch.bind(segments);
            const piece = segments.readRange.bind(segments);
            let switches = 0;
            let isAway = false;
            segments.switch = async (...args) => {

                await switchTo(...args);
                isAway = ++switches === 1;
            };

            segments.readRange = async (...args) => {

                if (isAway) {
                    isAway = false;
                    throw new Error('the database is away');
                }

                return await piece(...args);
            };

            await write(node, 1, 11);
            await until(() => switches === 1 && !isAway);
            await write(node, 11, 21);
            await until(async () => (await segments.segments()).length === 2 && (await node.index.usage()).unstored === 0);
            await node.index.stop();

            expect((await (await start()).search({ query: 'kept' })).size).to.equal(20);
        });

        it('continues after the merge thread has ended', async () => {

            const node = await start({ storeAfter: 10 });
            await write(node, 1, 11);
            await storedSegments(node, 1);
            workers.alive('search/runtime/merge-worker.js').forEach((worker) => void worker.terminate());
            await write(node, 20, 50);

            expect((await node.search({ query: 'kept' })).size).to.equal(40);
            await until(async () => {

                await node.write(null, object(1000 + Math.floor(Math.random() * 1e6), 'more'));
                return (await node.segments.segments()).length > 1;
            });
        });

        it('rebuilds the index when a search reads a damaged section', async () => {

            const node = await start({ storeAfter: 10 });
            await write(node, 1, 11);
            await storedSegments(node, 1);
            await execute(`update search_sections set crc = crc + 1 where name = 'text.pos'`);

            expect((await node.search({ query: '/title:"kept third"' })).size).to.equal(3);
            expect((await node.search({ query: 'kept' })).size).to.equal(10);
        });

        it('answers from an index with other rules while everything is reindexed', async () => {

            const first = await start({ storeAfter: 10 });
            await write(first, 1, 251);
            await until(async () => (await database.read<{ covered: number }>({ sql: 'select covered from search_manifest' }, []))[0]?.covered !== 0);
            await first.index.stop();
            nodes = [];
            const [{ layout } = { layout: 0 }] = await database.read<{ layout: number }>({ sql: 'select layout from search_manifest' }, []);
            await execute('update search_manifest set layout = layout + 1000');

            const described = new Set<string>();
            const second = await start({ described: ({ id }) => void described.add(id) });
            expect((await second.search({ query: 'kept' })).size).to.equal(250);
            await until(async () => {

                expect((await second.search({ query: 'third' })).size).to.equal(83);
                return (await database.read<{ layout: number }>({ sql: 'select layout from search_manifest' }, []))[0]?.layout === layout;
            });

            expect(described.size).to.equal(250);
            expect((await second.search({ query: 'kept' })).size).to.equal(250);
        });

        it('answers the same with hardly any memory', async () => {

            const corpus = new SearchCorpus(5);
            const objects = Array.from({ length: 150 }, (_, i) => objectOf(corpus.document(`test/${i}`)));
            const first = await start({ storeAfter: 20 });
            for (const one of objects) {
                await first.write(null, one);
            }

            await first.index.stop();
            nodes = [];
            const second = await start({ memory: 1 });
            for (let round = 0; round < 60; ++round) {
                const request = corpus.request();
                const [found, naive] = [await second.search(request), naiveSearch(objects.map((one) => documentOf(one)), request)];
                expect(found.size, JSON.stringify(request)).to.equal(naive.size);
                if (request.sort.length > 0) {
                    expect(found.hits.map(({ id }) => id), JSON.stringify(request)).to.equal([...naive.ids]);
                }
            }

            const { cached: kept } = await second.index.usage();
            expect(kept).to.be.below(100_000);
        });

        it('throttles writers while the index is behind', async () => {

            const node = await start();
            const { participant } = node.index;
            const change = (number: number) => ({
                before: null, after: object(number, 'kept'), processed: null, steps: [], caller: EVERYTHING as never, now: 0
            });
            // Told as committed all at once, which is faster than they can be indexed.
            const changes = Array.from({ length: 2001 }, (_, i) => change(i + 1));
            for (const one of changes) {
                await participant.steps(one);
            }

            changes.forEach((one) => participant.committed?.(one));
            let isThrough = false;
            const late = Promise.resolve(participant.steps(change(5000))).then(() => {

                isThrough = true;
            });
            await Promise.resolve();

            expect(isThrough).to.be.false();
            await late;
            expect((await node.search({ query: 'kept' })).size).to.equal(2001);
        });
    });
});
