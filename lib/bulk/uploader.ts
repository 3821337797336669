/**
 * Uploads of all objects: everything that comes is kept first and looked at, then a job of the database applies it, which goes on
 * where it stopped whatever happens to a process. Meanwhile nobody else writes. See `upload-gate.ts`.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/database.js';
import type { Segment } from '../doip/envelope.js';
import type { JsonObject } from '../doip/json.js';
import type { JobRunner } from '../jobs/runner.js';
import type { FieldLimits } from '../objects/field-rules.js';
import type { BlobRef, BlobStore } from '../stores/blob-store.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import type { JobStore } from '../stores/job-store.js';
import type { ObjectStore } from '../stores/object-store.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { Catalog } from '../types/catalog.js';
import type { Caller } from '../identity/caller.js';
import type { ReviewParts } from './upload-review.js';
import type { BulkItem } from './bulk-item.js';
import type { ItemSource } from './item-source.js';
import { conflict, internal } from '../doip/error.js';
import { DESIGN_ID } from '../doip/handle.js';
import { isJsonObject } from '../doip/json.js';
import { authorOf } from '../objects/write-context.js';
import { checkWritable } from '../objects/write-rules.js';
import { mintId } from '../objects/id-minter.js';
import { UPLOAD_SETTING } from '../stores/setting-store.js';
import { lineOf } from './export-format.js';
import { readImported } from './import-object.js';
import { UPLOAD_KIND, type UploadPayload } from './upload-job.js';
import { UploadPlan } from './upload-plan.js';

/** Who uploads, and how. */
export interface UploadWish {
    readonly caller: Caller;
    readonly requestContext: JsonObject;
    /** Removes all objects but the design first. */
    readonly deleteCurrentObjects: boolean;
    /** Ends the reading when the peer goes away. */
    readonly signal: AbortSignal;
}

/** Bytes of one upload. */
const MAX_BYTES = 1024 ** 4;

/** Milliseconds between two looks at the job. */
const LOOK_MS = 50;

const RUNNING = 'upload:running';

interface UploaderParts {
    readonly db: Database;
    readonly blobs: BlobStore;
    readonly catalog: Catalog;
    readonly catalogStore: CatalogStore;
    readonly settings: SettingStore;
    readonly objects: ObjectStore;
    readonly jobs: JobRunner;
    readonly jobStore: JobStore;
    readonly source: ItemSource;
    readonly limits: FieldLimits;
    readonly review: ReviewParts;
}

/** Takes uploads. */
export class Uploader {

    readonly #parts: UploaderParts;

    constructor(parts: UploaderParts) {

        this.#parts = parts;
    }

    /**
     * Uploads objects. Resolves when all of them are stored.
     *
     * @throws DoipError 400 for anything that is wrong with any of them: then nothing was written; 409 while another upload runs
     */
    async upload(input: AsyncIterable<Segment>, wish: UploadWish): Promise<void> {

        const { blobs, catalog, limits, objects, review } = this.#parts;
        checkWritable(catalog.current.design, wish.caller, '');
        const plan = new UploadPlan({ catalog, limits, objects, review, keepsOthers: !wish.deleteCurrentObjects });
        const staged = await blobs.stage(this.#lines(input, plan, wish), { maxBytes: MAX_BYTES, signal: wish.signal });
        let jobId: number;
        try {
            plan.check();
            await this.#validate(staged, plan, wish);
            plan.check();
            jobId = await this.#begin(staged, wish);
        }
        catch (error) {
            await staged.discard();
            throw error;
        }

        await this.#ended(jobId);
    }

    /** What was uploaded, one line for each object, with its id. */
    async *#lines(input: AsyncIterable<Segment>, plan: UploadPlan, wish: UploadWish): AsyncGenerator<Uint8Array> {

        const { catalog } = this.#parts;
        const lines = new Handoff<Uint8Array>();
        const reading = this.#parts.source.read(input, false, async (items) => {

            for await (const item of items) {
                const value = item.value && { ...item.value, id: item.value['id'] ?? mintId(catalog.current.prefix) };
                await this.#judge({ ...item, value } as BulkItem, plan, wish, (object) => Promise.resolve(plan.add(object)));
                await lines.put(Buffer.from(lineOf(value ?? {})));
            }
        }).then((fault) => lines.end(fault), (error: Error) => lines.end(error));
        yield *lines.taken();
        await reading;
    }

    async #validate(staged: BlobRef, plan: UploadPlan, wish: UploadWish): Promise<void> {

        for await (const item of this.#parts.source.items(this.#parts.blobs.open(staged), true)) {
            await this.#judge(item, plan, wish, (object) => plan.validate(object));
        }
    }

    async #judge(
        { position, value, fault }: BulkItem, plan: UploadPlan, { caller }: UploadWish,
        look: (object: Awaited<ReturnType<typeof readImported>>) => Promise<void>
    ): Promise<void> {

        try {
            if (fault) {
                throw fault;
            }

            await look(await readImported(value, this.#parts.limits, { author: authorOf(caller), now: Date.now() }));
        }
        catch (error) {
            plan.fault(position, error);
        }
    }

    /** From this moment on it will be applied, and nobody else writes. */
    async #begin({ blobId, size, store }: BlobRef, { caller, requestContext, deleteCurrentObjects }: UploadWish): Promise<number> {

        const { db, blobs, settings, catalogStore, catalog, objects, jobs, jobStore } = this.#parts;
        const payload: UploadPayload = { blob: { blobId, size, store }, author: authorOf(caller), requestContext, deleteCurrentObjects };
        const outcome = await db.commit({ steps: [
            jobStore.enqueueStep({ kind: UPLOAD_KIND, payload: payload as unknown as JsonObject }),
            ...settings.insertSteps(UPLOAD_SETTING, String(blobId), RUNNING),
            ...blobs.linkSteps({ blobId, size }),
            catalogStore.bumpStep()
        ] });
        if (!outcome.ok) {
            throw outcome.failed === RUNNING ? conflict('another upload of objects is in progress') : internal(new Error(`a unit failed at ${outcome.failed}`));
        }

        await catalog.ensure((await objects.view(DESIGN_ID)).epochs.types);
        jobs.wake(UPLOAD_KIND);
        return outcome.steps[0]?.insertId ?? 0;
    }

    /** Waits for the job, whichever node does it. */
    async #ended(jobId: number): Promise<void> {

        for (;;) {
            const job = await this.#parts.jobStore.get(jobId);
            if (job?.state !== 'waiting' && job?.state !== 'running') {
                const failed = isJsonObject(job?.progress) ? job.progress['failed'] : undefined;
                if (Array.isArray(failed) && failed.length > 0) {
                    throw internal(new Error('objects of an upload could not be stored'), `${failed.length} objects could not be stored: ${JSON.stringify(failed.slice(0, 10))}`);
                }

                return;
            }

            await sleep(LOOK_MS);
        }
    }
}

/** Hands things from one who gives to one who takes, one at a time. */
class Handoff<T> {

    #waiting: { value: T; taken: () => void } | null = null;
    #wake: (() => void) | null = null;
    #isOver = false;
    /** Nobody takes any more; what is put is forgotten. */
    #isClosed = false;
    #error: Error | null = null;

    put(value: T): Promise<void> {

        return this.#isClosed ? Promise.resolve() : new Promise((taken) => {

            this.#waiting = { value, taken };
            this.#wake?.();
        });
    }

    end(error: Error | null): void {

        this.#isOver = true;
        this.#error = error;
        this.#wake?.();
    }

    async *taken(): AsyncGenerator<T> {

        try {
            while (this.#waiting || !this.#isOver) {
                if (this.#waiting) {
                    const { value, taken } = this.#waiting;
                    this.#waiting = null;
                    yield value;
                    taken();
                }
                else {
                    await new Promise<void>((resolve) => {

                        this.#wake = resolve;
                    });
                }
            }
        }
        finally {
            this.#isClosed = true;
            this.#waiting?.taken();
        }

        if (this.#error) {
            throw this.#error;
        }
    }
}
