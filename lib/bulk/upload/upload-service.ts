/**
 * Uploads of whole repositories: the input is spooled to a blob, then a database job validates and applies it, resuming after a restart of
 * any process. Other writers are blocked meanwhile; see `write-barrier.ts`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../db/database.js';
import type { DatabaseError } from '../../../db/errors.js';
import type { Segment } from '../../doip/envelope.js';
import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { JobRunner } from '../../jobs/job-runner.js';
import type { FieldLimits } from '../../objects/input/field-validation.js';
import type { BlobRef, BlobStore } from '../../stores/blobs/blob-store.js';
import type { CatalogStore } from '../../stores/catalog-store.js';
import type { JobStore } from '../../stores/jobs/job-store.js';
import type { ObjectReader } from '../../objects/read/object-reader.js';
import type { SettingStore } from '../../stores/setting-store.js';
import type { Catalog } from '../../types/catalog.js';
import type { BulkItem } from '../batch/batch-item.js';
import type { ItemSource } from '../batch/item-reader.js';
import { conflict, internal, unknownOutcome } from '../../errors/errors.js';
import { authorOf } from '../../model/write-context.js';
import { mintId } from '../../objects/id-minter.js';
import { UPLOAD_SETTING } from '../../stores/setting-store.js';
import { lineOf } from '../format/export-format.js';
import { readImported } from '../format/import-object.js';
import { MAX_UPLOAD_BYTES, UPLOAD_KIND, type UploadPayload, type UploadProgress } from './upload-progress.js';
import { rejectionOf, UploadPlan } from './upload-plan.js';
import { checkWritable } from '../../objects/update-request.js';
import type { Reading } from '../../objects/read/object-resolution.js';

/** Caller and options of an upload. */
export interface UploadRequest extends Reading {
    /** Deletes all objects except the design first. */
    readonly deleteCurrentObjects: boolean;
    /** Aborts reading when the client disconnects. */
    readonly signal: AbortSignal;
    /** @throws DoipError 401 when the credentials have ended meanwhile, as the input may arrive for hours */
    readonly currentCaller: () => Promise<unknown>;
}

/** Polling interval of the job in milliseconds. */
const POLL_MS = 50;

/** The same while the database does not answer. */
const OUTAGE_POLL_MS = 500;

const RUNNING = 'upload:running';

interface UploaderParts {
    readonly db: Database;
    readonly blobs: BlobStore;
    readonly catalog: Catalog;
    readonly catalogStore: CatalogStore;
    readonly settings: SettingStore;
    readonly reader: ObjectReader;
    readonly jobs: JobRunner;
    readonly jobStore: JobStore;
    readonly source: ItemSource;
    readonly limits: FieldLimits;
}

/** Accepts uploads. */
export class UploadService {

    readonly #parts: UploaderParts;
    readonly #stop = new AbortController();

    constructor(parts: UploaderParts) {

        this.#parts = parts;
    }

    /**
     * Uploads objects. Resolves when all of them are stored.
     *
     * @throws DoipError 400 when any of them is invalid, in which case nothing was written; 409 while another upload runs; 500 when the outcome
     * cannot be told. 503 is given only before the upload is certain to be applied.
     */
    async upload(input: AsyncIterable<Segment>, request: UploadRequest): Promise<void> {

        const { blobs, catalog, limits } = this.#parts;
        checkWritable(catalog.current.design, request.caller, '');
        const plan = new UploadPlan({ catalog, limits, keepsStored: !request.deleteCurrentObjects });
        const staged = await blobs.stage(this.#lines(input, plan, request), { maxBytes: MAX_UPLOAD_BYTES, signal: request.signal });
        let jobId: number;
        try {
            if (plan.rejection) {
                throw rejectionOf(plan.rejection);
            }

            await request.currentCaller();
            jobId = await this.#start(staged, request);
        }
        catch (error) {
            await staged.discard();
            throw error;
        }

        this.#parts.jobs.wake(UPLOAD_KIND);
        // This node shall know of the upload; the job reads the epochs as well.
        await this.#parts.reader.epochs().catch(unlessUnavailable);
        await this.#ended(jobId, request.signal);
    }

    /** Ends waiting for uploads, which go on after the next start. */
    close(): void {

        this.#stop.abort();
    }

    /** Returns whether an upload is in progress on any node, or was interrupted and is not over. */
    async isRunning(): Promise<boolean> {

        return await this.#parts.settings.get(UPLOAD_SETTING) !== null;
    }

    /** Resolves when no upload is in progress. */
    async ended(): Promise<void> {

        while (await this.isRunning()) {
            await sleep(POLL_MS);
        }
    }

    /** Yields the uploaded objects as lines, each with its id; mints missing ids. */
    async *#lines(input: AsyncIterable<Segment>, plan: UploadPlan, request: UploadRequest): AsyncGenerator<Uint8Array> {

        const { catalog } = this.#parts;
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
        const lines = writable.getWriter();
        this.#parts.source.read(input, { ndjson: false }, async (items) => {

            for await (const item of items) {
                const id = item.value?.['id'] ?? '';
                const value = item.value && { ...item.value, id: id === '' ? mintId(catalog.current.prefix) : id };
                await this.#validate({ ...item, value } as BulkItem, plan, request);
                await lines.write(Buffer.from(lineOf(value ?? {})));
                item.release();
            }
        }).then((itemError) => (itemError ? lines.abort(itemError) : lines.close()), (error: unknown) => lines.abort(error)).catch(() => {
            // The consumer has stopped, for an error of its own.
        });
        yield *readable;
    }

    /** Records errors of single objects at once, before other writers are blocked. */
    async #validate({ position, value, error: itemError }: BulkItem, plan: UploadPlan, { caller }: UploadRequest): Promise<void> {

        try {
            if (itemError) {
                throw itemError;
            }

            const object = await readImported(value, this.#parts.limits, { author: authorOf(caller), now: Date.now() });
            plan.add(object, { position, offset: 0, length: 0 });
        }
        catch (error) {
            plan.addError(position, error);
        }
    }

    /** Enqueues the job; from its commit on, the upload will be applied and other writers are blocked. */
    async #start({ blobId, size, store }: BlobRef, { caller, requestContext, deleteCurrentObjects }: UploadRequest): Promise<number> {

        const { db, blobs, settings, catalogStore, jobStore } = this.#parts;
        const payload: UploadPayload = {
            blob: { blobId, size, store }, author: authorOf(caller), now: Date.now(), requestContext, deleteCurrentObjects,
            ...caller.origin ? { origin: caller.origin } : {}
        };
        const outcome = await db.commit({ steps: [
            jobStore.enqueueStep({ kind: UPLOAD_KIND, payload: payload as unknown as JsonObject }),
            ...settings.insertSteps(UPLOAD_SETTING, String(blobId), RUNNING),
            ...blobs.linkSteps({ blobId, size }),
            catalogStore.bumpStep()
        ] });
        if (!outcome.ok) {
            throw outcome.failed === RUNNING ? conflict('another upload of objects is in progress') : internal(new Error(`a unit failed at ${outcome.failed}`));
        }

        return outcome.steps[0]?.insertId ?? 0;
    }

    /** Waits for the job, which may run on any node, and goes on while the database is away: as long as the client waits. */
    async #ended(jobId: number, client: AbortSignal): Promise<void> {

        const { signal: stopped } = this.#stop;
        for (;;) {
            const job = await this.#parts.jobStore.get(jobId).catch(unlessUnavailable);
            if (job === null) {
                throw internal(new Error(`job ${jobId} is not there any more`), 'the upload has ended, but its outcome is not known any more');
            }

            if (job && job.state !== 'waiting' && job.state !== 'running') {
                throwOutcome(job.progress);
                return;
            }

            if (stopped.aborted || client.aborted && !job) {
                throw unknownOutcome(new Error('the wait for an upload was given up'));
            }

            await sleep(job ? POLL_MS : OUTAGE_POLL_MS, undefined, { signal: stopped }).catch(() => {});
        }
    }
}

/** Ignores that the database cannot be reached. */
function unlessUnavailable(error: unknown): undefined {

    if ((error as Partial<DatabaseError> | null)?.fault !== 'unavailable') {
        throw unknownOutcome(error);
    }
}

/** @throws DoipError when nothing was stored */
function throwOutcome(progress: JsonValue): void {

    const { refusal, failure, unrestored = 0 } = (progress ?? {}) as unknown as Partial<UploadProgress>;
    if (refusal) {
        throw rejectionOf(refusal);
    }

    if (failure) {
        const { position, message } = failure;
        const lost = unrestored > 0 ? `; ${unrestored} objects that were there before could not be restored: see upload.rollback-incomplete in the log` : '';
        throw internal(new Error(message), `nothing was uploaded${position === undefined ? '' : `, because of position ${position}`}: ${message}${lost}`);
    }
}
