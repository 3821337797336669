import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { DoipError } from '../../../../lib/errors/errors.js';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import { EngineClient } from '../../../../lib/search/opensearch/engine-client.js';
import { encodeDocuments } from '../../../../lib/search/opensearch/bulk-lines.js';
import { indexBody } from '../../../../lib/search/opensearch/engine-mapping.js';
import { EngineSearch } from '../../../../lib/search/opensearch/engine-search.js';
import type { SearchAccess } from '../../../../lib/search/query/search-access.js';
import type { SearchHit, SearchRequest } from '../../../../lib/search/query/search-request.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../../../support/opensearch.js';
import { startS3Relay } from '../../../support/s3.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { EXAMPLES, FINDINGS } from '../../../support/search-examples.js';
import { build } from '../../../support/search-layouts.js';
import { until } from '../../../support/until.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

async function all(blocks: AsyncIterable<readonly SearchHit[]>): Promise<SearchHit[]> {

    const hits: SearchHit[] = [];
    for await (const block of blocks) {
        hits.push(...block);
    }

    return hits;
}

/** How long the engine keeps a point in time; it is started with no longer time. */
const KEEP_ALIVE_MS = 5000;

let names = 0;

/** An index with documents, and a search in it. */
async function indexed(engine: TestOpenSearch, documents: readonly IndexDocument[], shards = 1): Promise<EngineSearch & { readonly index: string }> {

    const index = `${engine.newUrl().split('/').at(-1)}-${++names}`;
    await engine.client.send({ method: 'PUT', path: `/${index}`, body: indexBody(shards) });
    for (const items of encodeDocuments(documents, 1)) {
        const lines = items.map((item) => item.lines).join('');
        const answer = await engine.client.send<{ errors: boolean }>({ method: 'POST', path: `/${index}/_bulk`, lines });
        expect(answer.errors, JSON.stringify(answer).slice(0, 500)).to.be.false();
    }

    await engine.refresh();
    return Object.assign(new EngineSearch({ client: engine.client, index, timeoutMs: 20_000 }), { index });
}

describe('searches in OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

    let engine: TestOpenSearch;

    before({ timeout: 600_000 }, async () => {

        engine = await startOpenSearch();
    });

    after(() => engine.stop());

    for (const [seed, hasLanguages, shards] of [[1, false, 1], [2, false, 3], [3, false, 1], [4, true, 2], [5, true, 1]] as const) {
        it(`give the answers of the embedded engine and of a naive matcher (seed ${seed}, ${shards} shards${hasLanguages ? ', with languages' : ''})`, { timeout: 300_000 }, async () => {

            const corpus = new SearchCorpus(seed, { hasLanguages });
            const documents = Array.from({ length: 30 + corpus.below(60) }, (_, i) => corpus.document(`test/${i}`));
            const search = await indexed(engine, documents, shards);
            const embedded = new IndexSearcher();
            const segments = [build(documents.map((document) => ({ document, isGone: false })))];
            for (let round = 0; round < 80; ++round) {
                const request: SearchRequest = corpus.request();
                const context = `round ${round}: ${JSON.stringify(request)}`;
                const naive = naiveSearch(documents, request);
                const expected = embedded.search(request, segments, 10_000);
                const found = await search.search(request);
                const hits = await all(found.hits);
                expect(found.size, context).to.equal(naive.size);
                expect(found.size, context).to.equal(expected.size);
                expect(found.facets, context).to.equal(expected.facets);
                if (request.sort.length > 0 && !request.sort.some(({ field }) => field === 'score')) {
                    expect(hits.map(({ id }) => id), context).to.equal(expected.hits.take(Infinity).map(({ id }) => id));
                }

                const { length } = expected.hits.take(Infinity);
                expect(hits.every(({ id }) => naive.matching.has(id)), context).to.be.true();
                expect(new Set(hits.map(({ id }) => id)).size, context).to.equal(hits.length);
                expect(length === 0 || hits.length === length || request.sort.length > 0, context).to.be.true();
            }
        });
    }

    it('find what they should', async () => {

        const search = await indexed(engine, EXAMPLES);
        const request = { filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS };
        for (const [query, ids] of FINDINGS) {
            expect((await all((await search.search({ ...request, query })).hits)).map(({ id }) => id).sort(), query).to.equal([...ids]);
        }
    });

    it('never find the design object, which indexes of former releases have', async () => {

        const corpus = new SearchCorpus(16);
        const rights = { readers: ['public'], writers: ['public'] };
        const documents = ['design', 'test/1'].map((id) => ({ ...corpus.document(id), content: { name: 'both' }, rights }));
        const search = await indexed(engine, documents);
        const nobody = { caller: false, creator: false, self: false };
        const limited: SearchAccess = {
            all: false, entries: ['public'], userId: null, types: [], defaults: { read: nobody, write: nobody, payload: null, search: null }
        };
        for (const [query, caller] of [['both', FULL_ACCESS], ['*:*', FULL_ACCESS], ['id:design id:test/1', FULL_ACCESS], ['both', limited]] as const) {
            const request = { filterQueries: [], facets: [{ field: 'id', maxBuckets: 5 }], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true };
            const { size, facets, hits } = await search.search({ ...request, query, access: caller });
            expect([size, facets[0]?.buckets.map(({ value }) => value), (await all(hits)).map(({ id }) => id)], query).to.equal([1, ['test/1'], ['test/1']]);
        }
    });

    it('have a mapping of constant size for 100,000 names of properties, each of which is searched, sorted by and counted', { timeout: 300_000 }, async () => {

        const corpus = new SearchCorpus(11);
        const documents = Array.from({ length: 100 }, (_, i): IndexDocument => ({
            ...corpus.document(`test/${i}`), content: Object.fromEntries(Array.from({ length: 1000 }, (__, j) => [`p${i * 1000 + j}`, `value ${j}`]))
        }));
        const search = await indexed(engine, documents);
        const request = {
            filterQueries: [], start: 0, limit: 10, includeScore: false, includeVersions: true, access: FULL_ACCESS,
            facets: [{ field: '/p99999', maxBuckets: 5 }], sort: [{ field: '/p42017', reverse: true }]
        };

        const one = await search.search({ ...request, query: '/p99999:999' });
        const every = await search.search({ ...request, query: 'value' });
        const mapping = await engine.client.send<Record<string, { mappings: { properties: object } }>>({ method: 'GET', path: `/${search.index}/_mapping` });

        expect([one.size, (await all(one.hits)).map(({ id }) => id)]).to.equal([1, ['test/99']]);
        expect([every.size, (await all(every.hits))[0]?.id]).to.equal([100, 'test/42']);
        expect(every.facets[0]?.buckets.map(({ value, count }) => [value, count])).to.equal([['value 999', 1]]);
        expect(JSON.stringify(Object.values(mapping)[0]?.mappings.properties).length).to.be.below(5000);
    });

    it('are refused with 400 where the engine cannot answer, and answered where it can', async () => {

        const corpus = new SearchCorpus(12);
        const documents = Array.from({ length: 20 }, (_, i) => corpus.document(`test/${i}`));
        const search = await indexed(engine, documents);
        const request = { filterQueries: [], facets: [], sort: [], start: 0, limit: 10, includeScore: false, includeVersions: true, access: FULL_ACCESS };
        const words = (count: number): string => Array.from({ length: count }, (_, i) => `id:test/${i}`).join(' ');
        const nested = (depth: number): string => `${'(a -'.repeat(depth)}b${')'.repeat(depth)}`;

        expect((await search.search({ ...request, query: words(60) })).size).to.equal(20);
        expect((await search.search({ ...request, query: `${words(900)} w1 w2 "w3 w4" w5*` })).size).to.equal(20);
        expect((await search.search({ ...request, query: words(4000) })).size).to.equal(20);
        expect((await search.search({ ...request, query: nested(100) })).size).to.be.a.number();
        for (const query of [Array.from({ length: 4000 }, (_, i) => `w${i}`).join(' '), `${'*a?'.repeat(60)}`, `id:${'?*a'.repeat(200)}`]) {
            const found = await search.search({ ...request, query }).then(({ size }) => size, (error: DoipError) => error);
            expect(typeof found === 'number' || found.details?.http === undefined && /^the query has too many clauses/.test(found.message), String(found)).to.be.true();
        }
    });

    it('find words and values of any length, and none of what an injection asks for', async () => {

        const corpus = new SearchCorpus(13);
        const [long, hostile] = ['x'.repeat(250), 'a"},{"match_all":{}}'];
        const documents = [
            { ...corpus.document('test/long'), content: { name: `${long} end`, note: 'v'.repeat(3000) } },
            { ...corpus.document(`test/${'i'.repeat(700)}`), content: { name: hostile } },
            { ...corpus.document('test/\ud83d\ude00'), content: { name: '\u2028\u0000' } }
        ];
        const search = await indexed(engine, documents);
        const request = { filterQueries: [], facets: [{ field: '/note', maxBuckets: 5 }], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS };
        const ids = async (query: string): Promise<string[]> => (await all((await search.search({ ...request, query })).hits)).map(({ id }) => id);

        for (const query of [long, `"${long} end"`, `${long.slice(0, 245)}*`, `*${long.slice(0, 240)}`, `${long.slice(1)}~`, `/name:${long}`, `/name:${long.slice(0, 240)}?*`]) {
            expect(await ids(query), query).to.equal(['test/long']);
        }

        expect(await ids(`/name:"${hostile.replaceAll('"', '\\"')}"`)).to.equal([documents[1]?.id ?? '']);
        expect(await ids('id:test/i*')).to.equal([documents[1]?.id ?? '']);
        const { facets } = await search.search({ ...request, query: '*:*' });
        expect(facets[0]?.buckets.map(({ value, count }) => [value.length, count])).to.equal([[1024, 1]]);
        expect(await ids(facets[0]?.buckets[0]?.filterQuery ?? '')).to.equal(['test/long']);
    });

    it('return all results while their point in time is not released', async () => {

        const corpus = new SearchCorpus(15);
        const documents = Array.from({ length: 1200 }, (_, i) => ({ ...corpus.document(`test/${i}`), content: { name: 'unreleased' } }));
        const { index } = await indexed(engine, documents);
        const relay = await startS3Relay(engine.url);
        const client = await EngineClient.open({ node: relay.url, auth: null, prefix: 'test' });
        try {
            relay.behave((request) => (request.startsWith('DELETE') ? 'silent' : undefined));
            const search = new EngineSearch({ client, index, timeoutMs: 20_000 });
            const request = { filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS };
            const found = await search.search({ ...request, query: '/name:unreleased' });
            const started = performance.now();
            const hits = await all(found.hits);

            expect(hits.length).to.equal(1200);
            // Requests have a timeout of 30 s.
            expect(performance.now() - started).to.be.below(20_000);
            await until(() => relay.requests.some((sent) => sent.startsWith('DELETE /_search/point_in_time')));
        }
        finally {
            await client.close();
            await relay.stop();
        }
    });

    it('go on to the end when a page is read for longer than the engine keeps what is not used', async () => {

        const corpus = new SearchCorpus(14);
        const documents = Array.from({ length: 1200 }, (_, i) => ({ ...corpus.document(`test/${i}`), content: { name: 'slowly' } }));
        const { index } = await indexed(engine, documents);
        const search = new EngineSearch({ client: engine.client, index, timeoutMs: 20_000, keepAliveMs: KEEP_ALIVE_MS });
        const request = { filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS };

        const found = await search.search({ ...request, query: '/name:slowly' });
        const first = await found.hits.next();
        await sleep(3 * KEEP_ALIVE_MS);
        const rest = await all(found.hits);

        expect([found.size, (first.value?.length ?? 0) + rest.length]).to.equal([1200, 1200]);
    });
});
