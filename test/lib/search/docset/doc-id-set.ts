import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { emptyBits, fullBits, setBit } from '../../../../lib/search/docset/bit-set.js';
import { DocIdSetBuilder } from '../../../../lib/search/matching/doc-id-set-builder.js';
import {
    both, countBoth, countOf, sparseSet, forEachDocument, hasDocument, cachedSet, listOf, denseSet, maxSparse, without
} from '../../../../lib/search/docset/doc-id-set.js';
import type { DocumentSet } from '../../../../lib/search/docset/doc-id-set.js';
import { Segment } from '../../../../lib/search/segment/segment-reader.js';
import { SegmentBuilder } from '../../../../lib/search/indexing/segment-builder.js';
import { commonDocuments, firstIndex, forEachIndex, indexInList } from '../../../../lib/search/docset/sorted-doc-ids.js';
import { seeded } from '../../../support/random.js';
import type { Random } from '../../../support/random.js';
import { SearchCorpus } from '../../../support/search-corpus.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Documents of the segment. */
const DOCUMENTS = 3000;

/** Some documents, in order; often none, few, about as many as a list may have, or all. */
function someDocuments(random: Random): number[] {

    const share = [0, 0.002, 0.012, 0.016, 0.02, 0.3, 1][random.integer(0, 6)] ?? 0;
    return Array.from({ length: DOCUMENTS }, (_, i) => i).filter(() => random.integer(0, 9999) < share * 10_000);
}

function bitsOf(documents: readonly number[]) {

    const bits = emptyBits(DOCUMENTS);
    documents.forEach((document) => setBit(bits, document));
    return bits;
}

/** The same documents in every form that a set can have. */
function forms(documents: readonly number[]): Record<string, () => DocumentSet> {

    return {
        few: () => sparseSet(Uint32Array.from(documents)),
        many: () => denseSet(bitsOf(documents)),
        kept: () => cachedSet(denseSet(bitsOf(documents)), DOCUMENTS)
    };
}

/** What a set has, looked at in every way. */
function contents(set: DocumentSet): number[] {

    const found: number[] = [];
    forEachDocument(set, (document) => found.push(document));
    expect([...listOf(set)]).to.equal(found);
    expect(countOf(set)).to.equal(found.length);
    for (const document of [0, 1, 31, 32, 1500, DOCUMENTS - 1]) {
        expect(hasDocument(set, document)).to.equal(found.includes(document));
    }

    return found;
}

describe('a set of documents', () => {

    for (const seed of [1, 2, 3, 4]) {
        it(`combines lists and bit sets like sets of numbers, without changing shared ones (seed ${seed})`, () => {

            const random = seeded(seed);
            for (let round = 0; round < 40; ++round) {
                const [left, right] = [someDocuments(random), someDocuments(random)];
                const common = left.filter((document) => right.includes(document));
                const rest = left.filter((document) => !right.includes(document));
                for (const [leftForm, a] of Object.entries(forms(left))) {
                    for (const [rightForm, b] of Object.entries(forms(right))) {
                        const context = `${leftForm} (${left.length}) and ${rightForm} (${right.length})`;
                        expect(countBoth(a(), b()), context).to.equal(common.length);
                        const [first, second] = [a(), b()];
                        expect(contents(both(first, second)), context).to.equal(common);
                        const [third, fourth] = [a(), b()];
                        expect(contents(without(third, fourth)), context).to.equal(rest);
                        for (const [set, documents] of [[first, left], [second, right], [third, left], [fourth, right]] as const) {
                            if (set.kind === 'few' || set.cached) {
                                expect(contents(set), context).to.equal(documents);
                            }
                        }
                    }
                }
            }
        });
    }

    it('is a list for up to one document in 64', () => {

        const most = maxSparse(DOCUMENTS);
        const first = (count: number): number[] => Array.from({ length: count }, (_, i) => i * 3);
        expect(most).to.equal(46);
        expect(maxSparse(10)).to.equal(16);
        expect(cachedSet(denseSet(bitsOf(first(most))), DOCUMENTS).kind).to.equal('few');
        expect(cachedSet(denseSet(bitsOf(first(most + 1))), DOCUMENTS).kind).to.equal('many');
        expect(cachedSet(denseSet(fullBits(DOCUMENTS)), DOCUMENTS)).to.include({ cached: { count: DOCUMENTS, isAll: true } });
    });

    it('intersects sorted lists of very different lengths', () => {

        const random = seeded(9);
        for (let round = 0; round < 200; ++round) {
            const [a, b] = [Uint32Array.from(someDocuments(random)), Uint32Array.from(someDocuments(random))];
            const common = [...a].filter((document) => b.includes(document));
            expect([...commonDocuments(a, b)]).to.equal(common);
            const places: number[] = [];
            forEachIndex(a, b, (place) => places.push(place));
            expect(places).to.equal(common.map((document) => a.indexOf(document)));
            const wanted = random.integer(0, DOCUMENTS - 1);
            expect(indexInList(a, wanted)).to.equal(a.indexOf(wanted));
            const after = a.findIndex((document) => document >= wanted);
            expect(firstIndex(a, wanted)).to.equal(after === -1 ? a.length : after);
        }
    });
});

describe('the builder of document sets', () => {

    /** Words stand for entries: the more letters, the more documents. */
    function segment(): Segment {

        const corpus = new SearchCorpus(3);
        const builder = new SegmentBuilder();
        for (let i = 0; i < DOCUMENTS; ++i) {
            builder.add(corpus.document(`test/${i}`));
        }

        return Segment.of(builder.finish());
    }

    it('adds documents, entries and sets in any order to one set, a list or a bit set', () => {

        const random = seeded(5);
        const indexed = segment();
        const space = indexed.dictionary('text');
        const kinds = new Set<string>();
        for (let round = 0; round < 400; ++round) {
            const collector = new DocIdSetBuilder(indexed);
            const expected = new Set<number>();
            for (let step = random.integer(0, 5); step >= 0; --step) {
                if (random.integer(0, 2) === 0) {
                    const document = random.integer(0, DOCUMENTS - 1);
                    collector.add(document);
                    expected.add(document);
                }
                else if (random.integer(0, 1) === 0) {
                    const entry = space.firstEntry(random.integer(0, space.termCount - 1));
                    collector.addEntry(space, entry);
                    const documents = new Uint32Array(space.postings.count(entry));
                    space.postings.read(entry, documents, documents.slice());
                    documents.forEach((document) => expected.add(document));
                }
                else {
                    const documents = someDocuments(random);
                    const form = Object.values(forms(documents))[random.integer(0, 2)];
                    collector.addSet(form?.() ?? sparseSet(new Uint32Array(0)));
                    documents.forEach((document) => expected.add(document));
                }
            }

            const set = collector.build();
            kinds.add(set.kind);
            expect(contents(set)).to.equal([...expected].sort((a, b) => a - b));
        }

        expect(kinds.size).to.equal(2);
    });

    it('never changes shared sets', () => {

        const kept = cachedSet(denseSet(bitsOf(Array.from({ length: 200 }, (_, i) => i * 7))), DOCUMENTS);
        const before = contents(kept);
        const list = sparseSet(Uint32Array.from([1, 5, 9]));
        for (const set of [kept, list]) {
            const collector = new DocIdSetBuilder(segment());
            collector.addSet(set);
            collector.add(2);
            collector.add(1);
            expect(contents(collector.build())).to.equal([...new Set([...contents(set), 1, 2])].sort((a, b) => a - b));
        }

        expect(contents(kept)).to.equal(before);
        expect(contents(list)).to.equal([1, 5, 9]);
    });
});
