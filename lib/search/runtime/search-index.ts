/**
 * The search index as the service sees it. Another engine can be put in its place behind this interface.
 */

import type { CommitResult, Step } from '../../../db/database.js';
import type { WriteParticipant } from '../../model/write-participant.js';
import type { FacetResult, SearchHit, SearchRequest } from '../query/search-request.js';

/** Finds objects. */
export interface SearchIndex {
    /** Writes along with every object, so that what is stored is found by every later search of this node. */
    readonly participant: WriteParticipant;

    /** Opens the index; builds it when there is none. Resolves when searches can be asked, though they may have to wait. */
    start(): Promise<void>;

    /**
     * Searches.
     *
     * @throws DoipError 400 for what cannot be understood, 503 when it takes too long or the index is being built
     */
    search(request: SearchRequest): Promise<SearchAnswer>;

    /**
     * Indexes objects anew as they are stored now, such as when more is known about them, on all nodes; those that are gone are
     * removed. When it resolves, later searches of this node see it.
     *
     * @param along steps that are committed together with the notice of it; when they fail nothing is done
     */
    reindex(ids: readonly string[], along?: readonly Step[]): Promise<CommitResult>;

    /**
     * Resolves when later searches of this node see everything that was stored before the call, by whatever node.
     *
     * @throws DoipError 503 while the index is being built
     */
    catchUp(): Promise<void>;

    /** Lets go of everything. */
    stop(): Promise<void>;
}

/** What was found. */
export interface SearchAnswer {
    /** Number of matching objects that the caller may read, of all pages. */
    readonly size: number;
    /** One for each field asked for. */
    readonly facets: readonly FacetResult[];
    /**
     * The hits of the page in blocks of some hundred. To be read once, to the end, or ended with `return()`. Objects may have gone
     * or changed since: whoever shows one asks the policy again.
     */
    readonly hits: AsyncGenerator<readonly SearchHit[], void, undefined>;
}
