/**
 * Restores objects to a given state with their ids, times and authors, without validation, and without hooks except the one for indexing.
 * Only their transaction numbers are new. For administrators.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Step } from '../../../db/database.js';
import type { Metadata } from '../../doip/digital-object.js';
import type { Caller } from '../../model/caller.js';
import type { ObjectLoader } from '../../objects/read/object-loader.js';
import type { StoredElement, StoredObject, IndexedForm } from '../../model/stored-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import type { BlobStore } from '../../stores/blobs/blob-store.js';
import { hashOfBytes } from '../../objects/hashes/verification.js';
import { retryOnConflict } from '../../util/concurrency/retry-on-conflict.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { typeNameOf } from '../../types/catalog-participant.js';
import { beingChanged, ObjectTransaction } from '../../objects/object-transaction.js';
import { checkNewId } from '../../objects/input/field-validation.js';
import { withIndexForm } from '../../objects/hooks/indexed-form-builder.js';
import { isUntouchedDefault } from '../../types/seed-content.js';
import { checkWritable } from '../../objects/update-request.js';
import type { WriteParts } from '../../objects/object-transaction.js';

/** Target state of an object. */
export type RestoredObject = Omit<StoredObject, 'metadata' | 'id'> & {
    readonly metadata: Metadata;
    /**
     * Set for an object that was validated as part of an upload: it is not validated again, and is written while other writers are blocked.
     * `indexForm` is the result of the hook for indexing; absent for a type without that hook. For `uploadEpoch` see {@link ObjectChange}.
     */
    readonly reviewed?: { readonly uploadEpoch: number; readonly indexForm?: IndexedForm | null };
    /** When true, a default type with the same name, unchanged since the first start, is replaced. */
    readonly replacesDefault?: boolean;
    /** Additional steps of the write that store its hashed secrets; not done for a version, which has none. */
    readonly steps: (isNew: boolean) => Step[];
};

/** Facts by which an identical existing object is recognised; of bytes only the number, that they are there, and that they have not changed where their hash is known. */
export type ObjectFacts = Omit<StoredObject, 'metadata' | 'elements'> & {
    readonly metadata: Metadata;
    readonly elements: readonly Pick<StoredElement, 'name' | 'filename' | 'mediaType' | 'size'>[];
};

/** Outcome of a restore. */
export type RestoreOutcome = 'created' | 'updated';

/** Dependencies of the restorer. */
export type RestorerParts = WriteParts & { readonly loader: ObjectLoader; readonly blobs: Pick<BlobStore, 'hasAll' | 'open'> };

/** Restores objects. */
export class ObjectRestorer {

    readonly #parts: RestorerParts;
    readonly #transaction: ObjectTransaction;

    constructor(parts: RestorerParts) {

        this.#parts = parts;
        this.#transaction = new ObjectTransaction(parts);
    }

    /** Returns true when an identical object exists, with all bytes of its elements. The catalog of types is then at least as new as that object. */
    async exists(target: ObjectFacts): Promise<boolean> {

        const object = await this.#parts.loader.find(target.id);
        return object !== null && isDeepStrictEqual(factsOf(object), factsOf(target)) && await this.#hasBytes(object);
    }

    /**
     * Creates or replaces an object.
     *
     * @param make builds the target state from the existing object
     * @throws DoipError 400 for an invalid id or a username that is taken
     */
    async restore(id: string, make: (before: StoredObject | null) => RestoredObject, caller: Caller): Promise<RestoreOutcome> {

        const attempt = (): Promise<RestoreOutcome | null> => this.#parts.clock.reserve(() => this.#attempt(id, make, caller));
        return this.#transaction.locked(id, {}, (deadline) => retryOnConflict(attempt, { deadline, message: beingChanged(id) }));
    }

    /** True for the design and the default types as the first start has made them. */
    isInitial(object: StoredObject): boolean {

        const { id, metadata: { createdOn, modifiedOn } } = object;
        return id === DESIGN_ID ? modifiedOn === createdOn : isUntouchedDefault(object, this.#parts.catalog.current.extensionKeyword);
    }

    /** Deletes an object for an upload, without hooks, even when others reference it. Returns false when it has changed meanwhile. */
    async remove(before: StoredObject, { caller, uploadEpoch }: { caller: Caller; uploadEpoch: number }): Promise<boolean> {

        return await this.#parts.writer.write({ ...removal(before, caller), uploadEpoch }) === 'stored';
    }

    async #hasBytes({ elements }: StoredObject): Promise<boolean> {

        const { blobs } = this.#parts;
        for (const element of elements) {
            if (!await blobs.hasAll(element) || element.hash !== null && await hashOfBytes(blobs.open(element)) !== element.hash) {
                return false;
            }
        }

        return true;
    }

    /** The default type with the same name, if unchanged. */
    async #createdBefore(after: StoredObject): Promise<StoredObject | null> {

        const name = typeNameOf(after);
        const { current } = this.#parts.catalog;
        const schemaId = name === null ? null : current.get(name)?.schemaId ?? null;
        const found = schemaId === null || schemaId === after.id ? null : await this.#parts.loader.find(schemaId);
        return found && isUntouchedDefault(found, current.extensionKeyword) ? found : null;
    }

    async #attempt(id: string, make: (before: StoredObject | null) => RestoredObject, caller: Caller): Promise<RestoreOutcome | null> {

        const before = await this.#parts.loader.find(id);
        const { steps, reviewed, replacesDefault = false, ...target } = make(before);
        if (!reviewed) {
            this.#check(id, caller);
        }

        const change = await this.#parts.pipeline.prepare({
            ...target, id, before, caller, now: Date.now(), contentTouched: true, restored: reviewed ? 'reviewed' : 'as-it-was'
        });
        const isNew = before === null;
        const created = replacesDefault ? await this.#createdBefore(change.after) : null;
        // Asked for a version, too: it may throw, when another process has taken over.
        const ownSteps = steps(isNew);
        const complete = { ...change, steps: [...change.steps, ...change.after.metadata.isVersion ? [] : ownSteps] };
        const prepared = reviewed ? { ...complete, ...reviewed } : await withIndexForm(this.#parts, complete, { caller });
        const replacement = created ? { instead: removal(created, caller) } : {};
        const outcome = await this.#parts.writer.write({ ...prepared, ...replacement });
        return outcome === 'stored' ? isNew ? 'created' : 'updated' : null;
    }

    #check(id: string, caller: Caller): void {

        if (id !== DESIGN_ID) {
            checkNewId(id, this.#parts.catalog.current.prefix, this.#parts.limits);
        }

        checkWritable(this.#parts.catalog.current.design, caller, id);
    }
}

function removal(before: StoredObject, caller: Caller): ObjectChange {

    return { before, after: null, processed: null, steps: [], caller, now: Date.now() };
}

function factsOf({ type, content, acl, userMetadata, metadata, elements }: ObjectFacts): unknown {

    const { txnId, ...metadataWithoutTxn } = metadata;
    return {
        type, content, acl, userMetadata,
        metadata: metadataWithoutTxn,
        elements: elements.map(({ name, filename, mediaType, size }) => ({ name, filename, mediaType, size }))
    };
}
