/**
 * What the threads of the search index tell each other.
 */

import type { Bits } from '../docset/bit-set.js';
import type { TermSnapshot, PageId } from './shared-snapshot.js';
import type { Load } from '../indexing/merge/merge-policy.js';
import type { Sections, SegmentSize } from '../segment/format.js';
import type { SectionPort } from './section-channel.js';
import type { FacetResult, SearchHit } from '../query/search-request.js';
import type { MergedSegment, NamedSegment, StoredName } from '../indexing/segment-entry.js';
import type { CallerScope } from '../matching/visible-docs.js';
import type { TermTarget } from '../searcher/term-contexts.js';

/** What the thread that searches is started with. */
export interface SearcherOptions {
    /** By which it gets bytes of stored segments. */
    readonly sections: SectionPort;
    /** Bytes of what it keeps because it may be wanted again. */
    readonly memory: number;
    /** Where it counts what it had to let go of; see {@link Memory}. */
    readonly removals?: Int32Array;
}

/** What a word is looked for in, and for whom. The key is the JSON text of the access: that of many types takes long to be copied. */
export interface SingleTermRequest {
    readonly word: TermTarget;
    readonly caller: Omit<CallerScope, 'access'>;
}

/**
 * To the thread that searches. Messages are worked off in their order, but for searches, whose callers take turns, for further hits, which
 * come first, and for what overtakes a search that takes long: a search sees all changes that were sent before it.
 */
export type SearcherCall =
    /** The JSON text of a list of changes. */
    | { readonly kind: 'apply'; readonly changes: string }
    /**
     * The JSON text of a {@link SearchRequest}; up to `first` hits come with the answer. It may take so many `milliseconds`, waiting
     * for other searches included; `askedAt` is epoch ms. Callers take turns.
     */
    | {
        readonly kind: 'search'; readonly request: string; readonly first: number; readonly milliseconds: number; readonly askedAt: number;
        readonly caller: string;
    }
    /** Up to `count` further hits of a search, as it was answered at first. */
    | { readonly kind: 'more'; readonly cursor: number; readonly count: number }
    /** Nobody wants the further hits of a search. */
    | { readonly kind: 'forget'; readonly cursor: number }
    /** What is looked up for searches of a caller for a word in some fields, whichever word it is. */
    | { readonly kind: 'lend' } & SingleTermRequest
    /** A page of the postings of what was lent; as long as segments and memory are the same. */
    | { readonly kind: 'page'; readonly page: PageId } & SingleTermRequest
    /** A segment that was stored by a process before; `dead` are its documents that are gone. */
    | { readonly kind: 'add'; readonly segment: StoredName; readonly dead: Bits }
    /** Segments that are not stored and should become one. They stay as they are likewise. */
    | { readonly kind: 'gather'; readonly load: Load }
    /** What is to be stored. Its segments stay as they are, but for documents that go, until they are replaced or `unseal` comes. */
    | { readonly kind: 'seal' }
    /** What was sealed could not be stored, or what was gathered not be merged. */
    | { readonly kind: 'unseal' }
    /** Which documents of some segments are gone by now. */
    | { readonly kind: 'copies'; readonly names: readonly number[] }
    /**
     * A segment takes the place of those that it was made of; null when no document was left. `map` has the new number of each
     * document of a source.
     */
    | {
        readonly kind: 'replace';
        readonly sources: readonly { readonly name: number; readonly map: Uint32Array }[];
        readonly added: MergedSegment | null;
    }
    | { readonly kind: 'usage' };

/** The answer to a search. */
export interface Found {
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly hits: readonly SearchHit[];
    /** Where further hits can be had; null when there are none. */
    readonly cursor: number | null;
}

/** Further hits. */
export interface MoreFound {
    readonly hits: readonly SearchHit[];
    readonly isDone: boolean;
}

/** What comes back for each kind of call. */
export interface SearcherAnswers {
    readonly apply: FlushStats;
    /** The JSON text of a {@link Found}. */
    readonly search: string;
    /** The JSON text of a {@link MoreFound}. */
    readonly more: string;
    readonly forget: null;
    readonly lend: TermSnapshot | null;
    readonly page: Uint8Array | null;
    readonly add: null;
    readonly gather: {
        readonly sources: readonly NamedSegment[];
        /** There will be more to merge although nothing changes. */
        readonly isMore: boolean;
        readonly sizes: readonly SegmentSize[];
    };
    readonly seal: {
        readonly unstored: readonly NamedSegment[];
        /** Stored segments of which documents went since the last time. */
        readonly changed: readonly { readonly name: number; readonly dead: Bits }[];
        readonly sizes: readonly SegmentSize[];
    };
    readonly unseal: null;
    readonly copies: readonly { readonly name: number; readonly dead: Bits }[];
    readonly replace: readonly SegmentSize[];
    readonly usage: SearcherUsage;
}

/** What the thread that searches works with; bytes but for the last. */
export interface SearcherUsage {
    /** Changes that are not stored yet. */
    readonly unstored: number;
    /** Pieces of stored segments and what was computed of them, within the budget. */
    readonly kept: number;
    /** Lists that searches work with. */
    readonly room: number;
    /** Heap of the thread. */
    readonly heap: number;
    /** Number of segments that a search looks into, stored or not. */
    readonly segments: number;
}

/** What is not stored yet. */
export interface FlushStats {
    readonly documents: number;
    readonly bytes: number;
}

/** To the thread that merges. */
export interface MergerCall {
    readonly kind: 'merge';
    readonly sources: readonly NamedSegment[];
}

/** What comes back: the new segment, and for each source the new numbers of its documents, as `Merged` has them. */
export interface MergerAnswers {
    readonly merge: { readonly sections: Sections; readonly documents: number; readonly maps: readonly Uint32Array[] };
}
