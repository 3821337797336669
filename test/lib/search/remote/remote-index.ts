/** Searches of a worker process: they see what was acknowledged, and end with the threads. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { ForPrimary } from '../../../../lib/errors/for-primary.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { RemoteIndex } from '../../../../lib/search/remote/remote-index.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { rounds, roundsMs } from '../../../support/rounds.js';
import { IndexFormStore } from '../../../../lib/stores/search/indexed-form-store.js';
import { ObjectScan } from '../../../../lib/stores/objects/object-scan.js';
import { EVERYTHING, SearchNode, sourceOf } from '../../../support/search-node.js';
import { until } from '../../../support/until.js';
import { watchWorkers, type WatchedWorkers } from '../../../support/worker-threads.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

const everything = (): Promise<boolean> => Promise.resolve(true);
const WITHOUT_CODE = { begin: () => everything };

const ROUNDS = rounds(60, 1000);
const TIMEOUT = { timeout: roundsMs(300_000) };
const PAGE: Partial<SearchRequest> = { limit: 10 };

forEachDatabase((name, create) => {

    describe(`searches of a worker process on ${name}`, TIMEOUT, () => {

        let place: TestDatabase;
        let database: Database;
        let folder: string;
        let nodes: SearchNode[];
        let remote: RemoteIndex;
        let threads: WatchedWorkers;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            folder = await mkdtemp(join(tmpdir(), 'gateway-remote-'));
            nodes = [];
            threads = watchWorkers();
            remote = new RemoteIndex({ socketPath: join(folder, 'search'), code: WITHOUT_CODE, isShared: false });
        });

        afterEach(async () => {

            await remote.stop();
            threads.restore();
            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
            await rm(folder, { recursive: true });
        });

        async function start(options: ConstructorParameters<typeof SearchNode>[1] = {}): Promise<SearchNode> {

            const node = new SearchNode(database, { socketPath: join(folder, 'search'), ...options });
            nodes.push(node);
            await node.index.start();
            await until(() => node.search({}).then(() => true, () => false));
            if (options.socketPath !== null) {
                await until(() => remote.search({ ...EVERYTHING, ...PAGE }).then(() => true, () => false));
            }

            return node;
        }

        function object(id: number | string, n: number): StoredObject {

            return {
                id: `test/${id}`, type: 'Document', content: { n }, acl: null, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: n + 1 }
            };
        }

        const sizeOf = async (query: string): Promise<number> => (await remote.search({ ...EVERYTHING, ...PAGE, query })).size;

        const errorOf = (search: Promise<unknown>): Promise<Error> => search.then(() => Promise.reject(new Error('it does not fail')), (error: Error) => error);

        it('find the same as those of the primary process, and fail alike', async () => {

            const node = await start();
            for (let n = 0; n < 30; ++n) {
                await node.write(null, object(n, n));
            }

            const requests: Partial<SearchRequest>[] = [
                { query: '/n:[3 TO 17]', sort: [{ field: '/n', reverse: true }], limit: 5, start: 5 },
                { query: '*:*', facets: [{ field: '/n', maxBuckets: 4 }], limit: 0 }, { query: 'none', limit: 3 }, { query: '*:*', limit: 500 },
                { query: '/n:7', includeScore: true, limit: 1 }
            ];
            for (const request of requests) {
                const expected = await node.search(request);
                const { size, facets, hits } = await remote.search({ ...EVERYTHING, ...request });
                const found = [];
                for await (const block of hits) {
                    found.push(...block);
                }

                expect({ size, facets, hits: found }).to.equal(expected);
            }

            for (const query of ['(', '/n:[1 TO', 'a:b:c:"']) {
                const error = await errorOf(node.search({ query }));
                const other = await errorOf(remote.search({ ...EVERYTHING, ...PAGE, query }));
                expect(other.message).to.equal(error.message);
            }
        });

        it('leave those without a limit to the primary process', async () => {

            await start();
            for (const limit of [null, 501]) {
                await expect(remote.search({ ...EVERYTHING, limit })).to.reject(ForPrimary);
            }
        });

        it('see every change that was acknowledged before, while the log is read as well', async () => {

            const node = await start({ storeAfter: 20 });
            let acknowledged = 0;
            let isOver = false;
            await node.write(null, object('counter', 0));
            const reading = (async () => {

                for (; !isOver; await delay(Math.random() * 5)) {
                    await node.index.catchUp();
                }
            })();
            const searching = Promise.all(Array.from({ length: 4 }, async () => {

                let count = 0;
                for (; !isOver; ++count) {
                    const before = acknowledged;
                    expect(await sizeOf(`/n:[${before} TO *] AND id:"test/counter"`), String(before)).to.equal(1);
                }

                return count;
            }));
            const writing = (async () => {

                for (let n = 1; n <= ROUNDS; ++n) {
                    await node.write(object('counter', n - 1), object('counter', n));
                    acknowledged = n;
                    await delay(Math.random() * 15);
                }
            })();
            try {
                await Promise.race([writing, searching]);
            }
            finally {
                isOver = true;
            }

            await Promise.all([writing, reading]);
            expect(Math.min(...await searching)).to.be.above(0);
        });

        it('see a change that was found in the log before its commit was reported', async () => {

            const source = sourceOf(new ObjectScan(database), new IndexFormStore(database));
            let release = (): void => {};
            let held: Promise<void> | null = null;
            let isReading = false;
            const node = await start({
                source: {
                    ...source,
                    byIds: async (ids) => {

                        isReading = held !== null;
                        await held;
                        return await source.byIds(ids);
                    }
                }
            });
            let reading: Promise<void> = Promise.resolve();
            await node.write(null, object('found', 1), undefined, async () => {

                held = new Promise((resolve) => {

                    release = resolve;
                });
                reading = node.index.catchUp();
                await until(() => isReading);
            });
            const search = sizeOf('/n:1');
            await delay(100);
            release();

            expect(await search).to.equal(1);
            await reading;
        });

        it('see what another node has written after the time that they may miss it', async () => {

            await start({ isShared: true });
            const other = await start({ isShared: true, owner: 'other', socketPath: null });
            for (let n = 0; n < 5; ++n) {
                await other.write(null, object(n, n));
                await delay(220);
                expect(await sizeOf(`/n:${n}`)).to.equal(1);
            }
        });

        for (const script of ['search/runtime/search-worker.js', 'search/relay/relay-worker.js']) {
            it(`are for the primary process, and later found again, when ${script} ends`, async () => {

                const node = await start();
                for (let round = 1; round <= 3; ++round) {
                    let isOver = false;
                    const searching = Promise.all(Array.from({ length: 3 }, async () => {

                        while (!isOver) {
                            const { size } = await remote.search({ ...EVERYTHING, ...PAGE }).catch((error: unknown) => {

                                expect(error).to.be.instanceof(ForPrimary);
                                return { size: round };
                            });
                            expect(size).to.be.at.least(round - 1);
                            await delay(1);
                        }
                    }));
                    await threads.alive(script).at(-1)?.terminate();
                    await node.write(null, object(round, round));
                    await until(async () => await sizeOf(`/n:${round}`).catch(() => 0) === 1);
                    isOver = true;
                    await searching;
                    expect(await sizeOf('*:*')).to.equal(round);
                }
            });
        }

        it('are for the primary process when the search thread is stuck, which that one replaces', async () => {

            const node = await start({ storeAfter: 10, timeout: 200 });
            const impatient = new RemoteIndex({ socketPath: join(folder, 'search'), code: WITHOUT_CODE, isShared: false, timeout: 200 });
            for (let n = 0; n < 10; ++n) {
                await node.write(null, object(n, n));
            }

            await until(async () => (await node.segments.segments()).length === 1 && (await node.index.usage()).unstored === 0);
            const read = node.segments.readRange.bind(node.segments);
            let release = (): void => {};
            const stuck = new Promise<void>((resolve) => {

                release = resolve;
            });
            node.segments.readRange = async (...range) => {

                await stuck;
                return await read(...range);
            };

            const search = impatient.search({ ...EVERYTHING, ...PAGE, query: '/n:[2 TO 5]' });
            await Promise.all([expect(search).to.reject(ForPrimary), expect(node.search({ query: '/n:[3 TO 5]' })).to.reject(/took too long/)]);
            release();

            await until(async () => await sizeOf('/n:[2 TO 5]').catch(() => 0) === 4);
            await impatient.stop();
        });

        it('are for the primary process where there is none', async () => {

            await expect(remote.search({ ...EVERYTHING, ...PAGE })).to.reject(ForPrimary);
            await start();
            expect(await sizeOf('*:*')).to.equal(0);
        });
    });
});
