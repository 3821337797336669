/**
 * Bytes of elements, between the object pipeline and the blob store: staging, the steps that link them in the unit of a change,
 * and reading.
 */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Step } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { BlobStore } from '../../stores/blobs/blob-store.js';
import type { ByteRange, ElementStores } from '../../stores/blobs/element-store.js';
import type { StoredElement } from '../../model/stored-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import { BLOB_DELETED, elementTooLong } from '../../stores/blobs/blob-store.js';
import type { StagedElement, ObjectInput } from '../../model/object-input.js';

/** Information available when bytes arrive. */
export interface ElementOwner {
    /** The parts of the object read so far. */
    readonly input: Pick<ObjectInput, 'id' | 'type' | 'content'>;
    readonly requestContext: JsonObject;
    /** Aborts staging when the client disconnects. */
    readonly signal: AbortSignal;
    /** Id of the user who stores them, empty for anonymous callers; absent for jobs. */
    readonly caller?: string;
}

/** Maximum number of cached hashes. The cache avoids reading bytes again when a change is retried. */
const MAX_HASHES = 1000;

/** Stages, links and opens the bytes of elements. */
export class ElementService {

    readonly #blobs: BlobStore;
    readonly #stores: ElementStores;
    readonly #maxBytes: number;
    readonly #isHashed: (type: string) => boolean;
    /** Hashes of blobs computed by reading them: blob id → hash. */
    readonly #hashes = new LRUCache<number, string>({ max: MAX_HASHES });

    /** @param isHashed true for types whose objects have hashes: their bytes are hashed while they arrive */
    constructor(blobs: BlobStore, stores: ElementStores, maxBytes: number, isHashed: (type: string) => boolean = () => false) {

        this.#blobs = blobs;
        this.#stores = stores;
        this.#maxBytes = maxBytes;
        this.#isHashed = isHashed;
    }

    /** Stores the bytes of a body until an object links them or they are discarded. */
    async stage(body: AsyncIterable<Uint8Array>, { input, requestContext, signal, caller }: ElementOwner): Promise<StagedElement> {

        const owner = { id: input.id ?? null, type: input.type ?? null, content: input.content ?? null };
        const store = await this.#stores.choose(owner, requestContext);
        const hash = input.type !== undefined && this.#isHashed(input.type);
        const staged = await this.#blobs.stage(body, { maxBytes: this.#maxBytes, store, signal, hash, caller });
        return { store, blobId: staged.blobId, size: staged.size, hash: staged.sha256, discard: () => staged.discard() };
    }

    /**
     * Returns the result of {@link stage} for the bytes of a body without storing them.
     *
     * @throws DoipError as {@link stage}
     */
    async measure(
        body: AsyncIterable<Uint8Array>, { input, requestContext }: Omit<ElementOwner, 'signal' | 'caller'>
    ): Promise<Omit<StagedElement, 'blobId' | 'discard'>> {

        const owner = { id: input.id ?? null, type: input.type ?? null, content: input.content ?? null };
        const store = await this.#stores.choose(owner, requestContext);
        const hash = createHash('sha256');
        let size = 0;
        for await (const chunk of body) {
            size += chunk.byteLength;
            if (size > this.#maxBytes) {
                throw elementTooLong(this.#maxBytes);
            }

            hash.update(chunk);
        }

        return { store, size, hash: hash.digest('hex') };
    }

    /** Returns the steps of a change that link the bytes of new elements and unlink those of removed elements. */
    steps({ before, after }: ObjectChange): Step[] {

        const former = before?.elements ?? [];
        const current = after?.elements ?? [];
        if (former === current || former.length === 0 && current.length === 0) {
            return [];
        }

        const formerIds = new Set(former.map(({ blobId }) => blobId));
        const currentIds = new Set(current.map(({ blobId }) => blobId));
        return [
            ...current.filter(({ blobId }) => !formerIds.has(blobId)).flatMap((element) => this.#blobs.linkSteps(element)),
            ...former.filter(({ blobId }) => !currentIds.has(blobId)).flatMap(({ blobId }) => this.#blobs.unlinkSteps(blobId))
        ];
    }

    /** True if a unit failed because bytes to be linked had been removed. */
    isLost(failed: string): boolean {

        return failed === BLOB_DELETED;
    }

    /** Forgets the hashes of bytes: the database, which may have lost some, gives their numbers to others. */
    forget(): void {

        this.#hashes.clear();
    }

    /** Returns the hash of an element stored without one (lower-case hex SHA-256). Reads all its bytes. */
    async hashOf(element: StoredElement): Promise<string> {

        const cached = this.#hashes.get(element.blobId);
        if (cached !== undefined) {
            return cached;
        }

        const hash = createHash('sha256');
        for await (const bytes of this.open(element, null)) {
            hash.update(bytes);
        }

        const digest = hash.digest('hex');
        this.#hashes.set(element.blobId, digest);
        return digest;
    }

    /** Streams the bytes of an element, or of a range of it. */
    open({ blobId, store, size }: StoredElement, range: ByteRange | null): AsyncIterable<Uint8Array> {

        return range ? this.#blobs.open({ blobId, store, size }, range) : this.#blobs.open({ blobId, store, size });
    }
}
