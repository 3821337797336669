/**
 * Immutable map, of which a change makes another one that shares what is unchanged: the entries of a large map, and beside them the
 * changes since, up to about the square root of their number.
 */

/** Number of changes that are kept apart from a small map. */
const MIN_CHANGES = 32;

/** A map that never changes. */
export class PersistentMap<K, V> {

    readonly #base: ReadonlyMap<K, V>;
    /** Changes since; undefined for a removed entry. */
    readonly #changes: ReadonlyMap<K, V | undefined>;

    private constructor(base: ReadonlyMap<K, V>, changes: ReadonlyMap<K, V | undefined>) {

        this.#base = base;
        this.#changes = changes;
    }

    /** Returns a map with these entries. */
    static of<K, V>(entries: Iterable<readonly [K, V]>): PersistentMap<K, V> {

        return new PersistentMap<K, V>(new Map(entries), new Map());
    }

    /** Returns the value of a key; undefined without one. */
    get(key: K): V | undefined {

        return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
    }

    /** Returns a map with other values for some keys; undefined removes one. */
    with(changes: Iterable<readonly [K, V | undefined]>): PersistentMap<K, V> {

        const merged = new Map([...this.#changes, ...changes]);
        const changed = new PersistentMap<K, V>(this.#base, merged);
        return merged.size < MIN_CHANGES || merged.size ** 2 < this.#base.size ? changed : PersistentMap.of(changed.entries());
    }

    /** Yields all entries: those of the beginning in their order, then those that were added. */
    *entries(): Generator<[K, V]> {

        for (const [key, value] of this.#base) {
            const current = this.#changes.has(key) ? this.#changes.get(key) : value;
            if (current !== undefined) {
                yield [key, current];
            }
        }

        for (const [key, value] of this.#changes) {
            if (value !== undefined && !this.#base.has(key)) {
                yield [key, value];
            }
        }
    }
}
