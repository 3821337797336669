/**
 * Messages between the threads of the search index.
 */

import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { DoipError } from '../../errors/errors.js';
import { tooManyRequests } from '../../errors/errors.js';
import type { CacheUsage } from '../../util/cache/cache-usage.js';
import type { Bits } from '../docset/bit-set.js';
import type { TermSnapshot, PageId } from './shared-snapshot.js';
import type { Load } from '../indexing/merge/merge-policy.js';
import type { Sections, SegmentSize } from '../segment/format.js';
import type { ChannelEndpoint } from '../../util/workers/sync-channel.js';
import type { SearchCall } from '../relay/remote-protocol.js';
import type { FacetResult, SearchHit } from '../query/search-request.js';
import type { MergedSegment, NamedSegment, StoredName } from '../indexing/segment-entry.js';
import type { CallerScope } from '../matching/visible-docs.js';
import type { TermTarget } from '../searcher/term-contexts.js';

/** Script of the search thread; a program may start it before it loads the search. */
export const SEARCH_THREAD = join(__dirname, 'search-worker.js');

/** Start parameters of the search thread. */
export interface SearcherOptions {
    /** Channel for reading stored segments. */
    readonly sections: ChannelEndpoint;
    /** Budget of the cache, in bytes. */
    readonly memory: number;
    /** Counts evictions of the cache; see {@link LruCache.removals}. */
    readonly removals?: Int32Array;
    /** Memory of {@link IndexProgress}. */
    readonly progress?: SharedArrayBuffer;
}

/** Milliseconds after the timeout of a search until a thread that does not answer counts as stuck. */
export const GRACE_MS = 5000;

/** Maximum number of pending searches of a caller, and Retry-After in seconds for further ones. */
export const MAX_PENDING_SEARCHES = 1000;
const RETRY_AFTER = 1;

/** 429 for a search of a caller with as many pending ones. */
export function tooManySearches(): DoipError {

    return tooManyRequests(`${MAX_PENDING_SEARCHES} of your searches are still being answered, wait for some of them`, RETRY_AFTER);
}

/** Target and caller of single-term searches. The key is the JSON text of the access, since copying that of many types is slow. */
export interface SingleTermRequest {
    readonly word: TermTarget;
    readonly caller: Omit<CallerScope, 'access'>;
}

/**
 * Calls to the search thread. They are processed in order, except for searches, which are scheduled fairly by caller, further hits,
 * which come first, and preemption of long searches. A search sees all changes that were sent before it.
 */
export type SearcherCall =
    /** JSON text of a list of changes, which are those up to a number of {@link IndexProgress}. */
    | { readonly kind: 'apply'; readonly changes: string; readonly upTo: number }
    /** Searches of worker processes come through `calls`; {@link Need}s are posted to `needs`. Milliseconds as in {@link RemoteSearchOptions}. */
    | { readonly kind: 'admit'; readonly calls: MessagePort; readonly needs: MessagePort; readonly freshnessMs: number | null }
    /** A read of the log that was asked for has ended. */
    | { readonly kind: 'read'; readonly read: number; readonly isRead: boolean }
    | SearchCall
    /** Returns up to `count` further hits of a search, on its snapshot. */
    | { readonly kind: 'more'; readonly cursor: number; readonly count: number }
    /** Discards the further hits of a search. */
    | { readonly kind: 'forget'; readonly cursor: number }
    /** Exports the term lookups for a target and caller. */
    | { readonly kind: 'lend' } & SingleTermRequest
    /** Returns a page of the postings of an export; valid while segments and cache are the same. */
    | { readonly kind: 'page'; readonly page: PageId } & SingleTermRequest
    /** Adds a segment that a previous process stored; `deleted` are its tombstones. */
    | { readonly kind: 'add'; readonly segment: StoredName; readonly deleted: Bits }
    /** Returns unstored segments to be merged; these are frozen as by `seal`. */
    | { readonly kind: 'gather'; readonly load: Load }
    /** Returns what is to be stored. Its segments are frozen, except for tombstones, until they are replaced or `unseal` is called. */
    | { readonly kind: 'seal' }
    /** Storing or merging failed: unfreezes segments. */
    | { readonly kind: 'unseal' }
    /** Returns the current tombstones of some segments. */
    | { readonly kind: 'copies'; readonly names: readonly number[] }
    /** Replaces segments by the one merged from them; null when no document was left. `map` has the new number of each document of a source. */
    | {
        readonly kind: 'replace';
        readonly sources: readonly { readonly name: number; readonly map: Uint32Array }[];
        readonly added: MergedSegment | null;
    }
    | { readonly kind: 'usage' };

/** Result of a search. */
export interface Found {
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly hits: readonly SearchHit[];
    /** For fetching further hits; null when there are none. */
    readonly cursor: number | null;
}

/** Further hits. */
export interface MoreFound {
    readonly hits: readonly SearchHit[];
    readonly isDone: boolean;
}

/** Results by kind of call. */
export interface SearcherAnswers {
    readonly apply: FlushStats;
    readonly admit: null;
    readonly read: null;
    /** JSON text of a {@link Found}. */
    readonly search: string;
    /** JSON text of a {@link MoreFound}. */
    readonly more: string;
    readonly forget: null;
    readonly lend: TermSnapshot | null;
    readonly page: Uint8Array | null;
    readonly add: null;
    readonly gather: {
        readonly sources: readonly NamedSegment[];
        /** There will be more to merge even without changes. */
        readonly isMore: boolean;
        readonly sizes: readonly SegmentSize[];
    };
    readonly seal: {
        readonly unstored: readonly NamedSegment[];
        /** Stored segments with new tombstones since the last time. */
        readonly changed: readonly { readonly name: number; readonly deleted: Bits }[];
        readonly sizes: readonly SegmentSize[];
    };
    readonly unseal: null;
    readonly copies: readonly { readonly name: number; readonly deleted: Bits }[];
    readonly replace: readonly SegmentSize[];
    readonly usage: SearcherUsage;
}

/** Size of the index, and memory use of the search thread in bytes. */
export interface SearcherUsage {
    /** Segments that are not stored. */
    readonly unstored: number;
    /** Cached parts of stored segments, and what was computed from them; within the budget. */
    readonly cached: number;
    /** Scratch buffers. */
    readonly scratch: number;
    /** JavaScript heap. */
    readonly heap: number;
    /** Number of segments that a search visits, stored or not. */
    readonly segments: number;
    /** Number of documents in them, without deleted ones. */
    readonly documents: number;
    /** The cache of which `cached` is the size. */
    readonly cache: Required<CacheUsage>;
}

/** What is not stored yet. */
export interface FlushStats {
    readonly documents: number;
    readonly bytes: number;
}

/** Call to the merge thread. */
export interface MergerCall {
    readonly kind: 'merge';
    readonly sources: readonly NamedSegment[];
}

/** Result: the new segment, and for each source the new numbers of its documents; see `Merged`. */
export interface MergerAnswers {
    readonly merge: { readonly sections: Sections; readonly documents: number; readonly maps: readonly Uint32Array[] };
}
