/**
 * Fast path on the main thread for queries of a single rare term: a round trip to the search thread takes longer than finding a few
 * documents, and would wait for what that thread is working on.
 *
 * The search thread exports its term lookups over shared memory. A snapshot is invalidated by any change and by any cache eviction;
 * on a miss the query goes to the search thread.
 */

import { LRUCache } from 'lru-cache';
import { QueryCache } from '../query/query-cache.js';
import { importSnapshot, copiedBytes, SnapshotMiss } from './shared-snapshot.js';
import type { TermSnapshot, PageId, Pages } from './shared-snapshot.js';
import type { Found, SingleTermRequest } from './protocol.js';
import type { Query, TermQuery } from '../query/query.js';
import type { SearchRequest } from '../query/search-request.js';
import type { TermKind } from '../segment/format.js';
import { singleTermOf, SingleTermSearch } from '../searcher/single-term-search.js';
import type { TermContexts } from '../searcher/term-contexts.js';
import { contextKey } from '../searcher/term-contexts.js';

/** Number of searches of a caller in some fields before a snapshot is requested for them after a change: it costs a few searches. */
const EXPORT_AFTER = 10;

/** Maximum number of caller and field combinations whose searches are counted. */
const MAX_MISS_COUNTS = 200;

/** Maximum size of the copied parts of snapshots, in bytes. */
const MAX_COPIED_BYTES = 16 * 1024 * 1024;

/** Maximum number of snapshots, by caller and fields. */
const MAX_SNAPSHOTS = 100;

/**
 * Longer texts and groups are hardly ever a single term, and not worth parsing twice. Nor are texts with many tildes, which are
 * slow to parse; a field name may contain a few.
 */
const MAX_QUERY_LENGTH = 200;
const NO_WORD = /[\s([{]|(?:~[^~]*){5}/;

/** The search thread. */
export interface SnapshotSource {
    /** Exports a snapshot; null when it is too large. */
    exportSnapshot(termRequest: SingleTermRequest): Promise<TermSnapshot | null>;
    /** Returns a page of postings; null when there is no such page. */
    page(termRequest: SingleTermRequest, page: PageId): Promise<Uint8Array | null>;
}

/** Single-term searches on snapshots. */
export class InlineTermSearch {

    readonly #source: SnapshotSource;
    readonly #removals: Int32Array;
    readonly #queries = new QueryCache();
    readonly #search = new SingleTermSearch();
    /** Snapshots by key; null while one is requested, and when there is none. */
    readonly #snapshots = new Map<string, TermContexts | null>();
    readonly #pages = new Map<string, Pages>();
    /** Pages that were requested. */
    readonly #expected = new Set<string>();
    /** Generation: replaced whenever earlier snapshots become invalid. */
    #generation = {};
    #copiedBytes = 0;
    /** First element of {@link #removals} when the snapshots were exported; null while there are none. */
    #removed: number | null = null;
    /** Number of misses in this generation, by caller and fields. */
    readonly #missCounts = new LRUCache<string, number>({ max: MAX_MISS_COUNTS });
    #isClosed = false;

    /**
     * @param removals its first element changes whenever the search thread evicts something from its cache
     */
    constructor(source: SnapshotSource, removals: Int32Array) {

        this.#source = source;
        this.#removals = removals;
    }

    /** Answers a search; null when it has to go to the search thread. */
    search(request: SearchRequest): Found | null {

        // Checked for every search, so that snapshots do not keep evicted data in memory.
        if (this.#removed !== null && Atomics.load(this.#removals, 0) !== this.#removed) {
            this.forget();
        }

        const leaf = this.#termOf(request);
        if (!leaf || this.#isClosed) {
            return null;
        }

        const { access, includeVersions } = request;
        const termRequest = { word: { target: leaf.target }, caller: { key: JSON.stringify(access), includeVersions } };
        const key = contextKey(termRequest.word, termRequest.caller);
        const contexts = this.#snapshots.get(key);
        if (!contexts) {
            this.#requestSnapshot(key, termRequest);
            return null;
        }

        try {
            const found = this.#search.search(leaf, contexts, request);
            return found && { size: found.size, facets: [], hits: found.hits.take(Infinity), cursor: null };
        }
        catch (error) {
            if (!(error instanceof SnapshotMiss)) {
                throw error;
            }

            this.#requestPage(termRequest, error.page);
            return null;
        }
    }

    /** Drops all snapshots. To be called when a change is committed, or segments are replaced. */
    forget(): void {

        this.#generation = {};
        this.#removed = null;
        this.#copiedBytes = 0;
        this.#missCounts.clear();
        this.#snapshots.clear();
        this.#pages.clear();
        this.#expected.clear();
    }

    /** Ends the fast path: every search goes to the search thread. */
    close(): void {

        this.#isClosed = true;
        this.forget();
    }

    #termOf(request: SearchRequest): TermQuery | null {

        const { query, queryJson } = request;
        if (query === null || queryJson !== undefined || query.length > MAX_QUERY_LENGTH || NO_WORD.test(query)) {
            return null;
        }

        let read: Query;
        try {
            read = this.#queries.read(query);
        }
        catch {
            // The search thread reports the error.
            return null;
        }

        return singleTermOf(request, read);
    }

    #requestSnapshot(key: string, termRequest: SingleTermRequest): void {

        if (this.#snapshots.has(key) || this.#snapshots.size === MAX_SNAPSHOTS || this.#copiedBytes > MAX_COPIED_BYTES || !this.#reachedThreshold(key)) {
            return;
        }

        const generation = this.#generation;
        this.#snapshots.set(key, null);
        this.#source.exportSnapshot(termRequest).then((snapshot) => {

            if (snapshot && this.#generation === generation) {
                this.#import(key, snapshot);
            }
        }).catch(() => {

            // The thread has ended, or failed to read what it would have exported; searches report that.
            this.forget();
        });
    }

    /** Counts misses; returns true when a snapshot should be requested. */
    #reachedThreshold(key: string): boolean {

        const times = (this.#missCounts.get(key) ?? 0) + 1;
        if (times === EXPORT_AFTER) {
            return this.#missCounts.delete(key);
        }

        this.#missCounts.set(key, times);
        return false;
    }

    #import(key: string, snapshot: TermSnapshot): void {

        if (this.#removed !== null && this.#removed !== snapshot.removals) {
            // Memory of earlier snapshots may have been evicted.
            this.forget();
        }

        this.#removed = snapshot.removals;
        this.#copiedBytes += copiedBytes(snapshot);
        this.#snapshots.set(key, importSnapshot(snapshot, (index, kind) => this.#pagesOf(index, kind)));
    }

    #requestPage(termRequest: SingleTermRequest, id: PageId | null): void {

        const name = id && `${id.segment} ${id.kind} ${id.page}`;
        if (!id || name === null || this.#expected.has(name)) {
            return;
        }

        const generation = this.#generation;
        this.#expected.add(name);
        this.#source.page(termRequest, id).then((bytes) => {

            if (bytes && this.#generation === generation) {
                this.#pagesOf(id.segment, id.kind)[id.page] = bytes;
            }
        }).catch(() => {
            // As above.
        });
    }

    /** Returns the pages of a segment, shared by all snapshots. */
    #pagesOf(index: number, kind: TermKind): Pages {

        const name = `${index} ${kind}`;
        const pages = this.#pages.get(name) ?? [];
        this.#pages.set(name, pages);
        return pages;
    }
}
