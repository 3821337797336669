/**
 * LRU cache with a byte budget, shared by several regions: pages of stored segments, and values computed from them. The least recently
 * used entry is evicted first, whatever its region; entries can be loaded or computed again.
 */

/** A value that can be recomputed, and its size in bytes. */
export interface CacheEntry<T> {
    readonly value: T;
    readonly bytes: number;
}

interface Item {
    readonly shelf: Map<string, Item>;
    readonly name: string;
    readonly value: unknown;
    readonly bytes: number;
    newer: Item | null;
    older: Item | null;
}

/** Overhead of an entry in bytes. */
const ITEM_BYTES = 200;

/** The cache. */
export class LruCache {

    readonly #budget: number;
    #bytes = 0;
    readonly #removals: Int32Array;
    #newest: Item | null = null;
    #oldest: Item | null = null;

    /**
     * @param budget bytes; the most recent entry is kept even if it is larger
     * @param removals shared counter of removals in its first element, which other threads may read
     */
    constructor(budget = Infinity, removals: Int32Array = new Int32Array(1)) {

        this.#budget = budget;
        this.#removals = removals;
    }

    get bytes(): number {

        return this.#bytes;
    }

    /** Number of removed entries, evicted or cleared; wraps around. */
    get removals(): number {

        return Atomics.load(this.#removals, 0);
    }

    /** Creates a region, whose entries can be cleared together. */
    shelf(): CacheRegion {

        return new CacheRegion(this);
    }

    /** Use {@link CacheRegion.get}. */
    get(shelf: Map<string, Item>, name: string, make: () => CacheEntry<unknown>): unknown {

        const known = shelf.get(name);
        if (known) {
            if (known !== this.#newest) {
                this.#unlink(known);
                this.#link(known);
            }

            return known.value;
        }

        const { value, bytes } = make();
        const item: Item = { shelf, name, value, bytes: bytes + ITEM_BYTES + name.length * 2, newer: null, older: null };
        // `make` may have added the same entry
        this.remove(shelf, name);
        shelf.set(name, item);
        this.#link(item);
        this.#bytes += item.bytes;
        while (this.#bytes > this.#budget && this.#oldest && this.#oldest !== item) {
            this.remove(this.#oldest.shelf, this.#oldest.name);
        }

        return value;
    }

    /** Use {@link CacheRegion.clear}. */
    remove(shelf: Map<string, Item>, name: string): void {

        const item = shelf.get(name);
        if (item) {
            Atomics.add(this.#removals, 0, 1);
            shelf.delete(name);
            this.#unlink(item);
            this.#bytes -= item.bytes;
        }
    }

    #link(item: Item): void {

        item.older = this.#newest;
        item.newer = null;
        if (this.#newest) {
            this.#newest.newer = item;
        }

        this.#newest = item;
        this.#oldest ??= item;
    }

    #unlink(item: Item): void {

        if (item.newer) {
            item.newer.older = item.older;
        }
        else {
            this.#newest = item.older;
        }

        if (item.older) {
            item.older.newer = item.newer;
        }
        else {
            this.#oldest = item.newer;
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
            // The region was cleared while the value was made
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
