/** Words with the same stem in one segment and in several: what they match, and what stays as it is. */

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { JsonObject } from '../../../lib/util/json-types.js';
import { LruCache } from '../../../lib/util/cache/lru-cache.js';
import { FULL_ACCESS } from '../../../lib/search/matching/acl-filter.js';
import type { IndexDocument, LanguageMark } from '../../../lib/search/mapping/index-document.js';
import { checkSections } from '../../../lib/search/runtime/flusher.js';
import { IndexSearcher } from '../../../lib/search/searcher/index-searcher.js';
import type { LiveSegment } from '../../../lib/search/searcher/live-segment.js';
import { SECTION_NAMES, STEM_SECTION_NAMES } from '../../../lib/search/segment/format.js';
import { PagedSections } from '../../../lib/search/segment/paged-sections.js';
import type { SectionsInMemory } from '../../../lib/search/segment/section-reader.js';
import { Segment } from '../../../lib/search/segment/segment-reader.js';
import { build, merge } from '../../support/search-layouts.js';

export const lab = Lab.script();
const { describe, it } = lab;

function documentOf(id: string, content: JsonObject, languages: LanguageMark[] = [], text: string | null = null): IndexDocument {

    return {
        id, type: 'Note', content, languages, acl: null, rights: null, userMetadata: { note: 'houses' }, keywords: {}, copies: [], indexedOn: 1,
        metadata: { createdOn: 1, createdBy: 'admin', modifiedOn: 1, modifiedBy: 'admin', txnId: 1 },
        elements: text === null ? [] : [{ name: 'file', filename: 'houses.txt', mediaType: null, size: 1, text, altField: null }]
    };
}

const EN: LanguageMark[] = [{ pointer: '', language: 'en' }];
const DE: LanguageMark[] = [{ pointer: '', language: 'de' }];

const DOCUMENTS = [
    documentOf('one', { title: 'a house', n: 5 }, EN), documentOf('many', { title: 'the houses' }, EN), documentOf('none', { title: 'a house' }),
    documentOf('haus', { title: 'das Haus', list: ['Häuser', 'Türen'] }, DE), documentOf('hause', { title: 'Hausen' }, EN),
    documentOf('mixed', { title: 'Häuser', other: 'Häuser', deep: { x: ['houses', 'Häuser'] }, code: 'houses' }, [
        ...EN, { pointer: '/title', language: 'de' }, { pointer: '/deep/x/1', language: 'de' }, { pointer: '/code', language: null }
    ]),
    documentOf('file', { title: 'file' }, EN, 'many houses')
];

function segmentsOf(documents: readonly IndexDocument[], size: number): LiveSegment[] {

    return Array.from({ length: Math.ceil(documents.length / size) }, (_, i) =>
        build(documents.slice(i * size, (i + 1) * size).map((document) => ({ document, isGone: false }))));
}

const LAYOUTS = {
    one: segmentsOf(DOCUMENTS, 10), three: segmentsOf(DOCUMENTS, 3), single: segmentsOf(DOCUMENTS, 1), merged: [merge(segmentsOf(DOCUMENTS, 2))]
};

function ids(query: string, segments: readonly LiveSegment[], access = FULL_ACCESS): string[] {

    const { hits } = new IndexSearcher().search({
        query, filterQueries: [], sort: [], facets: [], start: 0, limit: null, includeScore: true, includeVersions: true, access
    }, segments, 10_000);
    return hits.take(Infinity).map(({ id }) => id).sort();
}

const FINDS: readonly (readonly [query: string, ids: readonly string[]])[] = [
    ['/title:house', ['many', 'none', 'one']], ['/title:houses', ['many', 'one']], ['/title:Housing', ['many', 'one']],
    ['/title:"houses"', ['many']], ['/title:hous*', ['many', 'none', 'one']], ['/title:"hous"', []], ['/title:hous?', ['none', 'one']],
    ['/title:houses~0', ['many']], ['/title:"the houses"', ['many']], ['/title:"the house"', []], ['/title:[hous TO house}', []], ['/title:the', ['many']],
    ['+/title:houses -/title:"houses"', ['one']], ['/title:(house haus)', ['haus', 'many', 'mixed', 'none', 'one']],
    ['/title:häuser', ['haus', 'mixed']], ['/title:haus', ['haus', 'mixed']], ['/title:Hauses', ['haus', 'mixed']], ['/list/_:haus', ['haus']], ['/list/_:tür', ['haus']],
    ['/other:haus', []], ['/other:häuser', ['mixed']], ['/deep/x/_:house', ['mixed']], ['/deep/x/_:haus', ['mixed']], ['/code:house', []], ['/code:houses', ['mixed']],
    ['/n:5', ['one']], ['userMetadata/note:house', []], ['elatt_file_filename:house', []], ['file:house', ['file']], ['file:"house"', []], ['housed', ['file', 'many', 'mixed', 'one']],
    ['/title:*', ['file', 'haus', 'hause', 'many', 'mixed', 'none', 'one']], ['en', []], ['/title:en*', []], ['*hous', []]
];

describe('stemming by language', () => {

    for (const [layout, segments] of Object.entries(LAYOUTS)) {
        it(`applies to single words only, each in texts of its language (${layout})`, () => {

            for (const [query, expected] of FINDS) {
                expect(ids(query, segments), query).to.equal(expected as string[]);
            }
        });
    }

    it('ranks the exact form before other forms', () => {

        const { hits } = new IndexSearcher().search({
            query: '/title:houses', filterQueries: [], sort: [], facets: [], start: 0, limit: null, includeScore: true, includeVersions: true, access: FULL_ACCESS
        }, LAYOUTS.one, 10_000);
        const [first, second] = hits.take(Infinity);

        expect([first?.id, second?.id]).to.equal(['many', 'one']);
        expect(first?.score ?? 0).to.be.above(second?.score ?? 0);
    });

    it('reveals nothing of hidden payloads', () => {

        const admission = { caller: true, creator: false, self: false };
        const nobody = { caller: false, creator: false, self: false };
        const access = { all: false, entries: ['public'], userId: null, types: [], defaults: { read: admission, write: nobody, payload: nobody, search: null } };

        for (const segments of Object.values(LAYOUTS)) {
            expect(ids('housed', segments, access)).to.equal(['many', 'mixed', 'one']);
            expect(ids('file:house', segments, access)).to.equal([]);
        }
    });

    it('ends with the object', () => {

        const noted = DOCUMENTS.map((document) => ({ document, isGone: ['one', 'many'].includes(document.id) }));

        for (const segments of [[build(noted)], [merge([build(noted)])]]) {
            expect(ids('/title:houses', segments)).to.equal([]);
            expect(ids('/title:house', segments)).to.equal(['none']);
            expect(ids('/title:haus', segments)).to.equal(['haus', 'mixed']);
        }
    });

    it('leaves a segment unchanged without texts in a language', () => {

        const sections = (languages: LanguageMark[]) => [...(build([{ document: documentOf('a', { title: 'the houses' }, languages), isGone: false }])
            .segment.source as SectionsInMemory).sections];
        const names = (given: [string, Uint8Array][]) => given.map(([name]) => name).sort();

        expect(names(sections([]))).to.equal(SECTION_NAMES.toSorted());
        expect(names(sections([{ pointer: '', language: null }]))).to.equal(SECTION_NAMES.toSorted());
        expect(names(sections(EN))).to.equal([...SECTION_NAMES, ...STEM_SECTION_NAMES].sort());
        expect(sections(EN).filter(([name]) => !name.startsWith('stem.'))).to.equal(sections([]));
    });

    it('works on stored segments with and without sections for stems', () => {

        for (const [languages, expected] of [[EN, ['a']], [[], []]] as const) {
            const { segment } = build([{ document: documentOf('a', { title: 'the houses' }, [...languages]), isGone: false }]);
            const { sections } = segment.source as SectionsInMemory;
            const sizes = new Map(Array.from(sections, ([name, { length }]) => [name, length]));
            const fetch = (_: number, name: string, start: number, end: number) => sections.get(name)!.slice(start, end);
            const stored = new Segment(new PagedSections(1, sizes, { fetch, memory: new LruCache() }));

            expect(ids('/title:house', [{ segment: stored, deleted: new Uint32Array(1) }])).to.equal([...expected]);
            expect(ids('/title:"houses"', [{ segment: stored, deleted: new Uint32Array(1) }])).to.equal(['a']);
            checkSections(1, { documents: 1, sizes, deleted: new Uint8Array(4) });
            sizes.delete('stem.post');
            const check = () => checkSections(1, { documents: 1, sizes, deleted: new Uint8Array(4) });
            if (languages.length > 0) {
                expect(check).to.throw(/not complete/);
            }
            else {
                check();
            }
        }
    });

    it('applies to the first 200,000 words of an object', () => {

        const document = documentOf('a', { title: 'x '.repeat(199_999) + 'houses doors' }, EN);
        const segments = [build([{ document, isGone: false }])];

        expect(['house', 'door', 'doors'].map((word) => ids(`/title:${word}`, segments).length)).to.equal([1, 0, 1]);
    });
});
