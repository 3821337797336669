/** The log of changes when numbers of rows have holes, come late, or are very many. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Mysql from 'mysql2/promise';
import type { Database } from '../../../db/database.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { SearchLogStore } from '../../../lib/stores/search/change-log-store.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { SearchNode } from '../../support/search-node.js';
import { until } from '../../support/until.js';
import { watchedDatabase } from '../../support/watched-database.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

function object(id: string, title: string, txnId = 1): StoredObject {

    return {
        id, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
    };
}

forEachDatabase((name, create, dialect) => {

    describe(`the change log on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let nodes: SearchNode[];
        let connections: Mysql.Connection[];
        /** Statements that read. */
        let readings: number;

        beforeEach(async () => {

            place = await create();
            database = await place.open();
            nodes = [];
            connections = [];
            readings = 0;
        });

        afterEach(async () => {

            connections.forEach((connection) => connection.destroy());
            await Promise.all(nodes.map((node) => node.index.stop()));
            await place.dispose();
        });

        async function start(owner: string): Promise<SearchNode> {

            const node = new SearchNode(watchedDatabase(database, () => void ++readings), { owner, isShared: true, storeAfter: 50 });
            nodes.push(node);
            await node.index.start();
            await node.index.complete();
            return node;
        }

        async function restart(node: SearchNode, owner: string): Promise<SearchNode> {

            await node.index.stop();
            nodes = nodes.filter((other) => other !== node);
            return await start(owner);
        }

        /** Whatever is found after everything that was committed has been read. */
        async function count(node: SearchNode, query: string): Promise<number> {

            await node.index.catchUp();
            return (await node.search({ query })).size;
        }

        /** The fewest statements of some searches that each read the log: others may be read in the background. */
        async function cost(node: SearchNode): Promise<number> {

            const costs: number[] = [];
            for (let n = 0; n < 5; ++n) {
                readings = 0;
                await count(node, 'nothing');
                costs.push(readings);
            }

            return Math.min(...costs);
        }

        const left = async (): Promise<number> => (await database.read<{ n: number }>({ sql: 'select count(*) as n from search_log' }, []))[0]?.n ?? 0;

        it('is ordered once, by any of several concurrent nodes', async () => {

            const log = new SearchLogStore(database);
            for (let n = 0; n < 1200; n += 100) {
                await log.append(Array.from({ length: 100 }, (_, i) => ({ objectId: `test/${n + i}`, origin: 'one', number: n + i })), []);
            }

            await Promise.all(Array.from({ length: 4 }, async () => {

                while (await left() > 0) {
                    await log.order();
                }
            }));

            const ids = await ordered();
            expect(ids).to.have.length(1200);
            expect(new Set(ids).size).to.equal(1200);
            expect(await log.last()).to.equal(3);
        });

        it('is ordered without the remains of a node that ended in the middle', async () => {

            const log = new SearchLogStore(database);
            await log.append([{ objectId: 'test/1', origin: 'one', number: 1 }], []);
            const [row] = await log.unordered(0);
            await database.commit({ steps: [{
                sql: 'insert into search_batches (position, changes) values (?, ?)', bindings: [1, JSON.stringify([[row?.seq ?? 0, 'test/1', 'one', 1]])]
            }] });

            await log.append([{ objectId: 'test/2', origin: 'one', number: 2 }], []);
            await log.order();

            expect((await log.batches(0)).map(({ rows }) => rows.map(({ objectId }) => objectId))).to.equal([['test/1'], ['test/2']]);
            expect(await left()).to.equal(0);
        });

        /** Inserts rows as a server does that hands out numbers from a range of its own. */
        async function insertFrom(first: number, rows: number): Promise<void> {

            for (let n = first; n < first + rows; ++n) {
                const sql = 'insert into search_log (seq, object_id, origin, number) values (?, ?, ?, ?)';
                await database.commit({ steps: [{ sql, bindings: [n, `test/${n}`, 'other', n] }], shared: true });
            }
        }

        async function ordered(): Promise<string[]> {

            const log = new SearchLogStore(database);
            const ids: string[] = [];
            for (let batches = await log.batches(0); batches.length > 0; batches = await log.batches(batches.at(-1)?.position ?? 0)) {
                ids.push(...batches.flatMap(({ rows }) => rows.map(({ objectId }) => objectId)));
            }

            return ids;
        }

        it('is ordered once while servers hand out numbers from ranges of their own', async () => {

            const log = new SearchLogStore(database);
            let isOver = false;
            const nodes = [1, 2].map(async () => {

                while (!isOver || await left() > 0) {
                    await log.order();
                    await nextTurn();
                }
            });
            await Promise.all([60_001, 30_001, 1].map((first) => insertFrom(first, 300)));
            isOver = true;
            await Promise.all(nodes);

            const ids = await ordered();
            expect([ids.length, new Set(ids).size]).to.equal([900, 900]);
        });

        it('is ordered once where remains of a batch follow more rows than are read at a time', async () => {

            await database.commit({ steps: [
                { sql: 'insert into search_log (seq, object_id, origin, number) values (?, ?, ?, ?)', bindings: [90_000, 'test/90000', 'other', 1] },
                { sql: 'insert into search_batches (position, changes) values (?, ?)', bindings: [1, JSON.stringify([[90_000, 'test/90000', 'other', 1]])] }
            ] });
            const rows = Array.from({ length: 600 }, (_, i) => i + 1);
            await database.commit({ steps: rows.map((n) => (
                { sql: 'insert into search_log (seq, object_id, origin, number) values (?, ?, ?, ?)', bindings: [n, `test/${n}`, 'other', n] })) });
            const log = new SearchLogStore(database);
            while (await left() > 0) {
                await log.order();
            }

            const ids = await ordered();
            expect([ids.length, new Set(ids).size]).to.equal([601, 601]);
        });

        it('keeps its highest position, so that none is assigned twice', async () => {

            const log = new SearchLogStore(database);
            for (const number of [1, 2, 3]) {
                await log.append([{ objectId: `test/${number}`, origin: 'one', number }], []);
                await log.order();
            }

            while (!await log.prune(3)) {
                // A few at a time.
            }

            expect(await log.last()).to.equal(3);
            expect((await log.batches(0)).map(({ position }) => position)).to.equal([3]);
        });

        it('costs a search a few statements, also after thousands of changes', async () => {

            const [here, there] = [await start('here'), await start('there')];
            await Promise.all(Array.from({ length: 1500 }, (_, n) => here.write(null, object(`test/${n}`, 'many'))));

            expect(await count(there, 'many')).to.equal(1500);
            expect(await cost(there)).to.be.at.most(6);
            expect(await cost(await restart(there, 'there'))).to.be.at.most(6);
        });

        const seenOn = async (owner: string): Promise<number | undefined> => {

            return (await database.read<{ seen_on: number }>({ sql: 'select seen_on from search_manifest where owner = ?' }, [owner]))[0]?.seen_on;
        };

        async function write(node: SearchNode, from: number, to: number): Promise<void> {

            for (let n = from; n < to; ++n) {
                await node.write(null, object(`test/${n}`, 'many'));
            }
        }

        it('makes a running node rebuild its index when the others have forgotten it', async () => {

            const there = await start('there');
            await write(there, 0, 60);
            await until(async () => (await there.segments.segments()).length > 0);
            await database.commit({ steps: [{ sql: `delete from search_manifest where owner = 'there'`, bindings: [] }] });
            await write(there, 60, 180);
            await until(async () => typeof (await there.segments.manifest())?.covered === 'number');

            expect(await count(there, 'many')).to.equal(180);
            expect(await count(await restart(there, 'there'), 'many')).to.equal(180);
        });

        it('makes a node rebuild its index when changes that it missed were pruned; requests wait for that', async () => {

            const [here, there, reading] = [await start('here'), await start('there'), await start('reading')];
            const started = performance.now();
            await database.commit({ steps: [{ sql: `delete from search_manifest where owner <> 'here'`, bindings: [] }] });
            await write(here, 0, 180);
            const log = new SearchLogStore(database);
            for (let last = 0; last < 3; last = await log.last()) {
                await log.append([{ objectId: 'test/none', origin: 'other', number: last }], []);
                await log.order();
            }

            while (!await log.prune(3)) {
                // A few at a time.
            }

            // A search reads the log when it was not read for a while.
            await until(() => performance.now() - started > 500);
            const searched = there.search({ query: 'many' });
            const read = count(reading, 'many');
            expect([(await searched).size, await read]).to.equal([180, 180]);
            expect(await count(await restart(there, 'there'), 'many')).to.equal(180);
        });

        it('knows running nodes, even if they store nothing', async () => {

            const here = await start('here');
            const forget = { steps: [{ sql: `update search_manifest set seen_on = 1 where owner = 'here'`, bindings: [] }] };
            await until(async () => (await here.segments.manifest())?.covered !== null);
            await database.commit(forget);
            const again = await restart(here, 'here');
            expect(await seenOn('here') ?? 0).to.be.above(1);

            await again.index.stop();
            nodes = [];
            const lively = new SearchNode(database, { owner: 'here', isShared: true, aliveEvery: 0 });
            nodes.push(lively);
            await lively.index.start();
            await database.commit(forget);
            await until(async () => await seenOn('here') !== 1);
        });

        if (dialect !== 'mysql') {
            return;
        }

        async function connect(): Promise<Mysql.Connection> {

            const connection = await Mysql.createConnection(place.options.url ?? '');
            connections.push(connection);
            return connection;
        }

        /** Numbers that go in steps, with an insert that was undone now and then, as on a cluster. */
        async function insertWithHoles(rows: number): Promise<void> {

            const connection = await connect();
            await connection.query('set session auto_increment_increment = 3, auto_increment_offset = 2');
            for (let n = 0; n < rows;) {
                await connection.query('begin');
                await connection.query('insert into search_log (object_id, origin, number) values (?, ?, ?)', ['test/undone', 'other', n]);
                await connection.query('rollback');
                const some = Array.from({ length: Math.min(rows - n, 5000) }, (_, i) => [`test/${(n + i) % 100}`, 'other', n + i]);
                await connection.query('insert into search_log (object_id, origin, number) values ?', [some]);
                n += some.length;
            }

        }

        it('costs a search a few statements when its numbers have gaps', async () => {

            const node = await start('here');
            await insertWithHoles(5000);
            await node.index.catchUp();
            await until(async () => {

                await new SearchLogStore(database).order();
                return await left() === 0;
            });

            expect(await cost(node)).to.be.at.most(6);
            expect(await cost(await restart(node, 'here'))).to.be.at.most(6);
        });

        it('is read to its end though 150,000 changes follow a gap', async () => {

            const node = await start('here');
            const open = await connect();
            await open.query('begin');
            await open.query('insert into search_log (object_id, origin, number) values (?, ?, ?)', ['test/1', 'other', 0]);
            await insertWithHoles(150_000);
            await node.write(null, object('test/1', 'found'));

            expect(await count(node, 'found')).to.equal(1);

            await node.index.stop();
            nodes = [];
            const again = await start('here');
            expect(await count(again, 'found')).to.equal(1);
            await open.query('rollback');
            expect(await count(again, 'found')).to.equal(1);
        });

        it('contains changes that are committed late, even after later ones were ordered and pruned', async () => {

            const [here, there] = [await start('here'), await start('there')];
            const late = await connect();
            await late.query('begin');
            await late.query('insert into search_log (object_id, origin, number) values (?, ?, ?)', ['test/late', 'stopped', 1]);
            for (let n = 0; n < 200; ++n) {
                await (n % 2 ? here : there).write(null, object(`test/${n}`, 'early'));
            }

            await until(async () => {

                await new SearchLogStore(database).order();
                return await count(here, 'early') === 200 && await count(there, 'early') === 200 && await left() === 0;
            });
            const restarted = await restart(there, 'there');

            // The object itself is stored by somebody whose row in the log comes late.
            const silent = new SearchNode(database, { owner: 'silent' });
            silent.index.participant.steps = async () => [];
            await silent.write(null, object('test/late', 'late'));
            expect(await count(here, 'late')).to.equal(0);
            await late.query('commit');

            expect(await count(here, 'late')).to.equal(1);
            expect(await count(restarted, 'late')).to.equal(1);
            expect(await count(await restart(restarted, 'there'), 'late')).to.equal(1);
        });

        it('is ordered beside a transaction that was left open', async () => {

            const log = new SearchLogStore(database);
            const open = await connect();
            await open.query('begin');
            await open.query('insert into search_log (object_id, origin, number) values (?, ?, ?)', ['test/open', 'stopped', 1]);
            for (const rows of [1, 3, 400]) {
                await log.append(Array.from({ length: rows }, (_, number) => ({ objectId: `test/${number}`, origin: 'one', number })), []);
                const started = performance.now();
                await log.order();
                // The server lets a transaction wait for ten seconds for the lock of another one.
                expect(performance.now() - started).to.be.below(9000);
                expect(await left()).to.equal(0);
            }

        });
    });
});
