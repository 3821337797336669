/**
 * Rollback data of an upload: objects that it replaces or deletes, with hashed secrets, names of API keys, and indexed forms. Bytes of payloads are
 * not copied: the sweeper removes none that lost their last link until the upload has ended.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../util/json-types.js';
import type { HeldKeys } from '../../identity/keys/held-keys.js';
import type { SecretTransfer } from '../../identity/secrets/secret-transfer.js';
import type { ObjectRestorer } from './object-restorer.js';
import type { RunningJob } from '../../jobs/job-kind.js';
import type { StoredObject, IndexedForm } from '../../model/stored-object.js';
import type { NamedKey } from '../../stores/api-key-store.js';
import type { BlobRef, BlobStore, StagedBlob } from '../../stores/blobs/blob-store.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';
import type { ItemSource } from '../batch/item-reader.js';
import type { Caller } from '../../model/caller.js';
import { lineOf } from '../format/export-format.js';
import { MAX_UPLOAD_BYTES } from './upload-progress.js';

/** An object before the upload. */
export interface FormerObject {
    readonly object: StoredObject;
    readonly secrets?: JsonObject;
    readonly keys?: readonly NamedKey[];
    readonly indexForm?: IndexedForm;
}

/** Saves and restores the state before an upload. */
export class FormerState {

    readonly #blobs: BlobStore;
    readonly #secrets: SecretTransfer;
    readonly #keys: HeldKeys;
    readonly #forms: IndexFormStore;
    readonly #source: ItemSource;

    /** @param source reads lines of any length */
    constructor(parts: { blobs: BlobStore; secrets: SecretTransfer; keys: HeldKeys; forms: IndexFormStore }, source: ItemSource) {

        this.#blobs = parts.blobs;
        this.#secrets = parts.secrets;
        this.#keys = parts.keys;
        this.#forms = parts.forms;
        this.#source = source;
    }

    /** Saves pages of at most 100 objects to a blob. */
    save(pages: AsyncIterable<readonly StoredObject[]>, signal: AbortSignal): Promise<StagedBlob> {

        return this.#blobs.stage(this.#lines(pages), { maxBytes: MAX_UPLOAD_BYTES, signal });
    }

    /** Yields the saved objects in their order. */
    async *read(saved: BlobRef): AsyncGenerator<FormerObject> {

        for await (const { value, error } of this.#source.items(this.#blobs.open(saved), true)) {
            if (error) {
                throw error;
            }

            yield value as unknown as FormerObject;
        }
    }

    /** Restores one object. */
    async restore(
        { object: { id, ...object }, secrets, keys = [], indexForm }: FormerObject,
        { restorer, job, caller, uploadEpoch }: { restorer: ObjectRestorer; job: Pick<RunningJob, 'checkLease'>; caller: Caller; uploadEpoch: number }
    ): Promise<undefined> {

        await restorer.restore(id, () => ({
            ...object, reviewed: { uploadEpoch, ...indexForm === undefined ? {} : { indexForm } },
            steps: (isNew) => {

                job.checkLease();          // Ends the attempts of a run that was taken over
                return [...secrets ? this.#secrets.steps(id, isNew, secrets) : [], ...this.#keys.giveBackSteps(id, keys)];
            }
        }), caller);
        return undefined;
    }

    async *#lines(pages: AsyncIterable<readonly StoredObject[]>): AsyncGenerator<Uint8Array> {

        for await (const page of pages) {
            if (page.length === 0) {
                continue;
            }

            const ids = page.map(({ id }) => id);
            const [secrets, keys, forms] = [await this.#secrets.of(ids), await this.#keys.of(ids), await this.#forms.read(page)];
            for (const object of page) {
                const [objectSecrets, objectKeys, indexForm] = [secrets.get(object.id), keys.get(object.id), forms.byId.get(object.id)];
                yield Buffer.from(lineOf({
                    object, ...objectSecrets ? { secrets: objectSecrets } : {}, ...objectKeys ? { keys: objectKeys } : {}, ...indexForm ? { indexForm } : {}
                } as unknown as JsonObject));
            }

            await nextTurn();
        }
    }
}
