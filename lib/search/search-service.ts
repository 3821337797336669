/**
 * Searching as operations want it: for a caller, with objects instead of ids. Rights are asked again for every object that is
 * shown, because objects and rules may have changed since the index was asked.
 */

import type { JsonObject } from '../doip/json.js';
import type { DigitalObject } from '../doip/object.js';
import type { Caller } from '../identity/caller.js';
import type { Policy } from '../identity/policy.js';
import type { ObjectResolution } from '../objects/object-resolution.js';
import type { StoredObject } from '../objects/stored-object.js';
import { toDigitalObject } from '../objects/stored-object.js';
import type { Catalog } from '../types/catalog.js';
import { accessOf } from './access.js';
import type { ObjectReader } from './index-source.js';
import type { SearchIndex } from './search-index.js';
import type { FacetResult, SearchHit, SearchRequest } from './search-request.js';
import { released } from './released.js';
import { Turnstile } from './turnstile.js';

/** What a caller searches for; rights are added here. */
export type SearchWish = Omit<SearchRequest, 'access'>;

/** Who searches. */
export interface Searching {
    readonly caller: Caller;
    /** Tells anonymous callers apart. */
    readonly remoteAddress: string;
    /** From the request, for hooks. */
    readonly requestContext: JsonObject;
    /** Fires when nobody waits any more. */
    readonly signal: AbortSignal;
}

/** What was found, as ids or as objects; blocks are small, and to be read once. */
export interface Found<T> {
    readonly size: number;
    readonly facets: readonly FacetResult[];
    readonly blocks: AsyncGenerator<readonly T[], void, undefined>;
}

/** Objects that are read at once. */
const BLOCK = 50;

/** Searches without a limit that one caller has at the same time. */
const UNLIMITED_AT_ONCE = 4;

export class SearchService {

    readonly #index: SearchIndex;
    readonly #objects: ObjectReader;
    readonly #policy: Policy;
    readonly #catalog: Catalog;
    readonly #resolution: ObjectResolution;
    readonly #unlimited = new Turnstile(UNLIMITED_AT_ONCE);

    constructor(parts: { index: SearchIndex; objects: ObjectReader; policy: Policy; catalog: Catalog; resolution: ObjectResolution }) {

        this.#index = parts.index;
        this.#objects = parts.objects;
        this.#policy = parts.policy;
        this.#catalog = parts.catalog;
        this.#resolution = parts.resolution;
    }

    /** Finds ids. Throws like {@link SearchIndex.search}. */
    async ids(wish: SearchWish, searching: Searching): Promise<Found<string>> {

        return await this.#search(wish, searching, async (hits) => hits.map(({ id }) => id));
    }

    /** Finds objects, as the caller may see them, with scores where they were asked for. */
    async objects(wish: SearchWish, searching: Searching): Promise<Found<DigitalObject>> {

        return await this.#search(wish, searching, (hits) => this.#show(hits, searching));
    }

    async #search<T>(wish: SearchWish, searching: Searching, show: (hits: readonly SearchHit[]) => Promise<readonly T[]>): Promise<Found<T>> {

        const { caller, remoteAddress, signal } = searching;
        const access = accessOf(this.#policy.readPrincipals(caller), this.#catalog.current.accessRules);
        const leave = wish.limit === null ? await this.#unlimited.enter(caller.userId ?? ` ${remoteAddress}`, signal) : () => {};
        try {
            const { size, facets, hits } = await this.#index.search({ ...wish, access });
            const release = (): void => {

                leave();
                void hits.return();
            };

            return { size, facets, blocks: released(shown(hits, show, signal), release) };
        }
        catch (error) {
            leave();
            throw error;
        }
    }

    /** Objects that are gone, may not be read any more or are kept back by the code of their type are left out. */
    async #show(hits: readonly SearchHit[], { caller, requestContext }: Searching): Promise<DigitalObject[]> {

        const objects = await this.#objects.byIds(hits.map(({ id }) => id));
        const readable = objects.filter((object) => this.#policy.canRead(caller, object).allowed);
        const shown = await this.#resolution.resolveAll(readable, { caller, requestContext });
        const byId = new Map(shown.flatMap((object) => (object ? [[object.id, object] as const] : [])));
        return hits.flatMap(({ id, score }) => {

            const object = byId.get(id);
            return object ? [this.#toDigital(object, caller, score)] : [];
        });
    }

    #toDigital(object: StoredObject, caller: Caller, score: number | null): DigitalObject {

        const found = toDigitalObject(this.#policy.visibleTo(caller, object));
        return score === null ? found : { ...found, attributes: { ...found.attributes, responseContext: { score } } };
    }
}

async function *shown<T>(
    hits: AsyncGenerator<readonly SearchHit[]>, show: (hits: readonly SearchHit[]) => Promise<readonly T[]>, signal: AbortSignal
): AsyncGenerator<readonly T[], void, undefined> {

    for await (const block of hits) {
        for (let start = 0; start < block.length; start += BLOCK) {
            signal.throwIfAborted();
            yield await show(block.slice(start, start + BLOCK));
        }
    }
}
