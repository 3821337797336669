/**
 * Interface of the search index, behind which another engine can be used.
 */

import type { CommitResult, Step } from '../../../db/database.js';
import type { WriteParticipant } from '../../model/write-participant.js';
import type { WorkTally } from '../../util/work-tally.js';
import type { SearcherUsage } from './protocol.js';
import type { FacetResult, SearchHit, SearchRequest } from '../query/search-request.js';

/** Full-text search. */
export interface SearchIndex {
    /** Records every write, so that each later search of this node finds what was stored. */
    readonly participant: WriteParticipant;

    /** True where a search may miss changes that were acknowledged before it, such as those of other nodes. */
    readonly isEventual: boolean;

    /** Opens the index, or builds it when there is none. Resolves when searches are accepted, though they may have to wait. */
    start(): Promise<void>;

    /**
     * Searches.
     *
     * @throws DoipError 400 for an invalid query, 503 on timeout or while the index is being built
     */
    search(request: SearchRequest): Promise<SearchAnswer>;

    /**
     * Reindexes the current state of objects, on all nodes, for example when their texts were extracted; objects that do not exist
     * are removed. When it resolves, later searches of this node see the result.
     *
     * @param along steps that are committed with the entries of the change log; when they fail nothing is done
     */
    reindex(ids: readonly string[], along?: readonly Step[]): Promise<CommitResult>;

    /**
     * Resolves when later searches of this node see everything that was stored before the call, by any node.
     *
     * @throws DoipError 503 while the index is being built
     */
    catchUp(): Promise<void>;

    /**
     * Resolves when the index is not far behind, or after some seconds; at once where it gets no changes, as waiting does not help. For work that
     * changes many objects. Absent where each write waits for the index.
     */
    keepUp?(): Promise<void>;

    /** Current load; reads counters only. */
    readonly load: SearchLoad;

    /** Returns the size of the index. May wait for a search in progress. */
    usage(): Promise<SearcherUsage>;

    /** Stops threads and background work. */
    stop(): Promise<void>;
}

/** Load of the search. */
export interface SearchLoad {
    /** True while searches can be answered without waiting. */
    readonly isUp: boolean;
    /** Number of calls that the search thread has not answered, searches and changes. */
    readonly pending: number;
    /** Searches that were answered, up to their first hits. */
    readonly searches: WorkTally;
    /** Absent where each write waits for the index. */
    readonly lag?: LagLoad;
}

/** How far an index is behind, and how long work with many objects has waited for it, in milliseconds. */
export interface LagLoad {
    /** Maximum age of changes that the index lacks; Infinity when that is not known. */
    readonly ms: number;
    /** Work that waits now. */
    readonly waiting: number;
    readonly waitedMs: number;
}

/** Result of a search. */
export interface SearchAnswer {
    /** Number of matching objects that the caller may read, on all pages. */
    readonly size: number;
    /** One for each requested field. */
    readonly facets: readonly FacetResult[];
    /**
     * Hits of the page in blocks of some hundred. To be iterated once, to the end, or ended with `return()`. Objects may have been
     * changed or deleted since: check access again before showing one.
     */
    readonly hits: AsyncGenerator<readonly SearchHit[], void, undefined>;
}
