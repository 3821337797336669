/**
 * LRU cache of objects within a budget of memory. An entry is used only when the object is known to have the same transaction
 * number still, so that it is never stale; it saves reading, parsing and serialising the content.
 */

import { LRUCache } from 'lru-cache';
import type { CacheUsage } from '../../util/cache/cache-usage.js';
import type { StoredObject } from '../../model/stored-object.js';

/** Estimated size of an object besides its text, in bytes. */
const OVERHEAD = 1024;

/** An object, with what was known when it was last validated. */
export interface CacheEntry<F> {
    readonly object: StoredObject;
    facts: F;
}

interface Entry<F> extends CacheEntry<F> {
    readonly bytes: number;
}

/** LRU cache of objects by id, limited in bytes. */
export class ObjectCache<F> {

    readonly #entries: LRUCache<string, Entry<F>> | null;
    /** Reads answered from the cache, and reads that were not. */
    hits = 0;
    misses = 0;

    /**
     * @param budget bytes; 0 disables the cache. An object of more than an eighth of it is not cached.
     */
    constructor(budget: number) {

        this.#entries = budget > 0 ? new LRUCache({
            maxSize: budget, maxEntrySize: Math.max(1, Math.floor(budget / 8)), sizeCalculation: ({ bytes }) => bytes
        }) : null;
    }

    /** Returns an object as last read; undefined when it is not cached. Does not count as a use. */
    get(id: string): CacheEntry<F> | undefined {

        return this.#entries?.peek(id);
    }

    /** @param textLength length of all texts of the object and of its elements, in UTF-16 units; in memory, each is kept parsed, content as text, too */
    put(object: StoredObject, facts: F, textLength: number): void {

        this.#entries?.set(object.id, { object, facts, bytes: textLength * 2 + OVERHEAD * (1 + object.elements.length) });
    }

    get usage(): CacheUsage {

        const { hits, misses } = this;
        return { hits, misses, entries: this.#entries?.size ?? 0, bytes: this.#entries?.calculatedSize ?? 0 };
    }

    /** Counts as a use. */
    touch(id: string): void {

        this.#entries?.get(id);
    }

    delete(id: string): void {

        this.#entries?.delete(id);
    }
}
