/**
 * Searches for operations: on behalf of a caller, returning ids or objects.
 */

import type { DigitalObject } from '../doip/digital-object.js';
import { sourceOf } from '../util/net/ip-address.js';
import type { Policy } from '../identity/access/access-policy.js';
import type { Subject } from '../model/access-subject.js';
import { type Caller, isUnrestrictedAdmin } from '../model/caller.js';
import type { ObjectResolution } from '../objects/read/object-resolution.js';
import type { Catalog } from '../types/catalog.js';
import type { DoipError } from '../errors/errors.js';
import { tooManyRequests, unavailable } from '../errors/errors.js';
import { FULL_ACCESS, accessOf } from './matching/acl-filter.js';
import { filterQuery } from './collectors/facet-collector.js';
import { BLOCK } from './runtime/hit-pages.js';
import { EventLoopYielder } from '../util/concurrency/event-loop-yielder.js';
import type { ResultReading, TextReader } from './hit-loader.js';
import { pauses, ResultReader } from './hit-loader.js';
import type { SearchIndex } from './runtime/search-index.js';
import type { FacetResult, SearchHit, SearchRequest } from './query/search-request.js';
import { closeWhenIdle } from '../util/streams/idle-timeout.js';
import { onClose } from '../util/streams/on-close.js';
import { Semaphore } from '../util/concurrency/semaphore.js';
import type { SearchAccess } from './query/search-access.js';

/** A search request without access, which is added here. */
export type SearchQuery = Omit<SearchRequest, 'access' | 'caller'>;

/** Context of a search. */
export interface SearchContext extends ResultReading {
    /** Identifies anonymous callers. */
    readonly remoteAddress: string;
    /** Returns the caller as of now, for a search that has waited for its turn; default: `caller`. */
    readonly currentCaller?: () => Promise<Caller>;
    /** Customises the query for the caller, when the search has its turn; default: it stays as it is. */
    readonly customize?: (query: SearchQuery, caller: Caller) => Promise<SearchQuery>;
}

/**
 * Results, as ids or objects; blocks are small, and can be iterated once. They hold resources of the search until they have ended or
 * are closed; those of an unlimited search that is not read for some minutes are released, and a later read rejects with 503.
 */
export interface Found<T> {
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly blocks: AsyncGenerator<readonly T[], void, undefined>;
}

/** Maximum number of ids in a block. */
const IDS_PER_BATCH = 250;

/** Maximum number of concurrent searches of a caller with more results than one page: each occupies a cursor in the search thread. */
const MAX_CONCURRENT_UNLIMITED = 4;

/** Time that a further one waits, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Milliseconds after which results that are not read are released; more than an HTTP client may stall. */
const IDLE_MS = 300_000;

/** Milliseconds for which ids need no second check. */
const CURRENT_MS = 1000;

/** Maximum number of types with code to search for before reading all objects: the query would be too long. */
const MAX_CODED_TYPES = 100;

const TOO_MANY =
    `${MAX_CONCURRENT_UNLIMITED} of your searches without a limit, or for more than ${BLOCK} results, are still being answered: read their results to the end, `
    + 'or ask for shorter pages by pageSize';

/** Dependencies of the service. */
export interface SearchServiceParts {
    readonly index: SearchIndex;
    readonly objects: TextReader;
    readonly subjects: { decideOn(ids: readonly string[], rule: (subject: Subject) => boolean): Promise<Map<string, boolean>> };
    readonly policy: Policy;
    readonly catalog: Catalog;
    readonly resolution: ObjectResolution;
    /** False in a worker process for a type whose objects only the primary process can show, at the moment. */
    readonly mayShow?: ((type: string) => boolean) | undefined;
    /** Milliseconds that an unlimited search waits for others of its caller; default 10 s. */
    readonly timeoutMs?: number | undefined;
    /** Milliseconds after which the results of an unlimited search are released if they are not read; default 5 minutes. */
    readonly idleMs?: number;
    /** Milliseconds from the begin of a search for which its ids need no second check of rights, unless the index may lack changes; default 1 s. */
    readonly currentMs?: number;
}

export class SearchService {

    readonly #parts: SearchServiceParts;
    readonly #unlimited: Semaphore;
    readonly #timeoutMs: number;
    readonly #yielder = new EventLoopYielder();
    readonly #results: ResultReader;

    constructor(parts: SearchServiceParts) {

        this.#parts = parts;
        this.#timeoutMs = parts.timeoutMs ?? TIMEOUT_MS;
        this.#unlimited = new Semaphore({
            permitsPerKey: MAX_CONCURRENT_UNLIMITED,
            rejection: () => tooManyRequests(TOO_MANY, Math.ceil(this.#timeoutMs / 1000))
        });
        this.#results = new ResultReader({ ...parts, yielder: this.#yielder });
    }

    /**
     * Returns the ids of the objects that {@link objects} returns. Whole objects are read only if some of them have a type whose code may
     * withhold them; else what their rights depend on, where the index may lack changes or the results are read later. Throws as
     * {@link SearchIndex.search}, and 429 when too many searches of the caller are open.
     */
    async ids(query: SearchQuery, context: SearchContext): Promise<Found<string>> {

        return await this.#inTurn(query, context, (...turn) => this.#ids(...turn));
    }

    async #ids(query: SearchQuery, context: SearchContext): Promise<Found<string>> {

        const types = this.#parts.catalog.current.codedNames().filter((type) => this.#parts.resolution.concerns(type));
        if (types.length === 0 || query.limit === 0) {
            return await this.#findableIds(query, context);
        }

        const { catalog } = this.#parts;
        const state = catalog.current;
        const areNotFound = types.length <= MAX_CODED_TYPES && !await this.#findsAny(query, types, context);
        return areNotFound && catalog.current === state ?
            await this.#findableIds(without(query, types), context) : await this.#search(query, context, (hits) => this.#visibleIds(hits, context));
    }

    /** Returns whether there are objects of some types among the results. */
    async #findsAny(query: SearchQuery, types: readonly string[], context: SearchContext): Promise<boolean> {

        const { size } = await this.#parts.index.search({
            ...query, conditions: [types.map((type) => filterQuery('type', type)).join(' ')],
            facets: [], sort: [], start: 0, limit: 0, includeScore: false, access: this.#accessOf(context), caller: keyOf(context)
        });
        return size > 0;
    }

    /** Returns ids without calling the code of types, and without a second check of rights; not for clients. Throws as {@link ids}. */
    async indexedIds(query: SearchQuery, context: SearchContext): Promise<Found<string>> {

        return await this.#inTurn(query, context, (...turn) => this.#indexedIds(...turn));
    }

    async #indexedIds(query: SearchQuery, context: SearchContext): Promise<Found<string>> {

        return await this.#search(query, context, (hits) => idsOf(hits, pauses(this.#yielder, context.signal)));
    }

    /** Returns objects as the caller may see them, with scores if requested. Throws as {@link ids}. */
    async objects(query: SearchQuery, context: SearchContext): Promise<Found<DigitalObject>> {

        return await this.#inTurn(query, context, (request, current) => this.#search(request, current, (hits) => this.#results.load(hits, current)));
    }

    /** Returns the number of objects of a type, whoever may read them; not for clients without rights to all of them. */
    async countOfType(type: string, context: SearchContext): Promise<number> {

        const { size, hits } = await this.#parts.index.search({
            query: filterQuery('type', type), filterQueries: [], facets: [], sort: [], start: 0, limit: 0, includeScore: false, includeVersions: true,
            access: FULL_ACCESS, caller: keyOf(context)
        });
        await hits.return();
        return size;
    }

    async #findableIds(query: SearchQuery, context: SearchContext): Promise<Found<string>> {

        if (isUnrestrictedAdmin(context.caller)) {
            return await this.#indexedIds(query, context);
        }

        const { index, currentMs = CURRENT_MS } = this.#parts;
        const begun = performance.now();
        const isCurrent = (): boolean => !index.isEventual && performance.now() - begun < currentMs;
        return await this.#search(query, context, (hits) => this.#stillFindable(idsOf(hits, pauses(this.#yielder, context.signal)), context, isCurrent));
    }

    /** Leaves out objects that were deleted, or may not be found any more, unless the results are current. */
    async *#stillFindable(
        blocks: AsyncIterable<readonly string[]>, { caller }: SearchContext, isCurrent: () => boolean
    ): AsyncGenerator<readonly string[], void, undefined> {

        const { subjects, policy } = this.#parts;
        for await (const ids of blocks) {
            const mayFind = isCurrent() ? null : await subjects.decideOn(ids, (subject) => policy.canFind(caller, subject).allowed);
            yield mayFind === null ? ids : ids.filter((id) => mayFind.get(id));
        }
    }

    async *#visibleIds(hits: Hits, context: SearchContext): AsyncGenerator<readonly string[], void, undefined> {

        for await (const objects of this.#results.load(hits, context)) {
            yield objects.map(({ id }) => id);
        }
    }

    #accessOf({ caller }: SearchContext): SearchAccess {

        return accessOf(this.#parts.policy.readPrincipals(caller), this.#parts.catalog.current.accessRules);
    }

    /**
     * Begins a search in its turn: an unlimited one waits while its caller has too many. The query is customised, and rights are those of the caller,
     * when the wait is over. The results hold the turn.
     */
    async #inTurn<T>(
        query: SearchQuery, context: SearchContext, begin: (query: SearchQuery, context: SearchContext) => Promise<Found<T>>
    ): Promise<Found<T>> {

        if (query.limit !== null && query.limit <= BLOCK) {
            return await begin(await customized(query, context), context);
        }

        const key = keyOf(context);
        const mustWait = this.#unlimited.heldBy(key) >= MAX_CONCURRENT_UNLIMITED;
        const release = await this.#unlimited.acquire(key, { timeoutMs: this.#timeoutMs, signal: context.signal });
        try {
            const current = mustWait && context.currentCaller ? { ...context, caller: await context.currentCaller() } : context;
            const found = await begin(await customized(query, current), current);
            return { ...found, blocks: closeWhenIdle(onClose(found.blocks, release), { ms: this.#parts.idleMs ?? IDLE_MS, error: notRead }) };
        }
        catch (error) {
            release();
            throw error;
        }
    }

    async #search<T>(query: SearchQuery, context: SearchContext, load: (hits: Hits) => AsyncGenerator<readonly T[], void, undefined>): Promise<Found<T>> {

        const { size, facets, hits } = await this.#parts.index.search({ ...query, access: this.#accessOf(context), caller: keyOf(context) });
        return { size, facets, blocks: onClose(load(hits), () => void hits.return()) };
    }
}

async function customized(query: SearchQuery, { caller, customize }: SearchContext): Promise<SearchQuery> {

    return customize ? await customize(query, caller) : query;
}

function notRead(): DoipError {

    return unavailable('the results of the search were not read for too long', 1);
}

/** Returns the key of a caller; for anonymous callers it is derived from the address. */
function keyOf({ caller, remoteAddress }: SearchContext): string {

    return caller.userId ?? ` ${sourceOf(remoteAddress)}`;
}

/** Excludes objects of some types that may have been stored meanwhile. */
function without(query: SearchQuery, types: readonly string[]): SearchQuery {

    return { ...query, conditions: [`*:* ${types.map((type) => `-${filterQuery('type', type)}`).join(' ')}`] };
}

type Hits = AsyncGenerator<readonly SearchHit[]>;

async function *idsOf(blocks: Hits, pause: () => Promise<void>): AsyncGenerator<readonly string[], void, undefined> {

    for await (const hits of blocks) {
        for (let start = 0; start < hits.length; start += IDS_PER_BATCH) {
            await pause();
            yield hits.slice(start, start + IDS_PER_BATCH).map(({ id }) => id);
        }
    }
}
