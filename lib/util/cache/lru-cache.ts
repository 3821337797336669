/**
 * LRU cache with a byte budget, shared by several regions: pages of stored segments, and values computed from them. The least recently
 * used entry is evicted first, whatever its region; entries can be loaded or computed again.
 */

import { LRUCache } from 'lru-cache';
import type { CacheUsage } from './cache-usage.js';

/** A value that can be recomputed, and its size in bytes. */
export interface CacheEntry<T> {
    readonly value: T;
    readonly bytes: number;
}

/** Key of an entry. */
interface Item {
    readonly region: Map<string, Item>;
    readonly name: string;
}

/** Overhead of an entry in bytes. */
const ITEM_BYTES = 200;

/** The cache. */
export class LruCache {

    readonly #entries: LRUCache<Item, CacheEntry<unknown>>;
    readonly #removals: Int32Array;
    #hits = 0;
    #misses = 0;

    /**
     * @param budget bytes; the most recent entry is kept even if it is larger
     * @param removals shared counter of removals in its first element, which other threads may read
     */
    constructor(budget = Infinity, removals: Int32Array = new Int32Array(1)) {

        const maxSize = Math.min(Math.floor(budget), Number.MAX_SAFE_INTEGER);
        this.#removals = removals;
        this.#entries = new LRUCache({
            maxSize,
            sizeCalculation: ({ bytes }, { name }) => Math.min(Math.ceil(bytes) + ITEM_BYTES + name.length * 2, maxSize),
            dispose: (_, { region, name }) => {

                Atomics.add(removals, 0, 1);
                region.delete(name);
            }
        });
    }

    get usage(): Required<CacheUsage> {

        return { hits: this.#hits, misses: this.#misses, entries: this.#entries.size, bytes: this.bytes };
    }

    get bytes(): number {

        return this.#entries.calculatedSize;
    }

    /** Number of removed entries, evicted or cleared; wraps around. */
    get removals(): number {

        return Atomics.load(this.#removals, 0);
    }

    /** Creates a region, whose entries can be cleared together. */
    region(): CacheRegion {

        return new CacheRegion(this);
    }

    /** Use {@link CacheRegion.get}. */
    get(region: Map<string, Item>, name: string, make: () => CacheEntry<unknown>): unknown {

        const cached = region.get(name);
        if (cached) {
            this.#hits += 1;
            return this.#entries.get(cached)?.value;
        }

        this.#misses += 1;
        const entry = make();
        // Making it may have led to the same entry by another way.
        this.remove(region, name);
        const item = { region, name };
        region.set(name, item);
        this.#entries.set(item, entry);
        return entry.value;
    }

    /** Use {@link CacheRegion.clear}. */
    remove(region: Map<string, Item>, name: string): void {

        const item = region.get(name);
        if (item) {
            this.#entries.delete(item);
        }
    }
}

/** Entries of one owner. */
export class CacheRegion {

    readonly #memory: LruCache;
    readonly #items = new Map<string, Item>();
    #isOver = false;

    constructor(memory: LruCache) {

        this.#memory = memory;
    }

    /** Returns the entry of a name; creates it if missing. A name must always be used with the same type. */
    get<T>(name: string, make: () => CacheEntry<T>): T {

        if (this.#isOver) {
            return make().value;
        }

        const value = this.#memory.get(this.#items, name, make) as T;
        if (this.#isOver as boolean) {
            // The region was cleared while the value was made.
            this.clear();
        }

        return value;
    }

    /** Removes all entries and disables the region, when its owner is used only by searches in progress. */
    clear(): void {

        this.#isOver = true;
        for (const name of [...this.#items.keys()]) {
            this.#memory.remove(this.#items, name);
        }
    }
}
