/**
 * A cache whose entries count as long as nothing about identity has changed since they were read. The epoch comes with every
 * request, read together with its target: an entry that was read at that epoch or later is current, on any number of nodes.
 */

import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';

interface Entry<V> {
    readonly epoch: number;
    readonly value: V;
}

/** Values by key, read again when the epoch has moved on. */
export class EpochCache<V> {

    readonly #entries: LRUCache<string, Entry<V>>;
    readonly #loading = new SingleFlight<V | null>();

    /** @param limit entries that are kept; the oldest go first */
    constructor(limit: number) {

        this.#entries = new LRUCache({ max: limit });
    }

    /** The value of a key if it is known and current, at no cost. */
    get(key: string, epoch: number): V | undefined {

        const entry = this.#entries.get(key);
        return entry !== undefined && entry.epoch >= epoch ? entry.value : undefined;
    }

    /**
     * Reads the value of a key; requests of the same moment share one reading. What is not there is not remembered.
     *
     * @param epoch as read before this call, so that what is read now is at least as new
     */
    load(key: string, epoch: number, read: () => Promise<V | null>): Promise<V | null> {

        return this.#loading.run(() => this.#read(key, epoch, read), key, epoch);
    }

    /** Forgets a key. */
    delete(key: string): void {

        this.#entries.delete(key);
    }

    async #read(key: string, epoch: number, read: () => Promise<V | null>): Promise<V | null> {

        const value = await read();
        const known = this.#entries.get(key);
        if (known && known.epoch > epoch) {
            return value;
        }

        this.#entries.delete(key);
        if (value !== null) {
            this.#entries.set(key, { epoch, value });
        }

        return value;
    }
}
