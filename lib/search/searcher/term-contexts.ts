/**
 * Contexts for queries of a single term: everything is resolved but the term. They are cached for further terms, and can be
 * exported to other threads, since all but the readers of postings is plain data.
 */

import { LRUCache } from 'lru-cache';
import { normTable } from '../scoring/bm25.js';
import type { DocValues } from '../segment/doc-values.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { resolveWordField } from '../matching/field-resolver.js';
import type { TermQuery } from '../query/query.js';
import { lengthFields } from '../scoring/scored-clauses.js';
import type { Lengths } from '../segment/segment-reader.js';
import { LAST_KEYS } from '../collectors/sort-keys.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import { averageLength, visibleDocs } from '../matching/visible-docs.js';
import type { CallerScope } from '../matching/visible-docs.js';
import type { LiveSegment } from './live-segment.js';
import type { LruCache } from '../../util/cache/lru-cache.js';

/** Context of one segment. */
export interface TermContext {
    readonly dictionaries: readonly TermDictionary[];
    /** Null for all fields of the dictionaries. */
    readonly fields: readonly number[] | null;
    /** Terms of texts in fields below this number count only in documents of {@link payloads}. */
    readonly payloadFields: number;
    /** Live documents that the caller may see, within the scope of the search. */
    readonly visible: DocumentSet;
    /** Documents whose payloads may be searched; null for all. */
    readonly payloads: DocumentSet | null;
    /** Norms of the fields whose lengths count. */
    readonly lengths: readonly AverageLengths[];
    /** Doc values that break ties of scores; null where no document has a value. */
    readonly lastColumns: readonly (DocValues | null)[];
    readonly ids: DocValues | null;
}

/** Norms of a field, with their average. */
export interface AverageLengths extends Lengths {
    /** Average length over all segments. */
    readonly average: number;
    /** {@link normTable} of the average. */
    readonly norms: Float64Array;
}

/** Contexts of all segments. */
export interface TermContexts {
    readonly contexts: readonly TermContext[];
    /** Number of visible documents in all segments. */
    readonly documents: number;
}

/** Target of a query of a single term, independent of the term. */
export type TermTarget = Pick<TermQuery, 'target'>;

/** Resolves the contexts of all segments. */
export function resolveTermContexts({ target }: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

    const viewed = segments.map((live) => ({ live, view: visibleDocs(live, caller) }));
    const averages = lengthFields({ target }).map((name) => {

        const average = averageLength(viewed.map(({ view }) => view.lengthSum(name)));
        return { name, average, norms: normTable(average) };
    });
    return {
        documents: viewed.reduce((sum, { view }) => sum + view.visibleCount, 0),
        contexts: viewed.map(({ live: { segment }, view }) => ({
            ...resolveWordField(segment, target), payloadFields: segment.payloadFields, visible: view.visible, payloads: view.payloads,
            lengths: averages.flatMap(({ name, average, norms }) => {

                const field = segment.field(name);
                const lengths = field === -1 ? null : segment.lengths(field);
                return lengths ? [{ ...lengths, average, norms }] : [];
            }),
            lastColumns: LAST_KEYS.map(({ field }) => segment.column(field)), ids: segment.column('id')
        }))
    };
}

/** Maximum number of cached contexts, by caller and fields. */
const MAX_ENTRIES = 200;

export class TermContextCache {

    readonly #sharedCache: LruCache;
    readonly #cache = new LRUCache<string, TermContexts>({ max: MAX_ENTRIES });
    #segments: readonly LiveSegment[] = [];
    /** Value of {@link LruCache.removals} for which the cache is valid. */
    #removals = 0;

    /**
     * @param memory cache of the segments: an eviction there invalidates the contexts, which would keep the data in memory
     */
    constructor(memory: LruCache) {

        this.#sharedCache = memory;
    }

    get(leaf: TermTarget, segments: readonly LiveSegment[], caller: CallerScope): TermContexts {

        this.#renew(segments);
        const key = contextKey(leaf, caller);
        const cached = this.#cache.get(key);
        if (cached) {
            return cached;
        }

        const contexts = resolveTermContexts(leaf, segments, caller);
        // Resolving may have evicted data of other contexts.
        this.#renew(segments);
        this.#cache.set(key, contexts);
        return contexts;
    }

    /** Clears the cache; to be called when segments change. */
    forget(): void {

        this.#cache.clear();
        this.#segments = [];
    }

    #renew(segments: readonly LiveSegment[]): void {

        const isSame = this.#removals === this.#sharedCache.removals && segments.length === this.#segments.length &&
            segments.every(({ segment, deleted }, i) => this.#segments[i]?.segment === segment && this.#segments[i].deleted === deleted);
        if (!isSame) {
            this.forget();
            this.#segments = segments;
            this.#removals = this.#sharedCache.removals;
        }
    }
}

/** Returns the cache key of a target and caller. */
export function contextKey({ target }: TermTarget, { key, includeVersions }: Pick<CallerScope, 'key' | 'includeVersions'>): string {

    return `${includeVersions} ${JSON.stringify(target)} ${key}`;
}
