/**
 * Applies an upload that was kept and looked at: deletes what is to be deleted, then stores design and types, then all other
 * objects. It notes how far it is; interrupted it goes on from there, and what it does a second time changes nothing.
 */

import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../db/database.js';
import type { Log } from '../../db/log.js';
import type { JsonObject, JsonValue } from '../doip/json.js';
import type { Caller } from '../identity/caller.js';
import type { JobKind, RunningJob } from '../jobs/job-kind.js';
import type { ElementService } from '../objects/element-service.js';
import type { FieldLimits } from '../objects/field-rules.js';
import type { ObjectRestorer, RestoredObject } from '../objects/object-restorer.js';
import type { StoredObject } from '../objects/stored-object.js';
import type { BlobRef, BlobStore } from '../stores/blob-store.js';
import type { CatalogStore } from '../stores/catalog-store.js';
import { OBJECTS_AT_ONCE, type ObjectScan } from '../stores/object-scan.js';
import type { SettingStore } from '../stores/setting-store.js';
import type { BulkItem } from './bulk-item.js';
import type { BulkService } from './bulk-service.js';
import { DESIGN_ID } from '../doip/handle.js';
import { isJsonObject } from '../doip/json.js';
import { ADMIN_ID } from '../identity/caller.js';
import { readObjectInput, storing, type ObjectInput } from '../objects/object-input.js';
import { applyElements } from '../objects/update-wish.js';
import { UPLOAD_SETTING } from '../stores/setting-store.js';
import { SCHEMA_TYPE } from '../types/built-in-types.js';
import { itemSegments } from './bulk-item.js';
import { readImported } from './import-object.js';
import type { UploadGate } from './upload-gate.js';

export const UPLOAD_KIND = 'objects.upload';

/** What the job is given. */
export interface UploadPayload {
    readonly blob: BlobRef;
    readonly author: string;
    readonly requestContext?: JsonObject;
    readonly deleteCurrentObjects: boolean;
}

interface Progress {
    readonly phase: 'delete' | 'types' | 'others' | 'sweep' | 'done';
    /** Of the next item. */
    readonly position: number;
    readonly failed: JsonValue[];
}

/** Items between two notes of how far it is. */
const NOTED_EVERY = 2000;
const LEASE_MS = 10_000;
const PAUSE_MS = 1000;

const AUTHOR: Caller = { userId: ADMIN_ID, username: ADMIN_ID, groupIds: [], isAdmin: true, isAuthenticated: true, method: 'internal' };

export interface UploadJobParts {
    readonly db: Database;
    readonly blobs: BlobStore;
    readonly bulk: BulkService;
    readonly catalogStore: CatalogStore;
    readonly settings: SettingStore;
    readonly objects: ObjectScan;
    readonly gate: UploadGate;
    /** Makes sure that the design and the types are those of now. */
    readonly refresh: () => Promise<unknown>;
    readonly elements: ElementService;
    readonly restorer: ObjectRestorer;
    readonly limits: FieldLimits;
    readonly log: Log;
}

/** The job that applies uploads. It never gives up: what was begun is brought to its end. */
export function uploadJob(parts: UploadJobParts): JobKind {

    return {
        kind: UPLOAD_KIND, leaseMs: LEASE_MS, maxAttempts: Infinity, backOff: () => PAUSE_MS,
        run: (job) => new UploadRun(parts, job).run()
    };
}

class UploadRun {

    readonly #parts: UploadJobParts;
    readonly #job: RunningJob;
    readonly #payload: UploadPayload;
    #progress: Progress;
    /** What the storage failed with. */
    #fault: Error | null = null;

    constructor(parts: UploadJobParts, job: RunningJob) {

        this.#parts = parts;
        this.#job = job;
        this.#payload = job.payload as unknown as UploadPayload;
        this.#progress = (job.progress ?? { phase: this.#payload.deleteCurrentObjects ? 'delete' : 'types', position: 0, failed: [] }) as unknown as Progress;
    }

    async run(): Promise<void> {

        // Whoever was let in before nobody was any more has written then.
        await this.#parts.refresh();
        await this.#parts.gate.drained();
        if (this.#progress.phase === 'delete') {
            await this.#deleteAll();
            await this.#note({ phase: 'types', position: 0 });
        }

        for (const [phase, next] of [['types', 'others'], ['others', 'sweep']] as const) {
            if (this.#progress.phase === phase) {
                await this.#apply(phase);
                await this.#note({ phase: next, position: 0 });
            }
        }

        if (this.#payload.deleteCurrentObjects) {
            await this.#sweep();
        }

        const { db, blobs, catalogStore, settings } = this.#parts;
        const { blobId } = this.#payload.blob;
        await db.commit({ steps: [
            ...blobs.unlinkSteps(blobId, Date.now()), ...settings.removeSteps(UPLOAD_SETTING, String(blobId)), catalogStore.bumpStep()
        ] });
    }

    async #note(progress: Pick<Progress, 'phase' | 'position'>): Promise<void> {

        this.#progress = { ...this.#progress, ...progress };
        await this.#job.report(this.#progress as unknown as JsonObject);
    }

    async #deleteAll(): Promise<void> {

        let left: boolean;
        do {
            left = false;
            for (let page = await this.#parts.objects.after(''); page.length > 0; page = await this.#parts.objects.after(page.at(-1)?.id ?? '')) {
                this.#job.signal.throwIfAborted();
                const gone = await Promise.all(page.filter(({ id }) => id !== DESIGN_ID).map((object) => this.#parts.restorer.remove(object, AUTHOR)));
                left ||= gone.includes(false);
            }
        }
        while (left);
    }

    /** Removes what a writer on another node, who was let in before, has written after the deletion. */
    async #sweep(): Promise<void> {

        const { bulk, blobs, objects } = this.#parts;
        const uploaded = new Set<unknown>([DESIGN_ID]);
        for await (const { value } of bulk.source.items(blobs.open(this.#payload.blob), true)) {
            uploaded.add(value?.['id']);
        }

        for (let ids = await objects.idsAfter(''); ids.length > 0; ids = await objects.idsAfter(ids.at(-1) ?? '')) {
            this.#job.signal.throwIfAborted();
            const late = ids.filter((id) => !uploaded.has(id));
            for (let start = 0; start < late.length; start += OBJECTS_AT_ONCE) {
                const found = await objects.byIds(late.slice(start, start + OBJECTS_AT_ONCE));
                await Promise.all(found.map((object) => this.#parts.restorer.remove(object, AUTHOR)));
            }

            // On SQLite nothing of this waits for anything else.
            await setImmediate();
        }
    }

    /** Applies the objects of a phase from the noted position on, many at a time. */
    async #apply(phase: 'types' | 'others'): Promise<void> {

        const { bulk, blobs, log } = this.#parts;
        const { results } = await bulk.run({ parallel: phase === 'others', failFast: false, log }, async (batch) => {

            for await (const item of bulk.source.items(blobs.open(this.#payload.blob), true)) {
                this.#job.signal.throwIfAborted();
                this.#checkStorage();
                if (item.position >= this.#progress.position && item.value && isOf(phase, item.value)) {
                    const { value } = item;
                    await batch.take({ position: item.position, bytes: item.bytes, work: () => this.#stored(value) });
                }

                if (item.position % NOTED_EVERY === NOTED_EVERY - 1) {
                    await batch.settled();
                    this.#checkStorage();
                    await this.#note({ phase, position: item.position + 1 });
                }
            }

            await batch.settled();
            this.#checkStorage();
            return null;
        });
        for await (const block of results.blocks()) {
            const failed = block.map((text) => JSON.parse(text) as JsonValue);
            log.error({ failed }, 'objects of an upload could not be stored');
            this.#progress = { ...this.#progress, failed: [...this.#progress.failed, ...failed].slice(0, 100) };
        }
    }

    /** What was refused stays out; a fault of the storage ends the run, which begins again when there may be a storage. */
    async #stored(value: JsonObject): Promise<undefined> {

        try {
            return await this.#store(value);
        }
        catch (error) {
            if (this.#parts.bulk.explain(error)) {
                this.#fault ??= error as Error;
            }

            throw error;
        }
    }

    #checkStorage(): void {

        if (this.#fault) {
            throw this.#fault;
        }
    }

    async #store(value: JsonObject): Promise<undefined> {

        const { elements, limits, restorer } = this.#parts;
        const { author, requestContext = {} } = this.#payload;
        const object = await readImported(value, limits, { author, now: Date.now() });
        const input = await readObjectInput(itemSegments(value), {
            limits, beforeBytes: () => {},
            stage: (body, known) => elements.stage(body, { input: known, requestContext, signal: this.#job.signal })
        });
        const hasMetadata = metadataIn(value);
        const make = (before: StoredObject | null): RestoredObject => wanted(object, { before, input, hasMetadata });
        await storing(input, false, () => restorer.restore(object.id, make, AUTHOR));
    }
}

/** Hashes are computed: what is generated may not have been in what was sent. */
function wanted(
    { id, type, content, metadata: { hashes, ...metadata } }: Awaited<ReturnType<typeof readImported>>,
    { before, input, hasMetadata }: { before: StoredObject | null; input: ObjectInput; hasMetadata: boolean }
): RestoredObject {

    const kept = before && !hasMetadata ? { createdOn: before.metadata.createdOn, createdBy: before.metadata.createdBy } : {};
    return {
        type, content,
        acl: input.acl ?? before?.acl ?? null,
        userMetadata: input.userMetadata ?? before?.userMetadata ?? null,
        elements: applyElements(before ?? { id, elements: [] }, { input }),
        metadata: { ...metadata, ...kept },
        validated: true,
        steps: () => []
    };
}

function metadataIn({ attributes, metadata }: JsonObject): boolean {

    return metadata !== undefined || isJsonObject(attributes) && attributes['metadata'] !== undefined;
}

function isOf(phase: 'types' | 'others', { id, type }: NonNullable<BulkItem['value']>): boolean {

    return (id === DESIGN_ID || type === SCHEMA_TYPE) === (phase === 'types');
}
