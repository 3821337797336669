/** The index of a node that runs on while the database loses its last commits. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../db/database.js';
import { SILENT } from '../../../db/log.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import type { EngineClient, EngineRequest } from '../../../lib/search/opensearch/engine-client.js';
import { EngineError } from '../../../lib/search/opensearch/engine-error.js';
import type { EngineWriter } from '../../../lib/search/opensearch/engine-writer.js';
import { Feeder } from '../../../lib/search/opensearch/feeder.js';
import type { FeedState, FeedStates } from '../../../lib/search/opensearch/feed-state.js';
import { ObjectScan } from '../../../lib/stores/objects/object-scan.js';
import { ObjectStore } from '../../../lib/stores/objects/object-store.js';
import { SearchLogStore } from '../../../lib/stores/search/change-log-store.js';
import { IndexFormStore } from '../../../lib/stores/search/indexed-form-store.js';
import { forEachDatabase, type TestDatabase } from '../../support/database.js';
import { SearchNode, sourceOf } from '../../support/search-node.js';
import { until } from '../../support/until.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

function object(id: string, title = 'any', txnId = 1): StoredObject {

    return {
        id, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
    };
}

forEachDatabase((name, create) => {

    describe(`an index beside a database that has lost commits, on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let log: SearchLogStore;
        let objects: ObjectStore;
        let nodes: SearchNode[];
        let losses: number;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            log = new SearchLogStore(database);
            objects = new ObjectStore(database);
            nodes = [];
            losses = 0;
        });

        afterEach(async () => {

            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
        });

        async function start(): Promise<SearchNode> {

            const node = new SearchNode(database, { isShared: true, onWentBack: () => void ++losses });
            nodes.push(node);
            await node.index.start();
            await node.index.complete();
            return node;
        }

        const run = (sql: string): Promise<unknown> => database.commit({ steps: [{ sql, bindings: [] }] });

        /** Writes an object like another node. */
        async function writeElsewhere(id: string, number: number): Promise<void> {

            await database.commit({ steps: [...objects.insertSteps(object(id), 'taken'), ...log.steps(id, 'other', number)] });
        }

        async function idsOf(node: SearchNode): Promise<string[]> {

            await node.index.catchUp();
            return (await node.search({})).hits.map(({ id }) => id).sort();
        }

        /** Three batches, of which the last two are lost; there are three others instead. */
        async function replaceBatches(): Promise<void> {

            await run('delete from search_batches where position > 1');
            await run('delete from objects where id in (\'test/2\', \'test/3\')');
            for (const n of [4, 5, 6]) {
                await writeElsewhere(`test/${n}`, n);
                await log.order();
            }
        }

        it('is built again when batches of the log are others', async () => {

            const node = await start();
            for (const n of [1, 2, 3]) {
                await node.write(null, object(`test/${n}`));
                await log.order();
            }

            const before = await idsOf(node);
            await replaceBatches();
            const after = await idsOf(node);

            expect(before).to.equal(['test/1', 'test/2', 'test/3']);
            expect(after).to.equal(['test/1', 'test/4', 'test/5', 'test/6']);
            expect([losses, await log.last()]).to.equal([1, 4]);
        });

        it('is built again when the log is shorter', async () => {

            const node = await start();
            for (const n of [1, 2, 3]) {
                await node.write(null, object(`test/${n}`));
                await log.order();
            }

            await idsOf(node);
            await run('delete from search_batches where position > 2');
            await run('delete from objects where id = \'test/3\'');

            expect(await idsOf(node)).to.equal(['test/1', 'test/2']);
            expect(losses).to.equal(1);
        });

        it('loses own changes that were in no batch', async () => {

            const node = await start();
            await node.write(null, object('test/1'));
            await node.write(null, object('test/2'));
            await run('delete from search_log where object_id = \'test/2\'');
            await run('delete from objects where id = \'test/2\'');

            expect(await idsOf(node)).to.equal(['test/1']);
            expect(losses).to.equal(0);
        });

        for (const [row, number] of [['', null], [', though another one has the number of its row', 3]] as const) {
            it(`loses changes of other nodes that were in no batch${row}`, async () => {

                const node = await start();
                await writeElsewhere('test/1', 1);
                await writeElsewhere('test/2', 2);
                const before = await idsOf(node);
                const seq = (await log.unordered(0)).at(-1)?.seq;
                await run('delete from search_log where object_id = \'test/2\'');
                await run('delete from objects where id = \'test/2\'');
                if (number !== null) {
                    await database.commit({ steps: objects.insertSteps(object('test/3'), 'taken') });
                    await run(`insert into search_log (seq, object_id, origin, number) values (${seq}, 'test/3', 'other', ${number})`);
                }

                expect(before).to.equal(['test/1', 'test/2']);
                expect(await idsOf(node)).to.equal(number === null ? ['test/1'] : ['test/1', 'test/3']);
            });
        }

        describe('in another engine', () => {

            let engine: FakeEngine;
            let controller: AbortController;
            let running: Promise<void>;

            beforeEach(() => {

                engine = new FakeEngine();
                controller = new AbortController();
                const stored = sourceOf(new ObjectScan(database), new IndexFormStore(database));
                const feeder = new Feeder({
                    client: engine as unknown as EngineClient, states: engine as unknown as FeedStates, writer: engine as unknown as EngineWriter,
                    source: stored, changes: log, log: SILENT, prefix: 'test', shards: 1,
                    order: async () => void await log.order(), demand: () => Promise.resolve(), reached: () => {}, wentBack: () => void ++losses
                });
                running = feeder.run({ signal: controller.signal, checkLease: () => {} }).catch(() => {});
            });

            afterEach(async () => {

                controller.abort();
                await running;
            });

            async function writeBatches(...numbers: readonly number[]): Promise<void> {

                for (const n of numbers) {
                    await writeElsewhere(`test/${n}`, n);
                    await log.order();
                }
            }

            async function expectBuiltAgain(first: string | null): Promise<void> {

                await until(() => engine.state?.index !== null && engine.state?.position === 4);
                expect(engine.state?.index).to.not.equal(first);
                expect([...engine.ids.get(engine.state?.index ?? '') ?? []].sort()).to.equal(['test/1', 'test/4', 'test/5', 'test/6']);
                expect(losses).to.equal(1);
            }

            it('is built again', async () => {

                await writeBatches(1, 2, 3);
                await until(() => engine.state?.index !== null && engine.state?.position === 3);
                const first = engine.state?.index ?? null;
                await replaceBatches();

                await expectBuiltAgain(first);
            });

            it('is built again when the feeder ends before it has stored what was applied', async () => {

                await writeBatches(1);
                await until(() => engine.state?.index !== null && engine.state?.position === 1);
                const first = engine.state?.index ?? null;
                let end: (error: Error) => void = () => {};
                let isApplied = false;
                engine.applied = () => new Promise((_resolve, reject) => {

                    isApplied = true;
                    end = reject;
                });
                await writeBatches(2);
                await until(() => isApplied);
                expect([...engine.ids.get(first ?? '') ?? []].sort()).to.equal(['test/1', 'test/2']);
                await replaceBatches();
                engine.applied = () => Promise.resolve();
                end(new EngineError('unreachable', 'no answer'));

                await expectBuiltAgain(first);
            });

            it('goes on when the feeder ends before it has stored what was applied, and nothing is lost', async () => {

                await writeBatches(1);
                await until(() => engine.state?.index !== null && engine.state?.position === 1);
                const first = engine.state?.index ?? null;
                let failures = 0;
                engine.applied = () => (failures++ === 0 ? Promise.reject(new EngineError('unreachable', 'no answer')) : Promise.resolve());
                await writeBatches(2);
                await until(() => engine.state?.position === 2);

                expect([engine.state?.index, engine.state?.applying, failures, losses]).to.equal([first, null, 2, 0]);
            });
        });
    });
});

/** As much of OpenSearch as the feeder needs. */
class FakeEngine {

    state: FeedState | null = null;
    /** Called with what was applied. */
    applied: () => Promise<void> = () => Promise.resolve();
    /** Ids of the documents of each index. */
    readonly ids = new Map<string, Set<string>>();
    readonly #used = new Set<string>();
    #mark = 0;

    abort(): void {}

    async read() {

        return { state: this.state, mark: { seqNo: this.#mark, term: 1 } };
    }

    async write(state: FeedState) {

        this.state = state;
        return { state, mark: { seqNo: ++this.#mark, term: 1 } };
    }

    async lowestOfOthers(): Promise<number> {

        return Infinity;
    }

    async apply({ index }: { index: string }, ids: readonly string[]): Promise<void> {

        ids.forEach((id) => this.ids.get(index)?.add(id));
        await this.applied();
    }

    async store({ index }: { index: string }, documents: readonly { id: string }[]): Promise<void> {

        documents.forEach(({ id }) => this.ids.get(index)?.add(id));
    }

    async send({ method, path, body }: EngineRequest): Promise<object> {

        const name = path.split('/')[1] ?? '';
        if (method === 'PUT') {
            this.ids.set(name, new Set());
        }
        else if (method === 'DELETE') {
            this.ids.delete(name);
        }
        else if (path === '/_aliases') {
            for (const { add, remove } of (body as { actions: { add?: { index: string }; remove?: { index: string } }[] }).actions) {
                this.#used.add(add?.index ?? '');
                this.#used.delete(remove?.index ?? '');
            }
        }
        else if (name.endsWith('-w')) {
            const index = name.slice(0, -2);
            if (!this.ids.has(index)) {
                throw new EngineError('missing', 'there is no such index');
            }

            return { [index]: { aliases: {} } };
        }
        else if (path.endsWith('/_alias')) {
            return Object.fromEntries([...this.ids.keys()].map((index) => [index, { aliases: this.#used.has(index) ? { [name.slice(0, -2)]: {} } : {} }]));
        }

        return {};
    }
}
