/**
 * LRU cache with a byte budget, shared by several regions: pieces of stored segments, and what was computed from them. The least
 * recently used entry is evicted first, whatever its region; entries can be loaded or computed again.
 */

/** Something that can be had again, and how many bytes it takes. */
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

/** What an item takes besides its value. */
const ITEM_BYTES = 200;

/** The whole. */
export class LruCache {

    readonly #budget: number;
    #bytes = 0;
    readonly #removals: Int32Array;
    #newest: Item | null = null;
    #oldest: Item | null = null;

    /**
     * @param budget bytes; the last thing that was asked for is kept even if it takes more
     * @param removals counts in its first number how many things had to go; other threads may look at it
     */
    constructor(budget = Infinity, removals: Int32Array = new Int32Array(1)) {

        this.#budget = budget;
        this.#removals = removals;
    }

    get bytes(): number {

        return this.#bytes;
    }

    /** How many things had to go, because of others or for good; wraps around. */
    get removals(): number {

        return Atomics.load(this.#removals, 0);
    }

    /** A place for things that are forgotten together. */
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
        // Making it may have led to the same thing by another way.
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

/** Things of one owner. */
export class CacheRegion {

    readonly #memory: LruCache;
    readonly #items = new Map<string, Item>();
    #isOver = false;

    constructor(memory: LruCache) {

        this.#memory = memory;
    }

    /** What is kept under a name; made when it is not there. A name always stands for the same kind of thing. */
    get<T>(name: string, make: () => CacheEntry<T>): T {

        if (this.#isOver) {
            return make().value;
        }

        const value = this.#memory.get(this.#items, name, make) as T;
        if (this.#isOver as boolean) {
            // Others had a turn while it was made.
            this.clear();
        }

        return value;
    }

    /** Forgets everything, and keeps nothing from now on: for an owner that is used no more, but by searches that are under way. */
    clear(): void {

        this.#isOver = true;
        for (const name of [...this.#items.keys()]) {
            this.#memory.remove(this.#items, name);
        }
    }
}
