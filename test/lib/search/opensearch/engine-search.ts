import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import { encodeDocuments } from '../../../../lib/search/opensearch/bulk-lines.js';
import { indexBody } from '../../../../lib/search/opensearch/engine-mapping.js';
import { EngineSearch } from '../../../../lib/search/opensearch/engine-search.js';
import type { SearchHit, SearchRequest } from '../../../../lib/search/query/search-request.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { HAS_OPENSEARCH, startOpenSearch, type TestOpenSearch } from '../../../support/opensearch.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { build } from '../../../support/search-layouts.js';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

async function all(blocks: AsyncIterable<readonly SearchHit[]>): Promise<SearchHit[]> {

    const hits: SearchHit[] = [];
    for await (const block of blocks) {
        hits.push(...block);
    }

    return hits;
}

let names = 0;

/** An index with documents, and a search in it. */
async function indexed(engine: TestOpenSearch, documents: readonly IndexDocument[], shards = 1): Promise<EngineSearch> {

    const index = `${engine.newUrl().split('/').at(-1)}-${++names}`;
    await engine.client.send({ method: 'PUT', path: `/${index}`, body: indexBody(shards) });
    for (const { lines } of encodeDocuments(documents)) {
        const answer = await engine.client.send<{ errors: boolean }>({ method: 'POST', path: `/${index}/_bulk`, lines });
        expect(answer.errors, JSON.stringify(answer).slice(0, 500)).to.be.false();
    }

    await engine.refresh();
    return new EngineSearch({ client: engine.client, index, timeoutMs: 20_000 });
}

describe('searches in OpenSearch', { skip: !HAS_OPENSEARCH, timeout: 300_000 }, () => {

    let engine: TestOpenSearch;

    before({ timeout: 120_000 }, async () => {

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
            for (let round = 0; round < 150; ++round) {
                const request: SearchRequest = corpus.request();
                const context = `round ${round}: ${JSON.stringify(request)}`;
                const naive = naiveSearch(documents, request);
                const expected = embedded.search(request, segments, 10_000);
                const found = await search.search(request);
                const hits = await all(found.hits);
                expect(found.size, context).to.equal(naive.size);
                expect(found.size, context).to.equal(expected.size);
                expect(found.facets, context).to.equal(expected.facets as never);
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
});
