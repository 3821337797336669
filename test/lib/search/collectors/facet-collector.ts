import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../../lib/util/json-types.js';
import { Deadline, QueryTimeout } from '../../../../lib/search/query/query-deadline.js';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import { FacetCounter } from '../../../../lib/search/collectors/facet-collector.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { Segment } from '../../../../lib/search/segment/segment-reader.js';
import { SegmentBuilder } from '../../../../lib/search/indexing/segment-builder.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { EVERYTHING } from '../../../support/search-node.js';

export const lab = Lab.script();
const { describe, it } = lab;

const MAX_BUCKETS = 10_000;
const MOST_CHARACTERS = 1024 * 1024;

const corpus = new SearchCorpus(5);

function documentOf(number: number, content: JsonObject): IndexDocument {

    return { ...corpus.document(`test/${number}`), content };
}

/** Searches one segment of some documents. */
function searching(documents: readonly IndexDocument[]) {

    const builder = new SegmentBuilder();
    documents.forEach((document) => builder.add(document));
    const segment = Segment.of(builder.finish());
    const live = [{ segment, deleted: new Uint32Array((segment.documents + 31) >>> 5) }];
    const engine = new IndexSearcher();
    return (request: Partial<SearchRequest>) => {

        const { size, facets, hits } = engine.search({ ...EVERYTHING, ...request }, live, 10_000);
        return { size, facets, hits: hits.take(Infinity) };
    };
}

describe('the facets of a response', () => {

    it('have a bounded number of buckets together, those of the first facets', () => {

        const search = searching(Array.from({ length: 6000 }, (_, i) => documentOf(i, { a: `v${i}`, b: `v${i}`, c: 'one' })));

        const { facets } = search({ limit: 0, facets: ['/a', '/b', '/c'].map((field) => ({ field, maxBuckets: 100_000 })) });

        expect(facets.map(({ buckets }) => buckets.length)).to.equal([6000, MAX_BUCKETS - 6000, 0]);
        expect(search({ limit: 0, facets: [{ field: '/c', maxBuckets: 5 }] }).facets[0]?.buckets).to.have.length(1);
    });

    it('are counted with preemption and a timeout, even for the values of one field', () => {

        const builder = new SegmentBuilder();
        Array.from({ length: 5000 }, (_, i) => documentOf(i, { a: `v${i}` })).forEach((document) => builder.add(document));
        const segment = Segment.of(builder.finish());
        const count = (deadline: Deadline): unknown => new FacetCounter({ field: '/a', maxBuckets: 1 }, deadline)
            .addSegment(segment, { kind: 'few', documents: Uint32Array.from({ length: 5000 }, (_, i) => i) });

        expect(() => count(new Deadline(60_000))).to.not.throw();
        expect(() => count(new Deadline(-1))).to.throw(QueryTimeout);
    });

    it('have a bounded length together', () => {

        const search = searching(Array.from({ length: 2000 }, (_, i) => documentOf(i, { a: `${'x'.repeat(900)}${i}` })));

        const { facets } = search({ limit: 0, facets: [{ field: '/a', maxBuckets: 100_000 }] });

        const length = JSON.stringify(facets).length;
        expect(length).to.be.between(MOST_CHARACTERS / 2, MOST_CHARACTERS * 1.2);
    });

    it('have the greatest counts, then the first values', () => {

        const values = Array.from({ length: 3000 }, (_, i) => ({ a: `v${String(i % 1000).padStart(4, '0')}`, b: i % 7 === 0 ? 'often' : `rare${i}` }));
        const search = searching(values.map((content, i) => documentOf(i, content)));

        const { facets } = search({ limit: 0, facets: [{ field: '/a', maxBuckets: 3 }, { field: '/b', maxBuckets: 1 }] });

        expect(facets[0]?.buckets.map(({ value, count }) => [value, count])).to.equal([['v0000', 3], ['v0001', 3], ['v0002', 3]]);
        expect(facets[1]?.buckets.map(({ value, count }) => [value, count])).to.equal([['often', 429]]);
    });
});

describe('the index of a document', () => {

    it('contains words that are longer than 255 characters, also by prefix', () => {

        const long = `${'ab'.repeat(140)}c`;
        const search = searching([documentOf(1, { t: `a ${long} b` }), documentOf(2, { t: 'a b' })]);

        for (const query of [`/t:${long}`, `/t:"a ${long} b"`, '/t:ababab*', '/t:"a b"']) {
            expect(search({ query }).hits[0]?.id, query).to.equal(query === '/t:"a b"' ? 'test/2' : 'test/1');
        }
    });
});
