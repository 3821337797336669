import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import { LruCache } from '../../../../lib/util/cache/lru-cache.js';
import { readQuery } from '../../../../lib/search/query/rewriter.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { singleTermOf, SingleTermSearch } from '../../../../lib/search/searcher/single-term-search.js';
import { resolveTermContexts } from '../../../../lib/search/searcher/term-contexts.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { build, layouts } from '../../../support/search-layouts.js';
import type { LiveSegment } from '../../../../lib/search/searcher/live-segment.js';

export const lab = Lab.script();
const { describe, it } = lab;

const FIELDS = [
    '', '', 'internal.all:', '/title:', '/tags/_:', '/mixed:', '/n:', '/nested/deep/x:', 'metadata/createdBy:', 'userMetadata/note:', 'scan:', 'full:', 'label:',
    'type:', 'createdBy:', 'id:', 'aclRead:'
];
const WORDS = ['tess', 'durbeyfield', 'family-tree', 'foo', 'bar', 'naïve', 'd\'arc', '2004', '5', '42', 'x', 'null', 'true', 'book', '"test/u1"', '"test/3"', 'public', 'absent', 'houses', 'hommes', '"houses"'];

/** What the engine answers to a search for one word, and what it answers when it cannot know that. */
function bothWays(engine: IndexSearcher, request: SearchRequest, segments: readonly LiveSegment[]) {

    const [fast, general] = [request, { ...request, filterQueries: ['*:*'] }].map((asked) => {

        const { size, facets, hits } = engine.search(asked, segments, 10_000);
        return { size, facets, hits: hits.take(Infinity) };
    });
    return { fast, general };
}

function wordRequest(corpus: SearchCorpus): SearchRequest {

    return {
        ...corpus.request(), filterQueries: [], facets: [], sort: corpus.pick([[], [{ field: 'score', reverse: true }]]),
        query: corpus.pick(FIELDS) + corpus.pick(WORDS) + (corpus.once(4) ? '^2.5' : '')
    };
}

/** An object with a word in its title, and others. */
function titled(i: number, content: Record<string, string>): IndexDocument {

    return { ...new SearchCorpus(1).document(`test/${i}`), content };
}

function smallest(request: Partial<SearchRequest>): SearchRequest {

    return {
        query: null, filterQueries: [], sort: [], facets: [], start: 0, limit: 10, includeScore: true, includeVersions: true, access: FULL_ACCESS, ...request
    };
}

describe('the single-term search', () => {

    for (const seed of [41, 42, 43, 44, 48, 49]) {
        it(`finds the same documents with the same scores in the same order as the general search (seed ${seed})`, () => {

            const corpus = new SearchCorpus(seed, { hasLanguages: seed > 47 });
            const { layouts: spread } = layouts(corpus, 20 + corpus.below(80));
            const engine = new IndexSearcher();
            let found = 0;
            for (let round = 0; round < 40; ++round) {
                const request = wordRequest(corpus);
                for (const [name, segments] of Object.entries(spread)) {
                    const { fast, general } = bothWays(engine, request, segments);
                    expect(fast, `${name}: ${JSON.stringify(request)}`).to.equal(general);
                    found += fast?.hits.length ?? 0;
                }
            }

            expect(found).to.be.above(40);
        });
    }

    it('sorts pages of any length alike, and skips earlier results', () => {

        const corpus = new SearchCorpus(45);
        const segments = [700, 5, 300].map((size, i) => build(Array.from({ length: size }, (_, j) => ({
            document: corpus.document(`test/${i}/${j}`), isGone: corpus.once(7)
        }))));
        const engine = new IndexSearcher();
        const pages = [
            [0, 1], [0, 10], [3, 10], [0, 31], [0, 32], [0, 33], [1, 32], [90, 5], [0, 100], [0, null], [200, null], [5000, 10]
        ] as const;
        for (const [start, limit] of pages) {
            for (const query of ['tess', '/title:foo', 'family^3', '/n:5']) {
                const { fast, general } = bothWays(engine, smallest({ query, start, limit }), segments);
                expect(fast, `${query} from ${start}, ${limit}`).to.equal(general);
            }
        }
    });

    it('applies to rare terms in few fields', () => {

        const find = (documents: readonly IndexDocument[], query: string) => {

            const request = smallest({ query });
            const segments = [build(documents.map((document) => ({ document, isGone: false })))];
            const word = singleTermOf(request, readQuery(query));
            const places = word && resolveTermContexts(word, segments, { access: FULL_ACCESS, key: 'all', includeVersions: true });
            return word && places && new SingleTermSearch().search(word, places, request)?.size;
        };

        const many = Array.from({ length: 1025 }, (_, i) => titled(i, { title: i < 1024 ? 'few' : 'few many', ...i < 1024 ? {} : { other: 'few' } }));
        expect(find(many.slice(0, 1024), '/title:few')).to.equal(1024);
        expect(find(many, '/title:few')).to.be.undefined();
        expect(find(many, '/title:many')).to.equal(1);
        const fields = Array.from({ length: 65 }, (_, i): [string, string] => [`f${i}`, i < 64 ? 'wide broad' : 'wide']);
        const wide = titled(1, Object.fromEntries(fields));
        expect(find([wide], 'broad')).to.equal(1);
        expect(find([wide], 'wide')).to.be.undefined();
        expect(find([wide], '/f3:wide')).to.be.undefined();
    });

    const OTHERS: readonly [name: string, request: Partial<SearchRequest>][] = [
        ['a phrase', { query: '"two words"' }],
        ['two words', { query: 'two words' }],
        ['a number', { query: 'txnId:5' }],
        ['a pattern', { query: 'wor*' }],
        ['a forbidden word', { query: '-word' }],
        ['a filter', { query: 'word', filterQueries: ['type:Book'] }],
        ['a facet', { query: 'word', facets: [{ field: 'type', maxBuckets: 5 }] }],
        ['worst first', { query: 'word', sort: [{ field: 'score', reverse: false }] }],
        ['sorted by a field', { query: 'word', sort: [{ field: 'type', reverse: true }] }],
        ['sorted by more than the score', { query: 'word', sort: [{ field: 'score', reverse: true }, { field: 'type', reverse: false }] }]
    ];

    for (const [name, request] of OTHERS) {
        it(`does not apply: ${name}`, () => {

            expect(singleTermOf(smallest(request), readQuery(request.query ?? ''))).to.be.null();
            expect(singleTermOf(smallest({ query: 'word' }), readQuery('word'))?.term).to.equal('word');
        });
    }

    it('sees deletions, new segments and changed rights since its last use', () => {

        const memory = new LruCache();
        const engine = new IndexSearcher(memory);
        const corpus = new SearchCorpus(46);
        const noted = Array.from({ length: 60 }, (_, i) => ({ document: corpus.document(`test/${i}`), isGone: false }));
        const segments: LiveSegment[] = [];
        for (let size = 0; size < noted.length; size += 10) {
            segments.push(build(noted.slice(size, size + 10)));
            for (let round = 0; round < 20; ++round) {
                const place = corpus.below(segments.length);
                const { segment, deleted } = segments[place] as LiveSegment;
                const gone = deleted.slice();
                gone[0] = (gone[0] ?? 0) | 1 << corpus.below(10);
                segments[place] = { segment, deleted: round % 4 === 0 ? gone : deleted };
                const { fast, general } = bothWays(engine, wordRequest(corpus), segments);
                expect(fast).to.equal(general);
            }
        }
    });

    it('works with constant cache evictions', () => {

        const memory = new LruCache(20_000);
        const engine = new IndexSearcher(memory);
        const corpus = new SearchCorpus(47);
        const segments = [build(Array.from({ length: 200 }, (_, i) => ({ document: corpus.document(`test/${i}`), isGone: false })), memory)];
        for (let round = 0; round < 200; ++round) {
            const { fast, general } = bothWays(engine, wordRequest(corpus), segments);
            expect(fast).to.equal(general);
        }

        expect(memory.removals).to.be.above(10);
    });
});
