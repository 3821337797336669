import { setImmediate } from 'node:timers/promises';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { FULL_ACCESS } from '../../../../lib/search/matching/acl-filter.js';
import { IndexSearcher } from '../../../../lib/search/searcher/index-searcher.js';
import type { IndexDocument } from '../../../../lib/search/mapping/index-document.js';
import { exportSnapshot, pageOf } from '../../../../lib/search/runtime/shared-snapshot.js';
import type { TermSnapshot } from '../../../../lib/search/runtime/shared-snapshot.js';
import type { Found, SingleTermRequest } from '../../../../lib/search/runtime/protocol.js';
import { InlineTermSearch } from '../../../../lib/search/runtime/inline-search.js';
import type { SnapshotSource } from '../../../../lib/search/runtime/inline-search.js';
import type { SearchRequest } from '../../../../lib/search/query/search-request.js';
import { SearchServer } from '../../../../lib/search/runtime/search-server.js';
import { serveSections } from '../../../../lib/search/runtime/section-channel.js';
import { resolveTermContexts } from '../../../../lib/search/searcher/term-contexts.js';
import type { TermContexts } from '../../../../lib/search/searcher/term-contexts.js';
import { SearchCorpus } from '../../../support/search-corpus.js';
import { build } from '../../../support/search-layouts.js';

export const lab = Lab.script();
const { describe, it } = lab;

function request(query: string, more: Partial<SearchRequest> = {}): SearchRequest {

    return {
        query, filterQueries: [], sort: [], facets: [], start: 0, limit: null, includeScore: true, includeVersions: true, access: FULL_ACCESS, ...more
    };
}

function titled(i: number, title: string): IndexDocument {

    return { ...new SearchCorpus(1).document(`test/${i}`), content: { title } };
}

/** A searcher, and whoever it lends to, in one thread; what is lent is copied as it is between threads. */
class Pair {

    readonly removals = new Int32Array(new SharedArrayBuffer(4));
    readonly #port = serveSections(() => Promise.reject(new Error('nothing is stored')), () => {});
    readonly searcher = new SearchServer({ sections: this.#port.port, memory: 1e9, removals: this.removals });
    /** What was asked for. */
    readonly asked: string[] = [];
    /** Put in the place of what is lent. */
    instead: (() => TermSnapshot | null) | null = null;
    readonly #lender: SnapshotSource = {
        exportSnapshot: async (wish) => {

            this.asked.push('loan');
            await setImmediate();
            return structuredClone(this.instead ? this.instead() : this.searcher.handle({ kind: 'lend', ...wish }) as TermSnapshot | null);
        },
        page: async (wish, page) => {

            this.asked.push(`page ${page.segment} ${page.kind} ${page.page}`);
            await setImmediate();
            return structuredClone(this.searcher.handle({ kind: 'page', page, ...wish }) as Uint8Array | null);
        }
    };
    readonly prompt = new InlineTermSearch(this.#lender, this.removals);

    put(documents: readonly IndexDocument[]): void {

        this.searcher.handle({ kind: 'apply', changes: JSON.stringify(documents.map((document) => ({ kind: 'put', document }))), upTo: 0 });
        this.prompt.forget();
    }

    /** Asks so many times, and lets what is asked for come each time. */
    async ask(wanted: SearchRequest, times = 15): Promise<Found | null> {

        let found: Found | null = null;
        for (let i = 0; i < times; ++i) {
            found = this.prompt.search(wanted);
            await setImmediate();
            await setImmediate();
        }

        return found;
    }

    /** The answer of the searcher, in the way of other searches. */
    general(wanted: SearchRequest): Found {

        return JSON.parse(this.searcher.handle({
            kind: 'search', request: JSON.stringify({ ...wanted, filterQueries: ['*:*'] }), first: 1000, milliseconds: 10_000,
            requestedAt: Date.now(), caller: ''
        }) as string) as Found;
    }

    close(): void {

        this.prompt.close();
        this.#port.close();
    }
}

async function withPair(test: (pair: Pair) => Promise<void>): Promise<void> {

    const pair = new Pair();
    try {
        await test(pair);
    }
    finally {
        pair.close();
    }
}

describe('the search snapshot', () => {

    it('is requested once, then by pages; terms whose postings span pages need the search thread', async () => {

        // Each word twice in every other document: some 1.8 MB of postings.
        const words = Array.from({ length: 900 }, (_, i) => `w${String(i).padStart(4, '0')}`);
        const [even = '', odd = ''] = [0, 1].map((rest) => words.filter((_, i) => i % 2 === rest)).map((half) => [...half, ...half].join(' '));
        const segments = [build(Array.from({ length: 2000 }, (_, i) => ({ document: titled(i, i % 2 === 0 ? even : odd), isGone: false })))];
        const known = new Map<string, TermContexts>();
        const placesFor = ({ word, caller }: SingleTermRequest): TermContexts => {

            const places = known.get(caller.key) ?? resolveTermContexts(word, segments, { ...caller, access: FULL_ACCESS });
            known.set(caller.key, places);
            return places;
        };

        const asked: string[] = [];
        const prompt = new InlineTermSearch({
            exportSnapshot: (wish) => Promise.resolve(structuredClone(exportSnapshot(placesFor(wish), 0))),
            page: (wish, page) => {

                asked.push(`${page.segment} ${page.kind} ${page.page}`);
                return Promise.resolve(structuredClone(pageOf(placesFor(wish), page)));
            }
        }, new Int32Array(1));
        const engine = new IndexSearcher();
        let count = 0;
        for (const word of [...words.slice(0, 20), ...words]) {
            const wanted = request(`/title:${word}`, { limit: 3 });
            prompt.search(wanted);
            await setImmediate();
            const found = prompt.search(wanted);
            const { size, hits } = engine.search(wanted, segments, 10_000);
            expect(size, word).to.equal(1000);
            if (found) {
                expect(found, word).to.equal({ size, facets: [], hits: hits.take(Infinity), cursor: null });
                ++count;
            }
        }

        expect(asked).to.equal(['0 text 0', '0 text 1']);
        expect(count).to.be.within(words.length, words.length + 15);
    });

    it('suffices to find what each caller may find, including terms of payloads, and nothing else', () => withPair(async (pair) => {

        const corpus = new SearchCorpus(61);
        let inPayloads = 0;
        for (let start = 0; start < 90; start += 30) {
            pair.put(Array.from({ length: 30 }, (_, i) => corpus.document(`test/${start + i}`)));
            expect(pair.prompt.search(request('tess'))).to.be.null();
            for (const field of ['', 'scan:', 'full:', '/title:']) {
                const caller = { access: corpus.access(), includeVersions: corpus.once(2) };
                await pair.ask(request(`${field}tess`, caller), 12);
                for (const word of ['tess', 'hardi', 'family', 'foo', 'bar', '2004', 'absent']) {
                    const wanted = request(field + word, caller);
                    const found = await pair.ask(wanted, 6);
                    expect(found, JSON.stringify(wanted)).to.equal(pair.general(wanted));
                    inPayloads += field === 'scan:' && !caller.access.all ? found?.size ?? 0 : 0;
                }
            }
        }

        expect(inPayloads).to.be.above(0);
    }));

    it('is released after a cache eviction, and requested again', () => withPair(async (pair) => {

        pair.put([titled(1, 'one'), titled(2, 'two')]);
        expect((await pair.ask(request('one')))?.size).to.equal(1);

        Atomics.add(pair.removals, 0, 1);
        expect(pair.prompt.search(request('one'))).to.be.null();
        expect((await pair.ask(request('one')))?.size).to.equal(1);
        expect(pair.asked.filter((what) => what === 'loan')).to.have.length(2);
    }));

    it('is accepted while others search during its transfer, after any evictions', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        Atomics.add(pair.removals, 0, 1);
        let found: Found | null = null;
        for (let turn = 0; turn < 50; ++turn) {
            for (let i = 0; i < 3; ++i) {
                found = pair.prompt.search(request('one'));
            }

            await setImmediate();
        }

        expect(found?.size).to.equal(1);
        expect(pair.asked.filter((what) => what === 'loan')).to.have.length(1);
    }));

    it('is invalidated by a cache eviction, whatever the next search is', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        await pair.ask(request('one'));
        Atomics.add(pair.removals, 0, 1);
        expect(pair.prompt.search(request('one', { facets: [{ field: 'type', maxBuckets: 5 }] }))).to.be.null();
        Atomics.sub(pair.removals, 0, 1);
        expect(pair.prompt.search(request('one'))).to.be.null();
    }));

    it('is requested for frequent searches only, not for many callers with one search each', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        for (let field = 0; field < 500; ++field) {
            await pair.ask(request(`/field${field % 250}:one`), 4);
        }

        expect(pair.asked).to.equal([]);
        expect((await pair.ask(request('/title:one')))?.size).to.equal(1);
    }));

    it('is invalidated by a change during its transfer', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        await pair.ask(request('/title:one'), 9);
        expect(pair.asked).to.equal([]);
        expect(pair.prompt.search(request('/title:one'))).to.be.null();
        expect(pair.asked).to.equal(['loan']);
        pair.put([titled(1, 'two')]);
        await setImmediate();
        await setImmediate();
        expect(pair.prompt.search(request('/title:one'))).to.be.null();
        expect((await pair.ask(request('/title:one')))?.size).to.equal(0);
    }));

    it('is not made for more than a hundred callers and fields, nor for more than 32 segments', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        for (let field = 0; field < 150; ++field) {
            await pair.ask(request(`/field${field}:one`), 12);
        }

        expect(pair.asked).to.have.length(100);
        expect(pair.prompt.search(request('/field99:one'))?.size).to.equal(0);
        expect(pair.prompt.search(request('/field100:one'))).to.be.null();

        pair.prompt.forget();
        pair.instead = () => null;
        expect(await pair.ask(request('/field1:one'), 30)).to.be.null();
        expect(pair.asked).to.have.length(101);
        const target = { kind: 'any' } as const;
        const segment = build([{ document: titled(1, 'one'), isGone: false }]);
        for (const [segments, isLent] of [[32, true], [33, false]] as const) {
            const live = Array.from({ length: segments }, () => segment);
            const places = resolveTermContexts({ target }, live, { access: FULL_ACCESS, key: '', includeVersions: true });
            expect(exportSnapshot(places, 0) !== null, String(segments)).to.equal(isLent);
        }
    }));

    it('is requested again after a failure', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        pair.instead = () => {

            throw new Error('not now');
        };

        expect(await pair.ask(request('one'))).to.be.null();
        pair.instead = null;
        expect((await pair.ask(request('one'), 25))?.size).to.equal(1);
    }));

    it('is not used after the fast path was closed', () => withPair(async (pair) => {

        pair.put([titled(1, 'one')]);
        expect((await pair.ask(request('one')))?.size).to.equal(1);
        pair.prompt.close();
        expect(await pair.ask(request('one'), 30)).to.be.null();
        expect(pair.asked.filter((what) => what === 'loan')).to.have.length(1);
    }));
});
