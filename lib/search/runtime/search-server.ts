/**
 * Service in the search thread: holds the segments, applies changes, answers searches and returns further hits.
 */

import { DoipError } from '../../errors/errors.js';
import { Status } from '../../errors/status.js';
import { QueryTimeout } from '../query/query-deadline.js';
import { IndexSearcher } from '../searcher/index-searcher.js';
import type { HitMerger } from '../collectors/hit-merger.js';
import { exportSnapshot, pageOf } from './shared-snapshot.js';
import { LruCache } from '../../util/cache/lru-cache.js';
import type { Found, MoreFound, SearcherAnswers, SearcherCall, SearcherOptions, SingleTermRequest } from './protocol.js';
import { Preemption } from './preemption.js';
import { fetchThrough } from './section-channel.js';
import type { SearchRequest } from '../query/search-request.js';
import type { CallServer, PendingCalls } from '../../util/workers/worker-server.js';
import { IndexProgress } from '../relay/index-progress.js';
import { RemoteSearches } from '../relay/remote-searches.js';
import { LiveSegments } from '../indexing/live-segments.js';
import type { Change } from '../indexing/live-segments.js';
import type { TermContexts } from '../searcher/term-contexts.js';
import type { SearchAccess } from '../query/search-access.js';

/** Maximum number of searches whose hits were not all fetched. */
const MAX_CURSORS = 1000;

/** Milliseconds without use after which a cursor may be evicted for a new one; without such a cursor the new search is rejected. */
const IDLE_MS = 60_000;

/** A search whose hits are fetched in pages. */
interface Cursor {
    readonly stream: HitMerger;
    /** Time of the last fetch, by the clock. */
    readonly fetchedAt: number;
}

export class SearchServer {

    readonly #cache: LruCache;
    readonly #segments: LiveSegments;
    readonly #engine: IndexSearcher;
    /** Executes preempting searches. */
    readonly #preemptingEngine: IndexSearcher;
    readonly #preemption: Preemption;
    /** Least recently used first. */
    readonly #cursors = new Map<number, Cursor>();
    readonly #clock: () => number;
    readonly #progress: IndexProgress;
    /** Searches of worker processes; null while there are none. */
    #remote: RemoteSearches | null = null;
    /** Serves the calls of a further port. */
    addPort: CallServer<SearcherCall>['add'] = () => {};
    #nextCursor = 1;
    /** End of the last search; epoch ms. */
    #searchedUntil = 0;

    /**
     * @param clock in milliseconds
     */
    constructor({ sections, memory, removals, progress }: SearcherOptions, clock = () => performance.now()) {

        this.#clock = clock;
        this.#progress = new IndexProgress(progress);
        this.#cache = new LruCache(memory, removals);
        this.#segments = new LiveSegments(this.#cache, fetchThrough(sections));
        this.#engine = new IndexSearcher(this.#cache);
        this.#preemptingEngine = new IndexSearcher(this.#cache);
        this.#preemption = new Preemption({
            search: (call, milliseconds) => this.#search(this.#preemptingEngine, call, { milliseconds, pause: null }),
            work: (call) => this.handle(call),
            timeFor: (call) => this.#timeFor(call)
        });
    }

    /**
     * @param pending calls that may preempt a long search
     */
    handle(call: SearcherCall, pending?: PendingCalls<SearcherCall>): SearcherAnswers[SearcherCall['kind']] {

        switch (call.kind) {
            case 'apply':
                this.#forget();
                (JSON.parse(call.changes) as readonly Change[]).forEach((change) => this.#segments.apply(change));
                this.#progress.apply(call.upTo);
                this.#remote?.applied();
                return { documents: this.#segments.unstored, bytes: this.#segments.unstoredBytes };
            case 'admit':
                this.#admit(call);
                return null;
            case 'read':
                this.#remote?.hasRead(call.read, call.isRead);
                return null;
            case 'search':
                return this.#search(this.#engine, call, {
                    milliseconds: this.#timeFor(call), pause: pending ? () => this.#preemption.runPending(pending) : null
                });
            case 'more':
                return JSON.stringify(this.#more(call.cursor, call.count));
            case 'forget':
                this.#cursors.delete(call.cursor);
                return null;
            case 'lend':
                return exportSnapshot(this.#termContexts(call), this.#cache.removals);
            case 'page':
                return pageOf(this.#termContexts(call), call.page);
            case 'add':
                this.#segments.add(call.segment, call.deleted);
                return null;
            case 'gather':
                return { ...this.#segments.gather(call.load), sizes: this.#segments.sizes() };
            case 'seal':
                return { ...this.#segments.seal(), sizes: this.#segments.sizes() };
            case 'unseal':
                this.#segments.unseal();
                return null;
            case 'copies':
                return this.#segments.copies(call.names);
            case 'replace':
                this.#forget();
                this.#segments.replace(call.sources, call.added);
                return this.#segments.sizes();
            case 'usage':
                return {
                    unstored: this.#segments.unstoredBytes, cached: this.#cache.bytes, scratch: this.#engine.bytes + this.#preemptingEngine.bytes,
                    heap: process.memoryUsage().heapUsed, segments: this.#segments.count, documents: this.#segments.documents,
                    cache: this.#cache.usage
                };
        }
    }

    #admit({ calls, needs, freshnessMs }: SearcherCall & { kind: 'admit' }): void {

        const remote = new RemoteSearches({ progress: this.#progress, freshnessMs, ask: (need) => needs.postMessage(need) });
        this.#remote = remote;
        this.addPort(calls, (_, serve, reject) => remote.admit(serve, reject));
    }

    /** Drops lookups, which would keep replaced segments in memory. */
    #forget(): void {

        this.#engine.forget();
        this.#preemptingEngine.forget();
    }

    #termContexts({ word, caller }: SingleTermRequest): TermContexts {

        return this.#engine.termContexts(word, this.#segments.snapshot(), { ...caller, access: JSON.parse(caller.key) as SearchAccess });
    }

    /** Returns the milliseconds that a search has left; throws {@link QueryTimeout} when there are none. */
    #timeFor({ milliseconds, requestedAt }: SearcherCall & { kind: 'search' }): number {

        // Waiting for other searches counts, so that the times of many long searches do not add up; waiting for changes does not.
        const waited = requestedAt < this.#searchedUntil ? Date.now() - requestedAt : 0;
        if (waited > milliseconds) {
            throw new QueryTimeout();
        }

        return milliseconds - waited;
    }

    /** Returns the JSON text of a {@link Found}. */
    #search(
        engine: IndexSearcher, { request, first }: SearcherCall & { kind: 'search' },
        { milliseconds, pause }: { readonly milliseconds: number; readonly pause: (() => void) | null }
    ): string {

        try {
            const parsed = JSON.parse(request) as SearchRequest;
            const { size, facets, hits: stream } = this.#segments.withSnapshot((segments) => engine.search(parsed, segments, milliseconds, pause));
            const hits = stream.take(first);
            return JSON.stringify({ size, facets, hits, cursor: stream.isDone ? null : this.#openCursor(stream) } satisfies Found);
        }
        finally {
            this.#searchedUntil = Date.now();
        }
    }

    #more(cursor: number, count: number): MoreFound {

        const stream = this.#cursors.get(cursor)?.stream;
        if (!stream) {
            throw tooBusy('the results of the search were not read for too long');
        }

        this.#cursors.delete(cursor);
        const hits = stream.take(count);
        if (!stream.isDone) {
            this.#cursors.set(cursor, { stream, fetchedAt: this.#clock() });
        }

        return { hits, isDone: stream.isDone };
    }

    #openCursor(stream: HitMerger): number {

        this.#evictIdle();
        const cursor = this.#nextCursor++;
        this.#cursors.set(cursor, { stream, fetchedAt: this.#clock() });
        return cursor;
    }

    /** Existing cursors take precedence: when all are in use, the new search is rejected. */
    #evictIdle(): void {

        const [oldest] = this.#cursors;
        if (!oldest || this.#cursors.size < MAX_CURSORS) {
            return;
        }

        const [cursor, { fetchedAt }] = oldest;
        if (this.#clock() - fetchedAt < IDLE_MS) {
            throw tooBusy('too many results of searches are being read at the same time, try again later or ask for a page');
        }

        this.#cursors.delete(cursor);
    }
}

/** Returns a DoipError 503. */
function tooBusy(message: string): DoipError {

    return new DoipError(Status.internal, message, { http: 503 });
}
