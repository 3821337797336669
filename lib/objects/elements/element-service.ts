/**
 * The bytes of elements, between the object pipeline and the blob store: where they go, what the unit of a change has to say
 * about them, and reading them back.
 */

import { createHash } from 'node:crypto';
import type { Step } from '../../../db/database.js';
import type { JsonObject } from '../../util/json-types.js';
import type { BlobStore } from '../../stores/blobs/blob-store.js';
import type { ByteRange, ElementStores } from '../../stores/blobs/element-store.js';
import type { StoredElement } from '../../model/stored-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import { BLOB_GONE, elementTooLong } from '../../stores/blobs/blob-store.js';
import type { StagedElement, ObjectInput } from '../../model/object-input.js';

/** What is known when bytes arrive. */
export interface StageFacts {
    /** What was read of the object so far. */
    readonly input: Pick<ObjectInput, 'id' | 'type' | 'content'>;
    readonly requestContext: JsonObject;
    /** Ends the staging when the peer goes away. */
    readonly signal: AbortSignal;
}

/** A change that has to be computed anew does not read bytes again. */
const MAX_HASHES = 1000;

/** Stages, links and opens the bytes of elements. */
export class ElementService {

    readonly #blobs: BlobStore;
    readonly #stores: ElementStores;
    readonly #maxBytes: number;
    readonly #wantsHash: (type: string) => boolean;
    /** Hashes of blobs that were computed by reading them, for those who need them again at once. */
    readonly #hashes = new Map<number, string>();

    /** @param wantsHash true for a type whose objects carry hashes: then bytes are hashed while they arrive */
    constructor(blobs: BlobStore, stores: ElementStores, maxBytes: number, wantsHash: (type: string) => boolean = () => false) {

        this.#blobs = blobs;
        this.#stores = stores;
        this.#maxBytes = maxBytes;
        this.#wantsHash = wantsHash;
    }

    /** Keeps the bytes of a body until an object links them or they are discarded. */
    async stage(body: AsyncIterable<Uint8Array>, { input, requestContext, signal }: StageFacts): Promise<StagedElement> {

        const facts = { id: input.id ?? null, type: input.type ?? null, content: input.content ?? null };
        const store = await this.#stores.choose(facts, requestContext);
        const hash = input.type !== undefined && this.#wantsHash(input.type);
        const staged = await this.#blobs.stage(body, { maxBytes: this.#maxBytes, store, signal, hash });
        return { store, blobId: staged.blobId, size: staged.size, hash: staged.sha256, discard: () => staged.discard() };
    }

    /**
     * What {@link stage} would tell of the bytes of a body, without keeping them.
     *
     * @throws DoipError as {@link stage}
     */
    async measure(body: AsyncIterable<Uint8Array>, { input, requestContext }: Omit<StageFacts, 'signal'>): Promise<Omit<StagedElement, 'blobId' | 'discard'>> {

        const facts = { id: input.id ?? null, type: input.type ?? null, content: input.content ?? null };
        const store = await this.#stores.choose(facts, requestContext);
        const hash = createHash('sha256');
        let size = 0;
        for await (const piece of body) {
            size += piece.byteLength;
            if (size > this.#maxBytes) {
                throw elementTooLong(this.#maxBytes);
            }

            hash.update(piece);
        }

        return { store, size, hash: hash.digest('hex') };
    }

    /** Steps of a change that link the bytes of new elements and let go of those of elements that went. */
    steps({ before, after, now }: ObjectChange): Step[] {

        const old = before?.elements ?? [];
        const current = after?.elements ?? [];
        if (old === current || old.length === 0 && current.length === 0) {
            return [];
        }

        const oldIds = new Set(old.map(({ blobId }) => blobId));
        const currentIds = new Set(current.map(({ blobId }) => blobId));
        return [
            ...current.filter(({ blobId }) => !oldIds.has(blobId)).flatMap((element) => this.#blobs.linkSteps(element)),
            ...old.filter(({ blobId }) => !currentIds.has(blobId)).flatMap(({ blobId }) => this.#blobs.unlinkSteps(blobId, now))
        ];
    }

    /** True when a unit failed because bytes it wanted to link were removed before. */
    isLost(failed: string): boolean {

        return failed === BLOB_GONE;
    }

    /** The hash of the bytes of an element that were stored without one: lower-case hex SHA-256. Reads them all. */
    async hashOf(element: StoredElement): Promise<string> {

        const known = this.#hashes.get(element.blobId);
        if (known !== undefined) {
            return known;
        }

        const hash = createHash('sha256');
        for await (const bytes of this.open(element, null)) {
            hash.update(bytes);
        }

        const digest = hash.digest('hex');
        if (this.#hashes.size >= MAX_HASHES) {
            this.#hashes.clear();
        }

        this.#hashes.set(element.blobId, digest);
        return digest;
    }

    /** The bytes of an element, or of a range of it, read as they are asked for. */
    open({ blobId, store, size }: StoredElement, range: ByteRange | null): AsyncIterable<Uint8Array> {

        return range ? this.#blobs.open({ blobId, store, size }, range) : this.#blobs.open({ blobId, store, size });
    }
}
