/**
 * Objects as they were last read, within a budget of memory. An entry is used only when it is certain that the object still
 * has the same transaction number, so nothing old is ever shown; what is saved is reading, parsing and writing
 * the content again.
 */

import { LRUCache } from 'lru-cache';
import type { StoredObject } from '../../model/stored-object.js';

/** A rough count of the bytes that an object takes besides its text. */
const OVERHEAD = 1024;

/** An object with what was known when it was last found to be current. */
export interface CacheEntry<F> {
    readonly object: StoredObject;
    facts: F;
}

interface Entry<F> extends CacheEntry<F> {
    readonly bytes: number;
}

/** LRU cache of objects by id, within a number of bytes. */
export class ObjectCache<F> {

    readonly #entries: LRUCache<string, Entry<F>> | null;

    /** @param budget bytes; 0 keeps nothing. An object of more than an eighth of it is not kept. */
    constructor(budget: number) {

        this.#entries = budget > 0 ? new LRUCache({ maxSize: budget, maxEntrySize: Math.max(1, Math.floor(budget / 8)), sizeCalculation: ({ bytes }) => bytes }) : null;
    }

    /** The object as it was last read; undefined when it is not cached. Does not count as a use. */
    get(id: string): CacheEntry<F> | undefined {

        return this.#entries?.peek(id);
    }

    put(object: StoredObject, facts: F, textLength: number): void {

        this.#entries?.set(object.id, { object, facts, bytes: textLength * 2 + OVERHEAD * (1 + object.elements.length) });
    }

    /** Counts as a use. */
    touch(id: string): void {

        this.#entries?.get(id);
    }

    delete(id: string): void {

        this.#entries?.delete(id);
    }
}
