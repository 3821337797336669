import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { documentOf, objectOf, SearchNode } from '../../../support/search-node.js';
import { until } from '../../../support/until.js';
import { watchWorkers } from '../../../support/worker-threads.js';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

/** So many searches for words come before the first that is answered at once. */
const BEFORE = 10;

/** Turns of waiting promises; an answer of another thread comes in none of them. */
const TURNS = 100;

const WORDS = ['tess', 'durbeyfield', 'family', 'foo', 'bar', 'x', '2004', '5', 'null', 'absent'];
const FIELDS = ['', '/title:', '/tags/_:', 'scan:', 'userMetadata/note:', 'type:'];

forEachDatabase((name, create) => {

    describe(`the fast path for single terms on ${name}`, () => {

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

        function object(id: string, title: string, readers: readonly string[] = ['public']): StoredObject {

            return {
                id, type: 'Document', content: { title }, acl: { readers: [...readers] }, userMetadata: null, elements: [],
                metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: ++txnId }
            };
        }

        let txnId = 0;

        /** The answer to a search when it comes before anything else happens; null when it does not. */
        async function atOnce(node: SearchNode, request: Partial<SearchRequest>) {

            let found: Awaited<ReturnType<SearchNode['search']>> | null = null;
            const search = node.search(request).then((answer) => {

                found = answer;
            });
            for (let turn = 0; turn < TURNS && found === null; ++turn) {
                await Promise.resolve();
            }

            const prompt: typeof found = found;
            await search;
            return prompt as Awaited<ReturnType<SearchNode['search']>> | null;
        }

        /** Asks until it is answered at once. */
        async function becomesPrompt(node: SearchNode, request: Partial<SearchRequest>): Promise<void> {

            await until(async () => await atOnce(node, request) !== null);
        }

        it('begins after a few searches for terms, and ends with a change', async () => {

            const node = await start({ storeAfter: 5 });
            const first = object('test/1', 'one');
            await node.write(null, first);
            await node.search({ query: '/title:one' });
            for (let i = 1; i < BEFORE; ++i) {
                expect(await atOnce(node, { query: '/title:one' }), String(i)).to.be.null();
            }

            await becomesPrompt(node, { query: '/title:one' });
            expect((await atOnce(node, { query: '/title:one' }))?.hits).to.equal([{ id: 'test/1', score: null }]);
            expect((await atOnce(node, { query: '/title:other' }))?.size).to.equal(0);

            await node.write(first, object('test/1', 'other'));
            expect(await atOnce(node, { query: '/title:one' })).to.be.null();
            expect((await node.search({ query: '/title:one' })).size).to.equal(0);
            expect((await node.search({ query: '/title:other' })).size).to.equal(1);
            await becomesPrompt(node, { query: '/title:other' });
            expect((await atOnce(node, { query: '/title:other' }))?.size).to.equal(1);
        });

        it('returns the preceding write, and no deleted object, at any moment', async () => {

            const node = await start({ storeAfter: 7 });
            let last: StoredObject | null = null;
            let prompt = 0;
            for (let i = 0; i < 40; ++i) {
                const next = object('test/1', `word${i % 2}`);
                await node.write(last, next);
                last = next;
                for (let j = 0; j < 8 + i % 8; ++j) {
                    const found = await atOnce(node, { query: `/title:word${i % 2}` });
                    prompt += Number(found !== null);
                    expect(found?.size ?? 1, `${i} ${j}`).to.equal(1);
                    expect((await node.search({ query: `/title:word${1 - i % 2}` })).size, `${i} ${j}`).to.equal(0);
                }
            }

            expect(prompt).to.be.above(40);
        });

        it('agrees with the search thread, for every caller, through changes, flushes and merges', async () => {

            const corpus = new SearchCorpus(51);
            const current = new Map<string, StoredObject>();
            // A budget so small that things go all the time comes last.
            for (const [memory, rounds] of [[undefined, 12], [150_000, 3]] as const) {
                const node = await start({ storeAfter: 20, ...memory === undefined ? {} : { memory } });
                let prompt = 0;
                for (let round = 0; round < rounds; ++round) {
                    for (let change = corpus.below(15); change >= 0; --change) {
                        const id = `test/${corpus.below(80)}`;
                        const before = current.get(id) ?? null;
                        const after = before && corpus.once(4) ? null : objectOf(corpus.document(id));
                        await node.write(before, after);
                        current.delete(id);
                        if (after) {
                            current.set(id, after);
                        }
                    }

                    const documents = Array.from(current.values(), (stored) => documentOf(stored));
                    const asking = Array.from({ length: 3 }, () => ({
                        access: corpus.access(), includeVersions: !corpus.once(5), field: corpus.pick(FIELDS)
                    }));
                    for (let i = 0; i < 60; ++i) {
                        const { field, ...caller } = corpus.pick(asking);
                        const request = {
                            ...corpus.request(), ...caller, filterQueries: [], facets: [], sort: [], query: field + corpus.pick(WORDS)
                        };
                        const found = await atOnce(node, request);
                        prompt += Number(found !== null);
                        const context = `round ${round}: ${JSON.stringify(request)}`;
                        expect(found?.size ?? 0, context).to.equal(found ? naiveSearch(documents, request).size : 0);
                        expect(found ?? 0, context).to.equal(found ? await node.search({ ...request, filterQueries: ['*:*'] }) : 0);
                    }
                }

                expect(prompt).to.be.above(memory === undefined ? 100 : -1);
                nodes = nodes.filter((other) => other !== node);
                await node.index.stop();
            }
        });

        it('works while the search thread is busy, and is correct while changes are on their way to it', async () => {

            const node = await start();
            for (let i = 0; i < 300; ++i) {
                await node.write(null, object(`test/${i}`, `${'lorem ipsum '.repeat(20)} n${i}`));
            }

            await becomesPrompt(node, { query: '/title:n7' });
            const busy = node.search({ query: '/title:"lorem ipsum lorem lorem ipsum ipsum"~1000' });
            expect((await atOnce(node, { query: '/title:n8' }))?.size).to.equal(1);
            const written = node.write(null, object('test/new', 'n8'));
            await busy;
            await written;
            expect((await node.search({ query: '/title:n8' })).size).to.equal(2);
        });

        it('is separate for each caller, and follows the current access rules', async () => {

            const node = await start();
            await node.write(null, object('test/1', 'secret', ['test/u1']));
            await node.write(null, object('test/2', 'secret', ['test/u2']));
            const may = { caller: true, creator: false, self: false };
            const mayNot = { ...may, caller: false };
            const accessOf = (userId: string) => ({
                ...FULL_ACCESS, all: false, userId, entries: [userId], defaults: { read: mayNot, write: mayNot, payload: null, search: null }, types: []
            });
            for (const [userId, id] of [['test/u1', 'test/1'], ['test/u2', 'test/2'], ['test/u3', null]] as const) {
                const access = accessOf(userId);
                await becomesPrompt(node, { query: 'secret', access });
                expect((await atOnce(node, { query: 'secret', access }))?.hits.map((hit) => hit.id), userId).to.equal(id ? [id] : []);
            }

            const mayWrite = { ...accessOf('test/u3'), types: [['Document', { read: mayNot, write: may, payload: null, search: null }]] as const };
            expect((await node.search({ query: 'secret', access: mayWrite })).size).to.equal(2);
            await becomesPrompt(node, { query: 'secret' });
            expect((await atOnce(node, { query: 'secret' }))?.size).to.equal(2);
        });

        const OTHERS: readonly Partial<SearchRequest>[] = [
            { query: 'one two' }, { query: '"one two"' }, { query: 'on*' }, { query: '(one)' }, { query: '*:*' }, { query: null, queryJson: { query: 'one' } },
            { query: 'one', filterQueries: ['two'] }, { query: 'one', sort: [{ field: 'id', reverse: false }] }, { query: `one${'\u00ad'.repeat(300)}` }
        ];

        it('applies neither to other queries nor to invalid ones', async () => {

            const node = await start();
            await node.write(null, object('test/1', 'one two'));
            await becomesPrompt(node, { query: 'one' });
            await becomesPrompt(node, { query: '/a~1b~1c~1d~1e:one' });
            for (const request of OTHERS) {
                expect(await atOnce(node, request), JSON.stringify(request)).to.be.null();
            }

            for (let i = 0; i < BEFORE * 2; ++i) {
                expect(await atOnce(node, { query: '/a~1b~1c~1d~1e~1f:one' }), 'many tildes').to.be.null();
            }

            for (const query of ['one)', 'a:b:c', '/title:', '"one']) {
                await expect(node.search({ query }), query).to.reject(/Query parse failure/);
            }

            expect(await atOnce(node, { query: 'one' })).to.not.be.null();
        });

        it('ends when the index is stopped', async () => {

            const node = await start();
            await node.write(null, object('test/1', 'one'));
            await becomesPrompt(node, { query: 'one' });
            await node.index.stop();
            await expect(node.search({ query: 'one' })).to.reject();
            nodes = [];
        });

        it('is correct after the search thread has ended, and resumes with its successor', async () => {

            const workers = watchWorkers();
            try {
                const node = await start();
                await node.write(null, object('test/1', 'one'));
                await becomesPrompt(node, { query: 'one' });
                const [searcher] = workers.alive('search/runtime/search-worker.js');
                void searcher?.terminate();
                await node.write(null, object('test/2', 'one'));
                expect((await node.search({ query: 'one' })).size).to.equal(2);
                await becomesPrompt(node, { query: 'one' });
                expect((await atOnce(node, { query: 'one' }))?.size).to.equal(2);
            }
            finally {
                workers.restore();
            }
        });
    });
});
