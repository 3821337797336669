import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import { LruCache } from '../../../../lib/util/cache/lru-cache.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { mayReadPayloads } from '../../../support/naive-access.js';
import { naiveSearch } from '../../../support/naive-search.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { EXAMPLES, FINDINGS } from '../../../support/search-examples.js';
import { build, layouts, merge, readInPieces } from '../../../support/search-layouts.js';
import type { LiveSegment } from '../../../../lib/search/searcher/live-segment.js';
import { findDocument } from '../../../../lib/search/indexing/live-segments.js';

export const lab = Lab.script();
const { describe, it } = lab;

function answer(engine: IndexSearcher, request: SearchRequest, segments: readonly LiveSegment[]) {

    const { size, facets, hits } = engine.search(request, segments, 10_000);
    return { size, facets, hits: hits.take(Infinity) };
}

function bestFirst(a: number | null, b: number | null): number {

    return (b ?? 0) - (a ?? 0);
}

/** What payloads may hold instead of what is in them. */
const OTHER_TEXTS: readonly (string | null)[] = [null, 'tess', 'tess foo bar houses '.repeat(300)];

function withTexts(document: IndexDocument, text: string | null): IndexDocument {

    return { ...document, elements: document.elements.map((element) => ({ ...element, text })) };
}

function inSegmentsOf(size: number, documents: readonly IndexDocument[]): LiveSegment[] {

    return Array.from({ length: Math.ceil(documents.length / size) }, (_, i) => {

        return build(documents.slice(i * size, (i + 1) * size).map((document) => ({ document, isGone: false })));
    });
}

describe('the index searcher', () => {

    for (const [seed, hasLanguages] of [[1, false], [2, false], [3, false], [4, false], [5, false], [6, false], [7, true], [8, true], [9, true]] as const) {
        it(`agrees with a naive matcher, for any distribution over segments (seed ${seed}${hasLanguages ? ', with languages' : ''})`, () => {

            const corpus = new SearchCorpus(seed, { hasLanguages });
            const { current, layouts: spread } = layouts(corpus, 20 + corpus.below(60));
            const engine = new IndexSearcher();
            for (let round = 0; round < 80; ++round) {
                const request = corpus.request();
                const naive = naiveSearch(current, request);
                let first: ReturnType<typeof answer> | null = null;
                for (const [name, segments] of Object.entries(spread)) {
                    const found = answer(engine, request, segments);
                    const context = `${name}: ${JSON.stringify(request)}`;
                    expect(found.size, context).to.equal(naive.size);
                    expect(found.facets.map(({ field, buckets }) => ({ field, buckets: buckets.map(({ value, count }) => ({ value, count })) })), context)
                        .to.equal(naive.facets as never);
                    if (request.sort.length > 0) {
                        expect(found.hits.map(({ id }) => id), context).to.equal(naive.ids as string[]);
                    }
                    else {
                        expect(found.hits.every(({ id }) => naive.matching.has(id)), context).to.be.true();
                        expect(new Set(found.hits.map(({ id }) => id)).size, context).to.equal(found.hits.length);
                        expect(found.hits.map(({ score }) => score), context).to.equal(found.hits.map(({ score }) => score).toSorted(bestFirst));
                    }

                    first ??= found;
                    expect(found, context).to.equal(first);
                }
            }
        });
    }

    const examples = inSegmentsOf(5, EXAMPLES);
    for (const [query, ids] of FINDINGS) {
        it(`finds for ${query} what it should`, () => {

            const request: SearchRequest = {
                query, filterQueries: [], facets: [], sort: [], start: 0, limit: null, includeScore: false, includeVersions: true, access: FULL_ACCESS
            };

            expect(answer(new IndexSearcher(), request, examples).hits.map(({ id }) => id).sort()).to.equal([...ids]);
            expect([...naiveSearch(EXAMPLES, request).matching].sort()).to.equal([...ids]);
        });
    }

    it('gives the same results for sparse and dense sets, in segments of any size', () => {

        const corpus = new SearchCorpus(31);
        const noted = Array.from({ length: 2600 }, (_, i) => ({ document: corpus.document(`test/${i}`), isGone: i % 9 === 4 }));
        const current = noted.filter(({ isGone }) => !isGone);
        const parts: LiveSegment[] = [];
        for (let start = 0; start < noted.length;) {
            const size = 1 + corpus.below(600);
            parts.push(build(noted.slice(start, start + size)));
            start += size;
        }

        const spread = { one: [build(current)], gone: [build(noted)], parts, merged: [merge(parts)] };
        const engine = new IndexSearcher();
        const shares = new Set<boolean>();
        for (let round = 0; round < 60; ++round) {
            const request = corpus.request();
            const answers = Object.values(spread).map((segments) => answer(engine, request, segments));
            answers.forEach((found, i) => expect(found, `${Object.keys(spread)[i] ?? ''}: ${JSON.stringify(request)}`).to.equal(answers[0] as never));
            const share = (answers[0]?.size ?? 0) / current.length;
            shares.add(share < 1 / 64);
            if (round % 6 === 0) {
                expect(answers[0]?.size, JSON.stringify(request)).to.equal(naiveSearch(current.map(({ document }) => document), request).size);
            }
        }

        expect(shares.size).to.equal(2);
    });

    it('gives the same results for a term that is frequent in a large segment and rare in small ones', () => {

        const corpus = new SearchCorpus(51);
        const documents = Array.from({ length: 4000 }, (_, i) => corpus.document(`test/${i}`));
        const noted = (list: readonly IndexDocument[]) => list.map((document) => ({ document, isGone: false }));
        const large = build(noted(documents.slice(0, 3600)));
        const spread = [
            [large, ...inSegmentsOf(90, documents.slice(3600))], [...inSegmentsOf(7, documents.slice(3600, 3700)), large, build(noted(documents.slice(3700)))],
            [build(noted(documents))]
        ];
        const engine = new IndexSearcher();
        const sizes: number[] = [];
        for (const query of ['foo', '/title:tess', '/nested/deep/x:foo^2', 'reports', 'facet_type:Book', 'type:book', 'full:foo']) {
            for (const [start, limit] of [[0, 10], [3, 5], [0, 0], [1100, 40], [0, null]] as const) {
                const request = corpus.request({ query, start, limit, filterQueries: [], facets: [], sort: [], includeVersions: corpus.once(2) });
                const answers = spread.map((segments) => answer(engine, request, segments));
                answers.forEach((found, i) => expect(found, `${i}: ${JSON.stringify(request)}`).to.equal(answers[0] as never));
                sizes.push(answers[0]?.size ?? 0);
            }
        }

        expect(Math.max(...sizes)).to.be.above(1024);
    });

    for (const [seed, hasLanguages] of [[11, false], [12, false], [13, false], [14, true], [15, true]] as const) {
        it(`gives scores and counts as if hidden documents did not exist (seed ${seed})`, () => {

            const corpus = new SearchCorpus(seed, { hasLanguages });
            const { current, layouts: { 'many segments': all = [] } } = layouts(corpus, 60);
            const engine = new IndexSearcher();
            let hidden = 0;
            for (let round = 0; round < 120; ++round) {
                const request = { ...corpus.request(), sort: [], includeScore: true };
                const everything = { ...request, query: '*:*', filterQueries: [], facets: [], start: 0, limit: null };
                const { matching } = naiveSearch(current, everything);
                const visible = current.filter(({ id }) => matching.has(id));
                hidden += current.length - visible.length;
                const alone = visible.length === 0 ? [] : [build(visible.map((document) => ({ document, isGone: false })))];
                expect(answer(engine, request, all), JSON.stringify(request)).to.equal(answer(engine, request, alone));
            }

            expect(hidden).to.be.above(0);
        });
    }

    for (const [seed, hasLanguages] of [[21, false], [22, false], [23, false], [24, true]] as const) {
        it(`gives the same results for any content of hidden payloads (seed ${seed})`, () => {

            const corpus = new SearchCorpus(seed, { hasLanguages });
            const documents = Array.from({ length: 40 }, (_, i) => corpus.document(`test/${i}`));
            const engine = new IndexSearcher();
            let hidden = 0;
            for (let caller = 0; caller < 8; ++caller) {
                const access = corpus.access();
                const isHidden = (document: IndexDocument): boolean => !mayReadPayloads(document, access);
                hidden += documents.filter((document) => document.elements.length > 0 && isHidden(document)).length;
                const asTheyAre = inSegmentsOf(9, documents);
                const others = OTHER_TEXTS.map((text) => {

                    return inSegmentsOf(13, documents.map((document) => (isHidden(document) ? withTexts(document, text) : document)));
                });
                for (let round = 0; round < 25; ++round) {
                    const request = { ...corpus.request({ access }), includeScore: true };
                    const found = answer(engine, request, asTheyAre);
                    others.forEach((segments, i) => expect(answer(engine, request, segments), `${i}: ${JSON.stringify(request)}`).to.equal(found));
                }
            }

            expect(hidden).to.be.above(0);
        });
    }

    const ranges: readonly (readonly [range: string, days: readonly number[]])[] = [
        ['[2023-11-30 TO *]', [30, 31, 32]], ['[* TO 2023-11-30]', [29, 30]], ['[2023-11-30 TO 2023-12-01]', [30, 31]], ['[2023-12 TO *]', [31, 32]], ['[* TO 2023-12]', [29, 30, 31, 32]],
        ['{2023-11-30 TO 2023-12-02}', [31]], ['{* TO 2023-11-30}', [29]], ['["2023-11-30T12:34:56.789Z" TO "2023-12-01T12:34:56.789Z"}', [30]],
        ['["2023-11-30T12:34:56.790Z" TO "2023-12-01T13:34:56.789+01:00"]', [31]], ['[20231130 TO 2023-12-01]', [30, 31]], ['[20231130 TO 20231201]', [30]]
    ];
    for (const [range, days] of ranges) {
        it(`finds times of metadata by dates: ${range}`, () => {

            const corpus = new SearchCorpus(61);
            const segments = inSegmentsOf(3, [29, 30, 31, 32].map((day) => {

                const time = Date.UTC(2023, 10, day, 12, 34, 56, 789);
                const document = corpus.document(`test/${day}`);
                return { ...document, metadata: { ...document.metadata, createdOn: time, modifiedOn: time }, indexedOn: time };
            }));
            for (const field of ['objcreated', 'objmodified', 'dtindexed']) {
                const request = corpus.request({
                    query: `${field}:${range}`, access: FULL_ACCESS, includeVersions: true, filterQueries: [], facets: [], start: 0, limit: null
                });
                expect(answer(new IndexSearcher(), request, segments).hits.map(({ id }) => id).toSorted(), field).to.equal(days.map((day) => `test/${day}`));
            }
        });
    }

    it('finds facts about all payloads, though one of them has more words than are indexed', () => {

        const corpus = new SearchCorpus(41);
        const element = { mediaType: null, size: 1, altField: null };
        const elements = [{ ...element, name: 'first', filename: null, text: 'x '.repeat(1_000_001) }, { ...element, name: 'second', filename: 'catalogue', text: 'tess' }];
        const segments = inSegmentsOf(1, [{ ...corpus.document('test/1'), elements }]);
        const find = (query: string): number => answer(new IndexSearcher(), corpus.request({
            query, access: FULL_ACCESS, includeVersions: true, filterQueries: [], start: 0, limit: 1
        }), segments).size;
        expect(['catalogue', 'first:x', 'second:*'].map(find)).to.equal([1, 1, 0]);
    });

    it('finds the latest of many states of an object in stored segments that are read in batches', () => {

        const corpus = new SearchCorpus(5);
        const states = Array.from({ length: 60 }, (_, i) => Array.from({ length: 1 + i % 4 }, () => corpus.document(`test/${i}`)));
        const documents = states.flatMap((history) => history.map((document, i) => ({ document, isGone: i < history.length - 1 })));
        const stored = readInPieces(build(documents));
        states.forEach((history, i) => {

            const last = documents.findIndex(({ document }) => document === history.at(-1));
            expect(findDocument(stored, `test/${i}`), `test/${i}`).to.equal(last);
        });
        expect(findDocument(stored, 'test/60')).to.equal(-1);
    });

    it('continues with released segments, without leaving them in the cache', () => {

        const corpus = new SearchCorpus(3);
        const memory = new LruCache();
        const engine = new IndexSearcher(memory);
        const segments = [build(Array.from({ length: 30 }, (_, i) => ({ document: corpus.document(`test/${i}`), isGone: false })), memory)];
        const request = corpus.request({ query: 'tess foo', access: FULL_ACCESS, includeVersions: true, filterQueries: [], facets: [{ field: 'type', maxBuckets: 5 }], limit: 10, start: 0 });
        const find = () => {

            const { size, facets, hits } = engine.search(request, segments, 10_000);
            return { size, facets, hits: hits.take(10) };
        };

        const before = find();
        expect(before.size).to.be.above(0);
        expect(memory.bytes).to.be.above(0);
        segments.forEach(({ segment }) => segment.release());
        expect(memory.bytes).to.equal(0);
        expect(find()).to.equal(before);
        expect(memory.bytes).to.equal(0);

        const shelf = memory.region();
        const made = shelf.get('thing', () => {

            shelf.clear();
            return { value: 7, bytes: 100 };
        });
        expect(made).to.equal(7);
        expect(memory.bytes).to.equal(0);
    });

    it('returns facet values that can be used as filters', () => {

        const corpus = new SearchCorpus(77);
        const { current, layouts: { 'many segments': segments = [] } } = layouts(corpus, 80);
        const engine = new IndexSearcher();
        for (const field of ['/title', '/n', '/tags/_', '/mixed', '/date', 'type', 'createdBy', 'metadata/createdOn', '/nested/deep/a~1b/_/_', 'id']) {
            const base = { ...corpus.request(), query: '*:*', filterQueries: [], start: 0, limit: 0, sort: [], facets: [{ field, maxBuckets: 1000 }] };
            const { facets: [facet] } = answer(engine, base, segments);
            expect(facet?.buckets.length ?? 0, field).to.be.above(0);
            for (const { filterQuery, count } of facet?.buckets ?? []) {
                expect(answer(engine, { ...base, filterQueries: [filterQuery] }, segments).size, filterQuery).to.equal(count);
                expect(naiveSearch(current, { ...base, filterQueries: [filterQuery] }).size, filterQuery).to.equal(count);
            }
        }
    });
});
