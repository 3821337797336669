/**
 * Interface of element stores, which hold the bytes of elements. The database is one; an application that embeds the service can
 * register others, such as a folder of files, and choose one for each element. Rows and links of blobs belong to the blob store.
 */

import type { Step } from '../../../db/database.js';
import { DatabaseError } from '../../../db/errors.js';
import { unavailable } from '../../errors/errors.js';
import type { JsonObject } from '../../util/json-types.js';

/** A range of bytes: 0-based, both ends inclusive. */
export interface ByteRange {
    readonly start: number;
    readonly end: number;
}

/** Bytes of a blob that are missing, or not as they were stored. An outage of a store is no damage. */
export class DamagedBlobError extends Error {

    override readonly name = 'DamagedBlobError';

    constructor(blobId: number, why: string, cause?: unknown) {

        super(`blob ${blobId} is damaged: ${why}`, { cause });
    }
}

/** True for bytes that are damaged: those of a {@link DamagedBlobError}, and those in damaged pages of the embedded database. */
export function isDamage(error: unknown): boolean {

    return error instanceof DamagedBlobError || error instanceof DatabaseError && (error.cause as { code?: unknown } | undefined)?.code === 'SQLITE_CORRUPT';
}

/** Bytes of a blob of another store, which are not found by its id before the steps are committed: with those that make it a blob of this store. */
export interface StoredCopy {
    readonly steps: readonly Step[];
    read(range: ByteRange, size: number): AsyncIterable<Uint8Array>;
}

/** A blob whose bytes are to be removed. */
export interface BlobFate {
    /** True if it has a row, or had one until now. */
    readonly hasRow: boolean;
    /** Store that has the bytes instead, where they were moved. */
    readonly movedTo?: string;
    /** Returns whether the bytes are needed after all, as their blob has got a row, or was moved back, meanwhile; a removal in several steps asks before each, and ends there. */
    readonly isNeeded?: () => Promise<boolean>;
}

/** A store of bytes by id of their blob. */
export interface ElementStore {
    /** True where removed bytes free no disk space of the database. */
    readonly isRemote?: boolean;
    /**
     * Stores the bytes of a body; resolves when they are durable. Must read at the pace at which it writes. When the body fails it
     * rejects with that error; {@link remove} is called afterwards.
     *
     * @param caller id of the user who stores it, empty for anonymous callers, for limits by caller; absent for jobs
     */
    write(blobId: number, body: AsyncIterable<Uint8Array>, caller?: string): Promise<void>;
    /**
     * Stores the bytes of a blob of another store. Two processes may do so at a time, one of which was suspended, and may end at any time: none may
     * change what the other one has stored. Without this method {@link write} is called.
     */
    copy?(blobId: number, body: AsyncIterable<Uint8Array>): Promise<StoredCopy>;
    /**
     * Reads a range lazily. `size` is that of the whole blob.
     *
     * @throws DamagedBlobError
     */
    read(blobId: number, range: ByteRange, size: number): AsyncIterable<Uint8Array>;
    /** Returns whether all bytes of a blob are there, as far as can be told without reading them; without this method, the last byte is read. */
    hasAll?(blobId: number, size: number): Promise<boolean>;
    /** Removes the bytes of a blob that this process has written; does nothing when there are none. */
    remove(blobId: number): Promise<void>;
    /** Called before a sweep; false when nothing may be swept now. */
    prepareSweep?(): Promise<boolean>;
    /**
     * Removes all that there is of a blob, which any process may have written; without this method, {@link remove} does. The number of one without a
     * row may be given to another blob meanwhile, whose bytes must be kept. One that was moved to another store may be moved back meanwhile.
     */
    removeAll?(blobId: number, how: BlobFate): Promise<void>;
    /** Returns up to `limit` ids of stored blobs, ascending from `after` (exclusive); used to find what crashes left. */
    list(after: number, limit: number): Promise<readonly number[]>;
}

/** Returns whether a store has all bytes of a blob, as far as can be told without reading them. */
export async function hasAll(store: ElementStore, blobId: number, size: number): Promise<boolean> {

    if (size === 0) {
        return true;
    }

    if (store.hasAll) {
        return await store.hasAll(blobId, size);
    }

    try {
        let found = 0;
        for await (const bytes of store.read(blobId, { start: size - 1, end: size - 1 }, size)) {
            found += bytes.byteLength;
        }

        return found === 1;
    }
    catch {
        return false;
    }
}

/** Copies the bytes of a blob of another store to a store. */
export async function copyTo(store: ElementStore, blobId: number, body: AsyncIterable<Uint8Array>): Promise<StoredCopy> {

    if (store.copy) {
        return await store.copy(blobId, body);
    }

    await store.write(blobId, body);
    return { steps: [], read: (range, size) => store.read(blobId, range, size) };
}

/** Removes all bytes of a blob from a store. */
export async function removeAll(store: ElementStore, blobId: number, how: BlobFate): Promise<void> {

    await (store.removeAll ? store.removeAll(blobId, how) : store.remove(blobId));
}

/** What is known of an object when the bytes of one of its elements arrive; the content may not have arrived yet. */
export interface StorageFacts {
    readonly id: string | null;
    readonly type: string | null;
    readonly content: JsonObject | null;
}

/** Returns the name of the element store for new bytes; `requestContext` comes from the client. */
export type StoreChooser = (object: StorageFacts, requestContext: JsonObject) => string | Promise<string>;

/** After this time, a client may ask again where another node may answer. */
const MISSING_RETRY_SECONDS = 60;

/** Name of the element store in the database. */
export const DEFAULT_STORE = 'database';

/** Element stores by name. The name is stored with every element, so a store that has bytes must stay registered. */
export class ElementStores {

    readonly #stores = new Map<string, ElementStore>();
    readonly #chooser: StoreChooser | null;
    /** Names of stores that are not registered, and have bytes that were needed. */
    readonly #missing = new Set<string>();
    #usual = DEFAULT_STORE;

    constructor(database: ElementStore, chooser: StoreChooser | null = null) {

        this.#stores.set(DEFAULT_STORE, database);
        this.#chooser = chooser;
    }

    /** Registers a store; to be called before the service starts. */
    register(name: string, store: ElementStore): void {

        if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) {
            throw new Error(`element store name ${JSON.stringify(name)} must be 1 to 100 letters, digits, dots, dashes or underscores`);
        }

        if (this.#stores.has(name)) {
            throw new Error(`element store ${name} is registered already`);
        }

        this.#stores.set(name, store);
    }

    /** Name of the store for new bytes, where the chooser of the application does not name one. */
    get usual(): string {

        return this.#usual;
    }

    /** Chooses a registered store for new bytes, where the chooser of the application does not. */
    use(name: string): void {

        this.get(name);
        this.#usual = name;
    }

    /** Returns a store by name. @throws DoipError 503 when this node does not have it, which is an error of its settings */
    get(name: string): ElementStore {

        const store = this.#stores.get(name);
        if (!store) {
            const cause = new Error(`element store ${JSON.stringify(name)} is not registered; there are ${[...this.#stores.keys()].join(', ')}`);
            throw unavailable('the payload store is not set up on this node', MISSING_RETRY_SECONDS, cause);
        }

        return store;
    }

    /** Records that bytes of a store are needed. */
    need(name: string): void {

        if (!this.#stores.has(name)) {
            this.#missing.add(name);
        }
    }

    /** Returns whether bytes of a store were needed that this node does not have. */
    isMissing(name: string): boolean {

        return this.#missing.has(name);
    }

    /** Records that a store has no bytes any more. */
    release(name: string): void {

        this.#missing.delete(name);
    }

    /** Returns all stores with their names. */
    entries(): IterableIterator<[string, ElementStore]> {

        return this.#stores.entries();
    }

    /** Returns the name of the store for new bytes; throws a plain Error when the chooser returns an unknown name. */
    async choose(object: StorageFacts, requestContext: JsonObject): Promise<string> {

        if (!this.#chooser) {
            return this.#usual;
        }

        const name: unknown = await this.#chooser(object, requestContext);
        if (typeof name !== 'string' || !this.#stores.has(name)) {
            throw new Error(`the storage chooser must name one of ${[...this.#stores.keys()].join(', ')}, got ${JSON.stringify(name)}`);
        }

        return name;
    }
}
