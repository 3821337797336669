/**
 * The work of the thread that searches: keeps the segments, applies changes, answers searches and hands out further hits.
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
import type { PendingCalls } from '../../util/workers/worker-server.js';
import { LiveSegments } from '../indexing/live-segments.js';
import type { Change } from '../indexing/live-segments.js';
import type { TermContexts } from '../searcher/term-contexts.js';
import type { SearchAccess } from '../query/search-access.js';

/** Searches whose hits have not all been fetched. */
const MAX_CURSORS = 1000;

/** When there are so many, one that nobody has asked for so long has to make room for another, which is refused otherwise. */
const IDLE_MS = 60_000;

/** A search whose hits are fetched bit by bit. */
interface Cursor {
    readonly stream: HitMerger;
    /** By the clock. */
    readonly askedAt: number;
}

export class SearchServer {

    readonly #memory: LruCache;
    readonly #segments: LiveSegments;
    readonly #engine: IndexSearcher;
    /** For searches in the midst of others. */
    readonly #overtaking: IndexSearcher;
    readonly #overtakers: Preemption;
    /** The one that was not asked for longest comes first. */
    readonly #cursors = new Map<number, Cursor>();
    readonly #clock: () => number;
    #nextCursor = 1;
    /** When the last search ended; epoch ms. */
    #searchedUntil = 0;

    /** @param clock milliseconds */
    constructor({ sections, memory, removals }: SearcherOptions, clock = () => performance.now()) {

        this.#clock = clock;
        this.#memory = new LruCache(memory, removals);
        this.#segments = new LiveSegments(this.#memory, fetchThrough(sections));
        this.#engine = new IndexSearcher(this.#memory);
        this.#overtaking = new IndexSearcher(this.#memory);
        this.#overtakers = new Preemption({
            search: (call, milliseconds) => this.#search(this.#overtaking, call, { milliseconds, pause: null }),
            work: (call) => this.handle(call),
            timeFor: (call) => this.#timeFor(call)
        });
    }

    /** @param waiting calls that may overtake a search that takes long */
    handle(call: SearcherCall, waiting?: PendingCalls<SearcherCall>): SearcherAnswers[SearcherCall['kind']] {

        switch (call.kind) {
            case 'apply':
                this.#forget();
                (JSON.parse(call.changes) as readonly Change[]).forEach((change) => this.#segments.apply(change));
                return { documents: this.#segments.unstored, bytes: this.#segments.unstoredBytes };
            case 'search':
                return this.#search(this.#engine, call, {
                    milliseconds: this.#timeFor(call), pause: waiting ? this.#overtakers.rounds(waiting) : null
                });
            case 'more':
                return JSON.stringify(this.#more(call.cursor, call.count));
            case 'forget':
                this.#cursors.delete(call.cursor);
                return null;
            case 'lend':
                return exportSnapshot(this.#places(call), this.#memory.removals);
            case 'page':
                return pageOf(this.#places(call), call.page);
            case 'add':
                this.#segments.add(call.segment, call.dead);
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
                    unstored: this.#segments.unstoredBytes, kept: this.#memory.bytes, room: this.#engine.bytes + this.#overtaking.bytes,
                    heap: process.memoryUsage().heapUsed, segments: this.#segments.count
                };
        }
    }

    /** Segments change: what was looked up of them would hold them. */
    #forget(): void {

        this.#engine.forget();
        this.#overtaking.forget();
    }

    #places({ word, caller }: SingleTermRequest): TermContexts {

        return this.#engine.places(word, this.#segments.snapshot(), { ...caller, access: JSON.parse(caller.key) as SearchAccess });
    }

    /** Milliseconds that a search may still take. */
    #timeFor({ milliseconds, askedAt }: SearcherCall & { kind: 'search' }): number {

        // Its time runs while others are answered before it, so that many long searches do not add up; changes are no reason to give up.
        const waited = askedAt < this.#searchedUntil ? Date.now() - askedAt : 0;
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
            const asked = JSON.parse(request) as SearchRequest;
            const { size, facets, hits: stream } = this.#segments.withSnapshot((segments) => engine.search(asked, segments, milliseconds, pause));
            const hits = stream.take(first);
            return JSON.stringify({ size, facets, hits, cursor: stream.isDone ? null : this.#keep(stream) } satisfies Found);
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
            this.#cursors.set(cursor, { stream, askedAt: this.#clock() });
        }

        return { hits, isDone: stream.isDone };
    }

    #keep(stream: HitMerger): number {

        this.#makeRoom();
        const cursor = this.#nextCursor++;
        this.#cursors.set(cursor, { stream, askedAt: this.#clock() });
        return cursor;
    }

    /** Whoever is given results goes on to be given them: it is the newcomer who is told to come again. */
    #makeRoom(): void {

        const [oldest] = this.#cursors;
        if (!oldest || this.#cursors.size < MAX_CURSORS) {
            return;
        }

        const [cursor, { askedAt }] = oldest;
        if (this.#clock() - askedAt < IDLE_MS) {
            throw tooBusy('too many results of searches are being read at the same time, try again later or ask for a page');
        }

        this.#cursors.delete(cursor);
    }
}

/** 503. */
function tooBusy(message: string): DoipError {

    return new DoipError(Status.internal, message, { http: 503 });
}
