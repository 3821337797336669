/**
 * Versions of objects (interface specification, "Versions"): copies with ids of their own. A version shares the bytes
 * of elements with the object it was made from.
 */

import type { JsonObject } from '../util/json-types.js';
import type { Metadata } from '../doip/digital-object.js';
import type { Caller } from '../model/caller.js';
import type { ReferenceStore } from '../stores/reference-store.js';
import type { VersionEntry, VersionStore } from '../stores/version-store.js';
import type { WriteOutcome } from '../objects/object-writer.js';
import type { StoredObject } from '../model/stored-object.js';
import { badRequest, conflict, missingObject } from '../errors/errors.js';
import { retryOnConflict } from '../util/concurrency/retry-on-conflict.js';
import { beingChanged, ObjectTransaction } from '../objects/object-transaction.js';
import { checkNewId } from '../objects/input/field-validation.js';
import { mintId } from '../objects/id-minter.js';
import { withIndexForm } from '../objects/hooks/indexed-form-builder.js';
import { LOST_RACE } from '../objects/object-writer.js';
import { authorOf, type WriteContext } from '../model/write-context.js';
import { checkWritable } from '../objects/update-request.js';
import type { WriteParts } from '../objects/object-transaction.js';

/** Options of a new version. */
export interface PublishRequest {
    /** Id of the version; minted if absent. */
    readonly versionId?: string | undefined;
    /** False for a version without elements. */
    readonly withElements: boolean;
}

/** A check whether a version may be listed. */
export type IsVisible = (entry: VersionEntry) => boolean;

/** Who lists versions. */
export interface VersionReader {
    /** Returns the check for the next records. */
    readonly visibility: () => Promise<IsVisible>;
    readonly signal: AbortSignal;
}

/** Dependencies of the versions. */
type VersionParts = WriteParts & { readonly versions: VersionStore; readonly references: ReferenceStore };

/** Publishes and lists versions. */
export class VersionService {

    readonly #parts: VersionParts;
    readonly #transaction: ObjectTransaction;

    constructor(parts: VersionParts) {

        this.#parts = parts;
        this.#transaction = new ObjectTransaction(parts);
    }

    /**
     * Publishes the current state of an object. The copy is not validated; of the hooks only the one for indexing runs.
     *
     * @throws DoipError 400 if the object is a version itself or the id is invalid, 404 if the object does not exist, 409 if
     *   the id is taken or other writers keep changing the object
     */
    async publish(tipId: string, request: PublishRequest, context: WriteContext): Promise<JsonObject> {

        const { versionId } = request;
        if (versionId !== undefined) {
            checkNewId(versionId, this.#parts.catalog.current.prefix, this.#parts.limits);
        }

        return this.#transaction.locked(tipId, context, async (deadline) => {

            const attempt = (): Promise<StoredObject | null> => this.#parts.clock.reserve(() => this.#attempt(tipId, request, context));
            return versionRecord(await retryOnConflict(attempt, { deadline, message: beingChanged(tipId) }));
        });
    }

    /**
     * Yields the records of a family of versions in blocks, oldest version first, tip last; those that are not visible are left out, and no
     * block is empty. The next block is read when it is asked for. `member` is the tip, one of its versions, or a deleted object.
     */
    async *list(
        member: Pick<StoredObject, 'id'> & Partial<StoredObject>, { visibility, signal }: VersionReader
    ): AsyncGenerator<readonly JsonObject[], void, undefined> {

        const tipId = member.metadata?.versionOf ?? member.id;
        for await (const block of this.#parts.versions.versionsOf(tipId)) {
            signal.throwIfAborted();
            const visible = block.filter(await visibility());
            if (visible.length > 0) {
                yield visible.map(versionRecord);
            }
        }

        const { object: tip } = await this.#parts.store.view(tipId);
        if (tip && (await visibility())(tip)) {
            yield [versionRecord(tip)];
        }
    }

    /** Null when another writer was faster, or a minted id is taken. */
    async #attempt(tipId: string, request: PublishRequest, context: WriteContext): Promise<StoredObject | null> {

        const tip = await this.#tip(tipId, context);
        const version = this.#versionOf(tip, request, context.caller);
        const outcome = await this.#write(tip, version, context);
        if (outcome === 'id-taken' && request.versionId !== undefined) {
            throw conflict(`Object already exists: ${request.versionId}`);
        }

        return outcome === 'stored' ? version : null;
    }

    async #tip(id: string, { caller, check }: WriteContext): Promise<StoredObject> {

        const { object } = await this.#parts.reader.view(id);
        if (!object) {
            throw missingObject(id);
        }

        check?.(object);
        checkWritable(this.#parts.catalog.current.design, caller, '');
        if (object.metadata.isVersion) {
            throw badRequest('Cannot publish a version for an object that is not the tip.');
        }

        return object;
    }

    /** Returns the version: a copy of the tip, including its hashes. */
    #versionOf(tip: StoredObject, { versionId, withElements }: PublishRequest, caller: Caller): StoredObject {

        return {
            ...tip,
            id: versionId ?? mintId(this.#parts.catalog.current.prefix),
            elements: withElements ? tip.elements : [],
            metadata: {
                ...tip.metadata,
                isVersion: true,
                versionOf: tip.id,
                publishedBy: authorOf(caller),
                publishedOn: Date.now(),
                txnId: this.#parts.clock.next(tip.metadata.txnId)
            }
        };
    }

    async #write(tip: StoredObject, version: StoredObject, context: WriteContext): Promise<WriteOutcome> {

        // The version links the elements of the tip, which must not have changed since.
        const steps = [this.#parts.store.holdStep(tip, LOST_RACE), ...this.#parts.references.copySteps(tip.id, version.id)];
        const change = { before: null, after: version, processed: null, steps, caller: context.caller, now: Date.now() };
        return this.#parts.writer.write(await withIndexForm(this.#parts, change, context));
    }
}

/** Returns the record of a version or of the tip (specification, "Version record"). */
function versionRecord({ id, type, metadata }: VersionEntry): JsonObject {

    const { isVersion, versionOf, publishedBy, publishedOn, modifiedOn }: Metadata = metadata;
    if (!isVersion) {
        return { id, type, modifiedOn, isTip: true };
    }

    return {
        id, type,
        ...(versionOf === undefined ? {} : { versionOf }),
        ...(publishedBy === undefined ? {} : { publishedBy }),
        ...(publishedOn === undefined ? {} : { publishedOn }),
        isTip: false
    };
}
