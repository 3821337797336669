/**
 * Cache with epoch validation: entries are valid until identity data changes. Each request reads the current epoch together with its
 * target, so that an entry read at that epoch or later is current on all nodes.
 */

import type { LRUCache } from 'lru-cache';
import { growingCache } from './growing-cache.js';
import type { CacheUsage } from './cache-usage.js';
import { SingleFlight } from '../concurrency/single-flight.js';

/** Values by key, reloaded when the epoch has changed. */
export class EpochCache<V> {

    readonly #entries: LRUCache<string, { readonly epoch: number; readonly value: V }>;
    readonly #loading = new SingleFlight<V | null>();
    #hits = 0;
    #misses = 0;

    /** @param limit maximum number of entries; the least recently used is evicted */
    constructor(limit: number) {

        this.#entries = growingCache(limit);
    }

    /** Returns the value of a key if it is cached and current. */
    get(key: string, epoch: number): V | undefined {

        const entry = this.#entries.get(key);
        if (entry !== undefined && entry.epoch >= epoch) {
            this.#hits += 1;
            return entry.value;
        }

        this.#misses += 1;
        return undefined;
    }

    get usage(): CacheUsage {

        return { hits: this.#hits, misses: this.#misses, entries: this.#entries.size };
    }

    /**
     * Loads the value of a key; concurrent calls share one read. Missing values are not cached.
     *
     * @param epoch read before this call, so that the loaded value is at least as new
     */
    load(key: string, epoch: number, read: () => Promise<V | null>): Promise<V | null> {

        return this.#loading.run(() => this.#read(key, epoch, read), key, epoch);
    }

    /** Removes a key. */
    delete(key: string): void {

        this.#entries.delete(key);
    }

    async #read(key: string, epoch: number, read: () => Promise<V | null>): Promise<V | null> {

        const value = await read();
        const cached = this.#entries.get(key);
        if (cached && cached.epoch > epoch) {
            return value;
        }

        this.#entries.delete(key);
        if (value !== null) {
            this.#entries.set(key, { epoch, value });
        }

        return value;
    }
}
