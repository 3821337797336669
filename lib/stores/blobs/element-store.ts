/**
 * Where the bytes of elements can be kept. The database is one such place; the program that embeds the service can register
 * others, say a folder of files, and choose among them for every element. Which blobs exist and who uses them is not known
 * here: that is the business of the blob store.
 */

import type { JsonObject } from '../../util/json-types.js';

/** A part of some bytes; both ends are counted from 0 and belong to it. */
export interface ByteRange {
    readonly start: number;
    readonly end: number;
}

/** A place that keeps bytes under the number of their blob. */
export interface ElementStore {
    /**
     * Keeps the bytes of a body; resolves when they are safe on disk. Must read at the pace at which it writes. When the body
     * fails it rejects with the body's error; {@link remove} is called afterwards.
     */
    write(blobId: number, body: AsyncIterable<Uint8Array>): Promise<void>;
    /** The bytes of a range, read as they are asked for; fails when some of them are missing. `size` is that of the whole. */
    read(blobId: number, range: ByteRange, size: number): AsyncIterable<Uint8Array>;
    /** Removes what is kept under a number, completely written or not; does nothing when there is nothing. */
    remove(blobId: number): Promise<void>;
    /** Numbers under which anything is kept, above `after` in ascending order, at most `limit`; finds what crashes left. */
    list(after: number, limit: number): Promise<readonly number[]>;
}

/** What is known of an object when the bytes of one of its elements arrive; content may still be on its way. */
export interface StorageFacts {
    readonly id: string | null;
    readonly type: string | null;
    readonly content: JsonObject | null;
}

/** Names the element store for new bytes; `requestContext` is what the client sent for such purposes. */
export type StoreChooser = (object: StorageFacts, requestContext: JsonObject) => string | Promise<string>;

/** The name of the store that is always there. */
export const DEFAULT_STORE = 'database';

/** The stores by name. Names are written beside every element: a store whose bytes are in use must stay registered. */
export class ElementStores {

    readonly #stores = new Map<string, ElementStore>();
    readonly #chooser: StoreChooser | null;

    constructor(database: ElementStore, chooser: StoreChooser | null = null) {

        this.#stores.set(DEFAULT_STORE, database);
        this.#chooser = chooser;
    }

    /** Adds a store; before the service starts. */
    register(name: string, store: ElementStore): void {

        if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) {
            throw new Error(`element store name ${JSON.stringify(name)} must be 1 to 100 letters, digits, dots, dashes or underscores`);
        }

        if (this.#stores.has(name)) {
            throw new Error(`element store ${name} is registered already`);
        }

        this.#stores.set(name, store);
    }

    /** The store of a name; throws a plain Error when it is not registered, which is a mistake of configuration. */
    get(name: string): ElementStore {

        const store = this.#stores.get(name);
        if (!store) {
            throw new Error(`element store ${JSON.stringify(name)} is not registered; there are ${[...this.#stores.keys()].join(', ')}`);
        }

        return store;
    }

    /** All stores with their names. */
    entries(): IterableIterator<[string, ElementStore]> {

        return this.#stores.entries();
    }

    /** Name of the store for new bytes; throws a plain Error when the chooser names none that exists. */
    async choose(object: StorageFacts, requestContext: JsonObject): Promise<string> {

        if (!this.#chooser) {
            return DEFAULT_STORE;
        }

        const name: unknown = await this.#chooser(object, requestContext);
        if (typeof name !== 'string' || !this.#stores.has(name)) {
            throw new Error(`the storage chooser must name one of ${[...this.#stores.keys()].join(', ')}, got ${JSON.stringify(name)}`);
        }

        return name;
    }
}
