import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Database } from '../../../../db/database.js';
import { DoipError } from '../../../../lib/errors/errors.js';
import type { StoredObject } from '../../../../lib/model/stored-object.js';
import { forEachDatabase } from '../../../support/database.js';
import type { TestDatabase } from '../../../support/database.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { randomFrom, SearchCorpus } from '../../../support/search-corpus.js';
import { documentOf, EVERYTHING, objectOf, SearchNode } from '../../../support/search-node.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** Words of each object: with 100, the longest permitted query took some six seconds on a fast machine. */
const WORDS = 200;

/** A query that takes as long as it may, another one each time: what patterns stand for is kept. */
function endlessQuery(random: () => number): string {

    return Array.from({ length: 4000 }, () => `*${Array.from({ length: 5 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('*')}*`).join(' ');
}

function object(id: string, title: string, txnId: number): StoredObject {

    return {
        id, type: 'Document', content: { title }, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId }
    };
}

forEachDatabase((name, create) => {

    describe(`preemption of a long search on ${name}`, () => {

        let place: TestDatabase;
        let database: Database;
        let node: SearchNode;
        let txnId = 0;
        const random = randomFrom(2);

        before(async () => {

            place = await create();
            database = await place.open();
            await start();
            for (let number = 1; number <= 300; ++number) {
                const words = Array.from({ length: WORDS }, () => Math.floor(random() * 36 ** 6).toString(36).padStart(6, 'a').replaceAll(/\d/g, 'x'));
                await node.write(null, object(`words/${number}`, `known ${words.join(' ')}`, ++txnId));
            }

            await node.index.stop();
        });

        afterEach(async () => {

            await node.index.stop();
        });

        after(async () => {

            await place.dispose();
        });

        /** @param timeout more than a test takes, unless it waits for that */
        async function start(timeout = 280_000): Promise<void> {

            node = new SearchNode(database, { timeout, storeAfter: 100 });
            await node.index.start();
            await until(() => node.search({}).then(() => true, () => false));
        }

        /** The stored segments. */
        async function names(): Promise<string> {

            return (await node.segments.segments()).map(({ id }) => id).join();
        }

        /** Searches that nobody waits for. */
        class Endless {

            readonly errors: unknown[] = [];
            answered = 0;

            constructor(count: number) {

                for (let i = 0; i < count; ++i) {
                    node.search({ query: endlessQuery(random), limit: 10 }).then(() => ++this.answered, (error: unknown) => this.errors.push(error));
                }
            }

            get ended(): number {

                return this.errors.length + this.answered;
            }
        }

        it('serves other searches, and finds what is written', async () => {

            await start();
            const corpus = new SearchCorpus(61);
            const current = new Map<string, StoredObject>();
            const endless = new Endless(1);
            for (let round = 0; round < 10; ++round) {
                const id = `test/${corpus.below(10)}`;
                const before = current.get(id) ?? null;
                const made = objectOf(corpus.document(id));
                const next = before && corpus.once(3) ? null : { ...made, metadata: { ...made.metadata, txnId: ++txnId } };
                await node.write(before, next);
                current.delete(id);
                if (next) {
                    current.set(id, next);
                }

                const request = { ...corpus.request(), filterQueries: ['id:test/*'] };
                const naive = naiveSearch(Array.from(current.values(), (stored) => documentOf(stored)), request);
                expect((await node.search(request)).size, JSON.stringify(request)).to.equal(naive.size);
            }

            expect(endless.errors).to.equal([]);
            expect(endless.answered).to.equal(0);
        });

        it('serves short searches, even behind several long ones', async () => {

            await start();
            const endless = new Endless(3);
            const some = Array.from({ length: 40 }, (_, i) => `bcdefg${i}~2`).join(' ');
            expect((await node.search({ query: `known ${some}`, limit: 0 })).size).to.equal(300);
            expect(endless.errors).to.equal([]);
            expect(endless.answered).to.equal(0);
        });

        it('continues other results, and rejects invalid queries', async () => {

            await start();
            for (let i = 0; i < 600; ++i) {
                await node.write(null, object(`many/${i}`, 'many', ++txnId));
            }

            const { hits } = await node.index.search({ ...EVERYTHING, query: '/title:many', filterQueries: ['*:*'] });
            const endless = new Endless(1);
            let count = 0;
            for await (const block of hits) {
                count += block.length;
            }

            expect(count).to.equal(600);
            await expect(node.search({ query: 'many:(', filterQueries: ['*:*'] })).to.reject(/parse/);
            expect(endless.errors).to.equal([]);
            expect(endless.answered).to.equal(0);
        });

        it('ends at the timeout, which affects only the long search; pending flushes follow', async () => {

            // Long enough for short searches on a busy machine.
            await start(6000);
            const stored = await names();
            const endless = new Endless(1);
            for (let i = 0; i < 150; ++i) {
                await node.write(null, object(`more/${i}`, 'more', ++txnId));
            }

            for (let count = 0; endless.ended === 0; ++count) {
                expect(await node.count({ query: '/title:more', filterQueries: ['*:*'] }), String(count)).to.equal(150);
            }

            expect(endless.errors).to.have.length(1);
            expect(endless.errors[0]).to.be.instanceof(DoipError);
            expect((endless.errors[0] as DoipError).http).to.equal(503);
            await until(async () => await names() !== stored);
            expect(await node.count({ query: '/title:more', filterQueries: ['*:*'] })).to.equal(150);
        });
    });
});
