/**
 * Job that applies a spooled upload: validates everything, saves what it replaces, deletes if requested, stores design and types, then all
 * other objects. It records its progress and resumes there after an interruption; all steps are idempotent. Nothing is written when
 * validation fails; a rejected write later rolls everything back.
 */

import type { Step } from '../../../db/database.js';
import type { Log } from '../../../db/log.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { HeldKeys } from '../../identity/keys/held-keys.js';
import type { SecretTransfer } from '../../identity/secrets/secret-transfer.js';
import type { JobKind, RunningJob } from '../../jobs/job-kind.js';
import type { ObjectRestorer } from './object-restorer.js';
import type { CatalogStore } from '../../stores/catalog-store.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';
import type { SettingStore } from '../../stores/setting-store.js';
import type { TxnWatermarkStore } from '../../stores/txn-watermark-store.js';
import type { Epochs } from '../../stores/objects/object-store.js';
import type { BulkItem } from '../batch/batch-item.js';
import type { BulkService } from '../batch/batch-service.js';
import type { WriteBarrier } from './write-barrier.js';
import { DoipError } from '../../errors/errors.js';
import { SERVICE, serviceFor, type Caller } from '../../model/caller.js';
import { storing } from '../../objects/input/object-input.js';
import type { ObjectScan } from '../../stores/objects/object-scan.js';
import { UPLOAD_SETTING } from '../../stores/setting-store.js';
import { DRAFT_LIMITS } from './draft-file.js';
import { FormerState, type FormerObject } from './rollback.js';
import { ItemSource } from '../batch/item-reader.js';
import { UploadBatch, type Tasks } from './upload-batch.js';
import {
    messageOf, phaseOf, refOf, UPLOAD_KIND, type Phase, type UploadPayload, type UploadProgress
} from './upload-progress.js';
import { UploadReview } from './upload-validation.js';
import { UploadScope } from './upload-scope.js';
import { readUploaded, targetObject, type ReviewedObject } from './uploaded-object.js';
import { type ReviewParts } from './validation-parts.js';

/** Number of items between two progress records. */
const SAVE_INTERVAL = 2000;
const LEASE_MS = 10_000;
const PAUSE_MS = 1000;

/** Maximum number of validation attempts when a temporary error occurs, such as no free thread for scripts. */
const REVIEWS = 30;

export interface UploadJobParts extends Omit<ReviewParts, 'source' | 'folder'> {
    readonly bulk: BulkService;
    readonly catalogStore: CatalogStore;
    readonly settings: SettingStore;
    readonly objects: ObjectScan;
    readonly barrier: WriteBarrier;
    readonly secrets: SecretTransfer;
    readonly keys: HeldKeys;
    readonly forms: IndexFormStore;
    readonly floor: Pick<TxnWatermarkStore, 'isNeeded' | 'renew' | 'fence'>;
    /** Reloads the design and the types if they are not current. */
    readonly refresh: () => Promise<Pick<Epochs, 'types'>>;
    readonly restorer: ObjectRestorer;
    readonly log: Log;
}

/** The job for uploads. It is retried without limit: an upload that has begun is always completed or rolled back. */
export function uploadJob(parts: UploadJobParts): JobKind {

    return {
        kind: UPLOAD_KIND, leaseMs: LEASE_MS, maxAttempts: Infinity, backOff: () => PAUSE_MS,
        run: async (job) => {

            // An upload that has ended must do nothing more, as another one may have begun since.
            if (!progressOf(job.progress).isEnded) {
                await new UploadRun(parts, job, await beginRun(parts, job)).run();
            }
        }
    };
}

/**
 * Returns the epoch of types with which a run writes. What an earlier run of this upload still sends, because its process was stopped, is not
 * written any more, nor what others have computed before the upload.
 */
async function beginRun({ refresh, floor, barrier, catalogStore }: UploadJobParts, job: RunningJob): Promise<number> {

    const { types: epoch } = await refresh();
    if (floor.isNeeded) {
        await floor.renew();
        await floor.fence(epoch);
        // Under the lease, so that a later run begins at a higher epoch: one without the lease ends here, before it has written anything.
        await job.report(job.progress, [catalogStore.bumpStep()]);
    }

    // Wait for writers of this process that passed the barrier before it was closed.
    await barrier.drained();
    return epoch;
}

class UploadRun {

    readonly #parts: UploadJobParts;
    readonly #job: RunningJob;
    readonly #payload: UploadPayload;
    readonly #source = new ItemSource(DRAFT_LIMITS);
    readonly #former: FormerState;
    #progress: UploadProgress;
    readonly #batch: UploadBatch;
    readonly #scope: UploadScope;
    readonly #caller: Caller;
    readonly #epoch: number;

    /** @param epoch epoch of types with which the run writes */
    constructor(parts: UploadJobParts, job: RunningJob, epoch: number) {

        this.#parts = parts;
        this.#job = job;
        this.#epoch = epoch;
        this.#payload = job.payload as unknown as UploadPayload;
        this.#progress = progressOf(job.progress);
        this.#former = new FormerState(parts, this.#source);
        this.#batch = new UploadBatch(parts, job);
        const { author, origin } = this.#payload;
        this.#caller = origin ? serviceFor({ ...SERVICE, actorId: author, origin }) : SERVICE;
        this.#scope = new UploadScope(parts, () => this.#items(), { job, caller: this.#caller, uploadEpoch: epoch });
    }

    async run(): Promise<void> {

        const steps: Readonly<Record<UploadProgress['phase'], () => Promise<void>>> = {
            review: () => this.#review(),
            keep: () => this.#saveFormer(),
            delete: () => this.#delete(),
            types: () => this.#store('types', 'others'),
            others: () => this.#store('others', 'over'),
            sweep: () => this.#save({ phase: 'over' }),
            undo: () => this.#undo(),
            over: () => Promise.resolve()
        };
        while (this.#progress.phase !== 'over') {
            await steps[this.#progress.phase]();
        }

        await this.#end();
    }

    async #save(progress: Partial<UploadProgress>, steps: readonly Step[] = []): Promise<void> {

        this.#progress = { ...this.#progress, ...progress };
        await this.#job.report(this.#progress as unknown as JsonObject, steps);
    }

    async #review(): Promise<void> {

        const { blob, author, now, requestContext = {}, deleteCurrentObjects } = this.#payload;
        const { bulk, blobs } = this.#parts;
        const review = new UploadReview({ ...this.#parts, source: this.#source, folder: bulk.folder }, {
            blob, fallback: { author, now }, requestContext, deleteCurrentObjects, signal: this.#job.signal
        });
        try {
            const outcome = await review.run();
            if ('refusal' in outcome) {
                await this.#save({ phase: 'over', refusal: outcome.refusal });
                return;
            }

            const { reviewed, renamed } = outcome;
            await this.#save({ phase: 'keep', reviewed: refOf(reviewed), renamed }, blobs.linkSteps(reviewed));
        }
        catch (error) {
            if (this.#mayPass(error)) {
                throw error;
            }

            this.#parts.log.error({ event: 'upload.review-failed', err: error }, 'upload review failed');
            await this.#save({ phase: 'over', failure: { message: messageOf(error) } });
        }
    }

    /** True for errors that a retry may not meet. Nothing was written so far, so the upload can also fail. */
    #mayPass(error: unknown): boolean {

        const isStorage = this.#job.signal.aborted || this.#parts.bulk.explain(error) !== null;
        return isStorage || error instanceof DoipError && this.#job.attempts < REVIEWS;
    }

    async #saveFormer(): Promise<void> {

        const { blobs } = this.#parts;
        const { deleteCurrentObjects } = this.#payload;
        const former = await this.#former.save(deleteCurrentObjects ? this.#scope.all() : this.#scope.uploaded(), this.#job.signal);
        await this.#save({ phase: deleteCurrentObjects ? 'delete' : 'types', position: 0, former: refOf(former) }, blobs.linkSteps(former));
    }

    async #delete(): Promise<void> {

        await this.#scope.remove(() => this.#scope.all());
        await this.#save({ phase: 'types', position: 0 });
    }

    async #store(phase: Phase, next: 'others' | 'over'): Promise<void> {

        if (phase === 'types' && this.#progress.position === 0) {
            await this.#freeNames();
        }

        await this.#batch.run(phase === 'others', (tasks) => this.#apply(phase, tasks));
        const { failure } = this.#batch;
        await this.#save(failure ? { phase: 'undo', position: 0, failure } : { phase: next, position: 0 });
    }

    /** Releases the names of renamed types first, so that types can swap names. Only once: a later run would release the new names. */
    async #freeNames(): Promise<void> {

        const { catalogStore } = this.#parts;
        const { renamed = [] } = this.#progress;
        if (renamed.length > 0) {
            // With the progress, and so only under the lease: another process may have stored the types since.
            await this.#save({ renamed: [] }, [...renamed.flatMap((id) => catalogStore.releaseSteps(id)), catalogStore.bumpStep()]);
        }
    }

    /** Applies the objects of a phase from the recorded position, concurrently. */
    async #apply(phase: Phase, { add, drained }: Tasks): Promise<void> {

        const { blobs } = this.#parts;
        const { reviewed } = this.#progress;
        const lines = reviewed ? this.#source.items(blobs.open(reviewed), true) : null;
        try {
            for await (const { position, bytes, value, error } of this.#items()) {
                const line = await lines?.next();
                const reviewedObject = (line?.done === false ? line.value.value : undefined) as unknown as ReviewedObject | undefined;
                if (error || !reviewedObject) {
                    throw error ?? new Error(`the object at position ${position} was not reviewed`);
                }

                if (position >= this.#progress.position && phaseOf(reviewedObject) === phase) {
                    await add({ position, bytes, work: () => this.#write(value, reviewedObject) });
                }

                const isSaved = position % SAVE_INTERVAL === SAVE_INTERVAL - 1;
                if (isSaved) {
                    await drained();
                }

                // A recorded position means that everything before it is stored, so a rejected write is checked first.
                if (this.#batch.failure) {
                    return;
                }

                if (isSaved) {
                    await this.#save({ position: position + 1 });
                }
            }
        }
        finally {
            await lines?.return(undefined);
        }
    }

    async #write(value: JsonObject, reviewedObject: ReviewedObject): Promise<undefined> {

        const { elements, limits, restorer } = this.#parts;
        const { author, now, requestContext = {} } = this.#payload;
        const uploaded = await readUploaded(value, {
            limits, fallback: { author, now },
            stage: (body, knownObject) => elements.stage(body, { input: knownObject, requestContext, signal: this.#job.signal })
        });
        const { id, type, content, acl, userMetadata, metadata: { hashes: _hashes, ...metadata }, secrets, indexForm } = reviewedObject;
        await storing(uploaded.input, false, () => restorer.restore(id, (before) => ({
            ...targetObject(uploaded, before), type, content, acl, userMetadata, metadata,
            reviewed: { uploadEpoch: this.#epoch, ...indexForm === undefined ? {} : { indexForm } },
            steps: (isNew) => {

                this.#job.checkLease();    // Ends the attempts of a run that was taken over
                return secrets ? this.#parts.secrets.steps(id, isNew, secrets) : [];
            }
        }), this.#caller));
        return undefined;
    }

    /** Lines of the upload. */
    #items(): AsyncGenerator<BulkItem> {

        return this.#source.items(this.#parts.blobs.open(this.#payload.blob), true);
    }

    /** Rolls back: deletes what was stored, then restores what was there before. */
    async #undo(): Promise<void> {

        const { former } = this.#progress;
        let unrestored = 0;
        await this.#scope.remove(() => (this.#payload.deleteCurrentObjects ? this.#scope.all() : this.#scope.uploaded()));
        for (const phase of ['types', 'others'] as const) {
            await this.#batch.run(phase === 'others', async ({ add }) => {

                let position = 0;
                for await (const object of former ? this.#former.read(former) : []) {
                    if (phaseOf(object.object) === phase) {
                        await add({ position, bytes: 0, id: object.object.id, work: () => this.#restore(object) });
                    }

                    position += 1;
                }
            });
            const { failure, rejections: { count, ids } } = this.#batch;
            unrestored += count;
            if (failure) {
                this.#parts.log.error({ event: 'upload.rollback-incomplete', count, ids, refused: failure, blobId: former?.blobId },
                    'failed to restore objects after a failed upload');
            }
        }

        await this.#save({ phase: 'over', ...unrestored > 0 ? { unrestored } : {} });
    }

    #restore(object: FormerObject): Promise<undefined> {

        return this.#former.restore(object, { ...this.#parts, job: this.#job, caller: this.#caller, uploadEpoch: this.#epoch });
    }

    async #end(): Promise<void> {

        const { blobs, catalogStore, keys, settings, log } = this.#parts;
        const { refusal, failure, reviewed, former, unrestored = 0 } = this.#progress;
        if (failure) {
            log.error({ event: 'upload.failed', failure, ...unrestored > 0 ? { unrestored } : {} }, unrestored > 0 ? 'upload failed, and not all former objects could be restored' : 'upload failed, nothing was stored');
        }
        else if (refusal) {
            log.info({ event: 'upload.refused', wrong: refusal.count, first: refusal.first }, 'upload refused');
        }

        const { blob } = this.#payload;
        // The lines of what was not restored are kept: nobody else has them. Bytes of payloads are swept.
        await this.#save({ isEnded: true }, [
            ...[blob, reviewed, unrestored > 0 ? undefined : former].flatMap((staged) => (staged ? blobs.unlinkSteps(staged.blobId) : [])),
            ...keys.dropSteps(), ...settings.removeSteps(UPLOAD_SETTING, String(blob.blobId)), catalogStore.bumpStep()
        ]);
    }
}

/** Restarts uploads of service versions without a validation phase from validation. */
function progressOf(stored: JsonValue): UploadProgress {

    const progress = (stored ?? { phase: 'review' }) as unknown as UploadProgress;
    const isReviewed = progress.reviewed !== undefined || progress.phase === 'over';
    return isReviewed ? progress : { phase: 'review', position: 0 };
}
