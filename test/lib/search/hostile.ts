import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { DoipError } from '../../../lib/errors/errors.js';
import type { StoredObject } from '../../../lib/model/stored-object.js';
import { chooseSegments } from '../../../lib/search/indexing/merge/merge-policy.js';
import { forEachDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { randomFrom } from '../../support/search-corpus.js';
import { SearchNode } from '../../support/search-node.js';
import { until } from '../../support/until.js';
import { watchWorkers } from '../../support/worker-threads.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const TIMEOUT = 1500;
const POINTERS = 100_000;
const POINTERS_OF_ONE = 500;

function object(number: number, content: JsonObject): StoredObject {

    return {
        id: `test/${number}`, type: 'Document', content, acl: null, userMetadata: null, elements: [],
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: number }
    };
}

function words(random: () => number, count: number): string {

    return Array.from({ length: count }, () => Math.floor(random() * 36 ** 6).toString(36).padStart(6, 'a').replaceAll(/\d/g, 'x')).join(' ');
}

forEachDatabase((name, create) => {

    describe(`hostile searches on ${name}`, () => {

        let place: TestDatabase;
        let node: SearchNode;
        let workers: ReturnType<typeof watchWorkers>;

        before(async () => {

            place = await create();
            workers = watchWorkers();
            node = new SearchNode(await place.open(), { timeout: TIMEOUT, storeAfter: 100 });
            await node.index.start();
            await until(() => node.search({}).then(() => true, () => false));
            const random = randomFrom(1);
            for (let number = 1; number <= 300; ++number) {
                await node.write(null, object(number, { title: `known ${words(random, 100)}` }));
            }
        });

        after(async () => {

            workers.restore();
            await node.index.stop();
            await place.dispose();
        });

        const many = (count: number, clause: (i: number) => string): string => Array.from({ length: count }, (_, i) => clause(i)).join(' ');
        const queries: readonly (readonly [title: string, query: string])[] = [
            ['thousands of nested groups', `${'('.repeat(5000)}a${')'.repeat(5000)}`],
            ['as many nested groups as may be', `${'('.repeat(200)}known${')'.repeat(200)}`],
            ['ten thousand clauses', many(10_000, (i) => `w${i}`)],
            ['as many clauses as may be', many(4096, (i) => `w${i}`)],
            ['thousands of fuzzy words', many(4000, (i) => `abcdef${i}~2`)],
            ['thousands of wildcards on both sides', many(4000, (i) => `*a*${i % 10}*`)],
            ['a wildcard between all letters', [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `*${letter}`).join('')],
            ['a thousand wildcards in a word', `${'*a'.repeat(1000)}*`],
            ['a word of a hundred thousand letters, fuzzy', `${'a'.repeat(100_000)}~2`],
            ['everything, by pattern', '?*'],
            ['a sloppy phrase of the same words', `"${'known '.repeat(200)}"~100000`],
            ['all ranges', many(2000, (i) => `/title:[a${i} TO z]`)]
        ];
        for (const [title, query] of queries) {
            it(`get a response or a rejection: ${title}, and do not affect the next search`, async () => {

                const threads = workers.alive('search/runtime/search-worker.js');
                const answer = await node.search({ query, limit: 10 }).then(() => null, (error: unknown) => error);
                if (answer !== null) {
                    expect(answer).to.be.instanceof(DoipError);
                    expect([400, 503]).to.include((answer as DoipError).http ?? 400);
                }

                expect(await node.count({ query: 'known', limit: 10 })).to.equal(300);
                // The thread has seen to it by itself: it did not have to be replaced.
                expect(workers.alive('search/runtime/search-worker.js')).to.equal(threads);
            });
        }
    });

    describe(`properties with arbitrary names on ${name}`, () => {

        it(`are all indexed, ${POINTERS} of them, in bounded memory`, async () => {

            const place = await create();
            const node = new SearchNode(await place.open(), { storeAfter: 50, timeout: 100_000 });
            try {
                await node.index.start();
                await node.search({});
                const before = (await node.index.usage()).heap;
                const count = POINTERS / POINTERS_OF_ONE;
                for (let number = 0; number < count; ++number) {
                    const members = Array.from({ length: POINTERS_OF_ONE }, (_, i) => [`name-${number * POINTERS_OF_ONE + i}`, `value ${i}`]);
                    await node.write(null, object(number + 1, Object.fromEntries(members) as JsonObject));
                }

                for (const pointer of [0, 777, 54_321, POINTERS - 1]) {
                    const { hits } = await node.search({ query: `/name-${pointer}:${pointer % POINTERS_OF_ONE}` });
                    expect(hits.map(({ id }) => id), String(pointer)).to.equal([`test/${Math.floor(pointer / POINTERS_OF_ONE) + 1}`]);
                }

                expect((await node.search({ query: 'value' })).size).to.equal(count);
                await until(async () => (await node.index.usage()).unstored < 32 * 1024 * 1024);
                const { heap, cached: kept } = await node.index.usage();
                expect(heap - before).to.be.below(256 * 1024 * 1024);
                expect(kept).to.be.below(64 * 1024 * 1024);
            }
            finally {
                await node.index.stop();
                await place.dispose();
            }
        });
    });
});

describe('the choice of segments to merge', () => {

    const size = (segment: number, fields: number, bytes = 1000) => ({ name: segment, documents: 100, deleted: 0, bytes, fields });

    it('takes eight of a size', () => {

        const sizes = Array.from({ length: 8 }, (_, i) => size(i, 50));
        expect(chooseSegments(sizes.slice(1))).to.equal([]);
        expect(chooseSegments(sizes)).to.have.length(8);
    });

    it('leaves segments unmerged that would have too many properties or bytes together', () => {

        expect(chooseSegments(Array.from({ length: 8 }, (_, i) => size(i, 60_000)))).to.have.length(3);
        expect(chooseSegments(Array.from({ length: 8 }, (_, i) => size(i, 150_000)))).to.equal([]);
        expect(chooseSegments(Array.from({ length: 8 }, (_, i) => size(i, 50, 200 * 1024 * 1024)))).to.have.length(2);
        expect(chooseSegments(Array.from({ length: 8 }, (_, i) => size(i, 50, 400 * 1024 * 1024)))).to.equal([]);
    });

    it('rewrites a segment after it has lost a quarter of its documents', () => {

        expect(chooseSegments([size(1, 5), { ...size(2, 5), deleted: 26 }])).to.equal([2]);
    });
});
