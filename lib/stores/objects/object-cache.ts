/**
 * Objects as they were last read, within a budget of memory. An entry is used only when it is certain that the object still
 * has the same transaction number, so nothing old is ever shown; what is saved is reading, parsing and writing
 * the content again.
 */

import type { StoredObject } from '../../model/stored-object.js';

/** A rough count of the bytes that an object takes besides its text. */
const OVERHEAD = 1024;

/** An object with what was known when it was last found to be current. */
export interface Kept<F> {
    readonly object: StoredObject;
    facts: F;
}

interface Entry<F> extends Kept<F> {
    readonly bytes: number;
}

/** Keeps the objects that were used last. */
export class ObjectCache<F> {

    readonly #entries = new Map<string, Entry<F>>();
    readonly #budget: number;
    #bytes = 0;

    /** @param budget bytes; 0 keeps nothing */
    constructor(budget: number) {

        this.#budget = budget;
    }

    /** The object as it was last read; undefined when it is not kept. */
    get(id: string): Kept<F> | undefined {

        return this.#entries.get(id);
    }

    /** Keeps an object, and lets go of those that were not used for longest. An object of more than an eighth of the budget is not kept. */
    put(object: StoredObject, facts: F, textLength: number): void {

        this.delete(object.id);
        const bytes = textLength * 2 + OVERHEAD * (1 + object.elements.length);
        if (bytes > this.#budget / 8) {
            return;
        }

        this.#entries.set(object.id, { object, facts, bytes });
        this.#bytes += bytes;
        for (const id of this.#entries.keys()) {
            if (this.#bytes <= this.#budget) {
                return;
            }

            this.delete(id);
        }
    }

    /** Moves an object to the end of those that are let go of. */
    touch(id: string): void {

        const entry = this.#entries.get(id);
        if (entry) {
            this.#entries.delete(id);
            this.#entries.set(id, entry);
        }
    }

    /** Forgets an object. */
    delete(id: string): void {

        const entry = this.#entries.get(id);
        if (entry) {
            this.#entries.delete(id);
            this.#bytes -= entry.bytes;
        }
    }
}
