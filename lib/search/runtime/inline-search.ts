/**
 * Searches for words that few documents have, answered in the thread that is asked: sending them to the thread that searches and
 * being woken up by it takes longer than finding a few documents, and whatever that thread is busy with would have to end first.
 *
 * That thread lends what it has looked up, in memory that both share. It is used as long as no change was told and nothing of it
 * had to go from memory; who it does not suffice for asks the other thread as before.
 */

import { QueryCache } from '../query/query-cache.js';
import { importSnapshot, copiedBytes, SnapshotMiss } from './shared-snapshot.js';
import type { TermSnapshot, PageId, Pages } from './shared-snapshot.js';
import type { Found, SingleTermRequest } from './protocol.js';
import type { Query, TermQuery } from '../query/query.js';
import type { SearchRequest } from '../query/search-request.js';
import type { Space } from '../segment/format.js';
import { singleTermOf, SingleTermSearch } from '../searcher/single-term-search.js';
import type { TermContexts } from '../searcher/term-contexts.js';
import { contextKey } from '../searcher/term-contexts.js';

/** So many searches of a caller in some fields come between a change and the next loan for them: it takes the time of a few of them. */
const EXPORT_AFTER = 10;

/** Callers and fields whose searches are counted. */
const MAX_MISS_COUNTS = 200;

/** What is copied for loans, bytes. */
const MAX_COPIED_BYTES = 16 * 1024 * 1024;

/** Callers and fields for which there are loans. */
const MAX_SNAPSHOTS = 100;

/**
 * Longer texts, and those in groups, are hardly a single word, and not worth being read twice. Nor are those with many tildes, of
 * which a name of a field may have some: they take long to be read.
 */
const MAX_QUERY_LENGTH = 200;
const NO_WORD = /[\s([{]|(?:~[^~]*){5}/;

/** The thread that searches. */
export interface SnapshotSource {
    /** Null when it is too much. */
    lend(wish: SingleTermRequest): Promise<TermSnapshot | null>;
    /** Null when there is no such page. */
    page(wish: SingleTermRequest, page: PageId): Promise<Uint8Array | null>;
}

export class InlineTermSearch {

    readonly #lender: SnapshotSource;
    readonly #removals: Int32Array;
    readonly #queries = new QueryCache();
    readonly #words = new SingleTermSearch();
    /** Null while it is asked for, and when there is none. */
    readonly #loans = new Map<string, TermContexts | null>();
    readonly #pages = new Map<string, Pages>();
    /** Pages that are asked for. */
    readonly #expected = new Set<string>();
    /** Another one whenever what was lent before is not valid any more. */
    #term = {};
    #copied = 0;
    /** What the first of {@link #removals} was when the loans were made; null while there are none. */
    #removed: number | null = null;
    /** Searches in this term of those who have no loan, by caller and fields. */
    readonly #asked = new Map<string, number>();
    #isClosed = false;

    /** @param removals the lender changes the first of them when it had to let go of something */
    constructor(lender: SnapshotSource, removals: Int32Array) {

        this.#lender = lender;
        this.#removals = removals;
    }

    /** Null when the search is for the other thread. */
    search(request: SearchRequest): Found | null {

        // Whatever is searched for: what had to go from memory is not to be held here.
        if (this.#removed !== null && Atomics.load(this.#removals, 0) !== this.#removed) {
            this.forget();
        }

        const word = this.#wordOf(request);
        if (!word || this.#isClosed) {
            return null;
        }

        const { access, includeVersions } = request;
        const wish = { word: { target: word.target }, caller: { key: JSON.stringify(access), includeVersions } };
        const key = contextKey(wish.word, wish.caller);
        const places = this.#loans.get(key);
        if (!places) {
            this.#wantLoan(key, wish);
            return null;
        }

        try {
            const found = this.#words.search(word, places, request);
            return found && { size: found.size, facets: [], hits: found.hits.take(Infinity), cursor: null };
        }
        catch (error) {
            if (!(error instanceof SnapshotMiss)) {
                throw error;
            }

            this.#wantPage(wish, error.wanted);
            return null;
        }
    }

    /** To be called when a change is told, or segments take the place of others. */
    forget(): void {

        this.#term = {};
        this.#removed = null;
        this.#copied = 0;
        this.#asked.clear();
        this.#loans.clear();
        this.#pages.clear();
        this.#expected.clear();
    }

    /** Nothing is answered any more. */
    close(): void {

        this.#isClosed = true;
        this.forget();
    }

    #wordOf(request: SearchRequest): TermQuery | null {

        const { query, queryJson } = request;
        if (query === null || queryJson !== undefined || query.length > MAX_QUERY_LENGTH || NO_WORD.test(query)) {
            return null;
        }

        let read: Query;
        try {
            read = this.#queries.read(query);
        }
        catch {
            // Whoever answers it says what is wrong.
            return null;
        }

        return singleTermOf(request, read);
    }

    #wantLoan(key: string, wish: SingleTermRequest): void {

        if (this.#loans.has(key) || this.#loans.size === MAX_SNAPSHOTS || this.#copied > MAX_COPIED_BYTES || !this.#isWorthIt(key)) {
            return;
        }

        const term = this.#term;
        this.#loans.set(key, null);
        this.#lender.lend(wish).then((lent) => {

            if (lent && this.#term === term) {
                this.#take(key, lent);
            }
        }).catch(() => {

            // The thread has ended, or could not read what it would have lent: searches tell of that.
            this.forget();
        });
    }

    /** Counts the searches of those who have no loan. */
    #isWorthIt(key: string): boolean {

        const times = (this.#asked.get(key) ?? 0) + 1;
        if (times === EXPORT_AFTER) {
            return this.#asked.delete(key);
        }

        if (times === 1 && this.#asked.size === MAX_MISS_COUNTS) {
            this.#asked.clear();
        }

        this.#asked.set(key, times);
        return false;
    }

    #take(key: string, lent: TermSnapshot): void {

        if (this.#removed !== null && this.#removed !== lent.removals) {
            // What was lent before may be no more.
            this.forget();
        }

        this.#removed = lent.removals;
        this.#copied += copiedBytes(lent);
        this.#loans.set(key, importSnapshot(lent, (place, space) => this.#pagesOf(place, space)));
    }

    #wantPage(wish: SingleTermRequest, wanted: PageId | null): void {

        const name = wanted && `${wanted.place} ${wanted.space} ${wanted.page}`;
        if (!wanted || name === null || this.#expected.has(name)) {
            return;
        }

        const term = this.#term;
        this.#expected.add(name);
        this.#lender.page(wish, wanted).then((bytes) => {

            if (bytes && this.#term === term) {
                this.#pagesOf(wanted.place, wanted.space)[wanted.page] = bytes;
            }
        }).catch(() => {
            // As above.
        });
    }

    /** The pages of a place, whoever looks into them. */
    #pagesOf(place: number, space: Space): Pages {

        const name = `${place} ${space}`;
        const pages = this.#pages.get(name) ?? [];
        this.#pages.set(name, pages);
        return pages;
    }
}
