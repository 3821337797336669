/**
 * Validates an object of an upload as a save would: content against the future types, secrets, references, lengths of elements. Code is
 * validated later, since it may depend on later objects.
 */

import type { StoredElement } from '../../model/stored-object.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { JsonObject } from '../../util/json-types.js';
import { preconditionsOf, type BulkItem } from '../batch/batch-item.js';
import { demandNoVersion, demandPreconditions } from '../../model/preconditions.js';
import type { UploadPlan } from './upload-plan.js';
import { invalidContent } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { SERVICE } from '../../model/caller.js';
import { ContentPipeline } from '../../objects/content-pipeline.js';
import { referenceErrors } from '../../types/annotations/references.js';
import { readUploaded, targetObject, type UploadedObject } from './uploaded-object.js';
import type { StagedElement } from '../../model/object-input.js';
import type { PreparedChange } from '../../model/object-draft.js';
import type { SpooledUpload, ReviewParts } from './validation-parts.js';
import { ObjectHasher } from '../../objects/hashes/object-hashes.js';

/** Validates objects. */
export class UploadObjectValidator {

    readonly #parts: ReviewParts;
    readonly #upload: SpooledUpload;
    readonly #plan: UploadPlan;
    readonly #prefix: string;
    readonly #pipeline: ContentPipeline;

    /** @param coming the future types */
    constructor(parts: ReviewParts, { upload, plan, planned }: { upload: SpooledUpload; plan: UploadPlan; planned: TypeRegistry }) {

        const { secretRemover, references, clock, limits, elements } = parts;
        const catalog = { current: planned, require: (name: string) => planned.require(name) };
        this.#parts = parts;
        this.#upload = upload;
        this.#plan = plan;
        this.#prefix = planned.prefix;
        this.#pipeline = new ContentPipeline({
            catalog, secrets: secretRemover, references, clock, limits, code: { inspect: () => null }, hasher: new ObjectHasher(catalog, elements),
            // Uploads are for administrators, who may replace the modules of objects.
            modules: { check: () => false }
        });
    }

    /** Validates an item. Errors of the object are returned, not thrown. */
    async validate(item: BulkItem): Promise<{ position: number; change: PreparedChange | null; error: unknown }> {

        const { position } = item;
        try {
            return { position, change: await this.#parts.clock.reserve(() => this.#prepared(item)), error: null };
        }
        catch (error) {
            return { position, change: null, error };
        }
    }

    async #prepared(item: BulkItem): Promise<PreparedChange> {

        const { limits, elements, loader } = this.#parts;
        const { fallback, requestContext, deleteCurrentObjects } = this.#upload;
        const measure = async (body: AsyncIterable<Uint8Array>, input: UploadedObject['input']): Promise<StagedElement> => ({
            ...await elements.measure(body, { input, requestContext }), blobId: uploadedBlob(item.position), discard: () => Promise.resolve()
        });
        const value = valueOf(item);
        const uploaded = await readUploaded(value, { limits, fallback, stage: measure });
        const { id } = uploaded.object;
        await this.#checkVersion(id, value);
        const before = deleteCurrentObjects && id !== DESIGN_ID ? null : await loader.find(id);
        this.#plan.checkId(id, this.#prefix);
        const change = await this.#pipeline.prepare({
            ...targetObject(uploaded, before), id, before, caller: SERVICE, now: fallback.now, contentTouched: true, restored: 'validated'
        });
        await this.#checkReferences(change);
        return change;
    }

    /** Other writers are blocked: the version stays what it is until the upload has ended. */
    async #checkVersion(id: string, value: JsonObject): Promise<void> {

        const preconditions = preconditionsOf(value);
        if (!preconditions.ifMatch && !preconditions.ifNoneMatch) {
            return;
        }

        const stored = await this.#parts.loader.find(id);
        if (stored) {
            demandPreconditions(stored, preconditions);
        }
        else {
            demandNoVersion(`object ${id}`, preconditions);
        }
    }

    async #checkReferences({ processed }: PreparedChange): Promise<void> {

        const references = processed?.references ?? [];
        const ids = [...new Set(references.map(({ id }) => id))];
        const uploaded = new Map(ids.flatMap((id) => {

            const line = this.#plan.lineOf(id);
            return line ? [[id, line.type] as const] : [];
        }));
        const stored = await this.#parts.store.typesOf(ids.filter((id) => !uploaded.has(id) && this.#plan.remains(id)));
        const errors = referenceErrors(references, new Map([...stored, ...uploaded]));
        if (errors.length > 0) {
            throw invalidContent(errors);
        }
    }
}

/** Returns the value of an item; throws its fault. */
export function valueOf({ value, error }: BulkItem): JsonObject {

    if (error) {
        throw error;
    }

    return value;
}

/** Placeholder blob id for bytes in the line of their object: negative, and encodes the position. */
function uploadedBlob(position: number): number {

    return -1 - position;
}

/** True for an element whose bytes are in its line. */
export function isUploaded({ blobId }: StoredElement): boolean {

    return blobId < 0;
}

/** The position of that line. */
export function positionOf({ blobId }: StoredElement): number {

    return -1 - blobId;
}
