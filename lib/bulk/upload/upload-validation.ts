/**
 * Validates an upload before anything of it is written, while other writers are blocked: syntax, types in any order, content, secrets,
 * references, names, code, and the hooks for indexing, each by the code that a save uses. The job writes the validated results, so that its
 * writes cannot be rejected for these reasons.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../util/json-types.js';
import type { BlobRef, StagedBlob } from '../../stores/blobs/blob-store.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { BulkItem } from '../batch/batch-item.js';
import { readImported } from '../format/import-object.js';
import type { PlannedLine, UploadRejection } from './upload-plan.js';
import { isTemporary } from '../../errors/errors.js';
import { lineOf } from '../format/export-format.js';
import { DraftFile, draftOf, objectOf } from './draft-file.js';
import { inOrder } from '../format/dependency-order.js';
import { CodeGate } from '../code-gate.js';
import { UploadCode } from './code-validation.js';
import { UploadObjectValidator, valueOf } from './object-validation.js';
import { UploadNames } from './unique-names.js';
import { UploadPlan } from './upload-plan.js';
import type { ReviewParts, SpooledUpload } from './validation-parts.js';
import { MAX_UPLOAD_BYTES } from './upload-progress.js';

/** Maximum number of objects validated concurrently. */
const WIDTH = 16;

/** Number of lines between yields to the event loop. */
const LINES_PER_BATCH = 32;

/** Outcome: one line of `ReviewedObject` per object of the upload, or the errors. */
export type ReviewOutcome = { readonly reviewed: StagedBlob; readonly renamed: readonly string[] } | { readonly refusal: UploadRejection };

/** Validates one upload. */
export class UploadReview {

    readonly #parts: ReviewParts;
    readonly #upload: SpooledUpload;
    readonly #plan: UploadPlan;

    constructor(parts: ReviewParts, upload: SpooledUpload) {

        this.#parts = parts;
        this.#upload = upload;
        this.#plan = new UploadPlan({ catalog: parts.catalog, limits: parts.limits, keepsStored: !upload.deleteCurrentObjects });
    }

    /** Validates the upload. Throws only errors unrelated to the upload itself. */
    async run(): Promise<ReviewOutcome> {

        const file = await this.#parts.folder.create();
        try {
            return await this.#run(new DraftFile(file));
        }
        finally {
            await file.remove();
        }
    }

    /** Each pass covers all objects, and runs only if the passes before found no error: consequential errors are not reported. */
    async #run(file: DraftFile): Promise<ReviewOutcome> {

        await this.#collect();
        const types = this.#plan.planned();
        const code = new UploadCode(this.#parts, { upload: this.#upload, plan: this.#plan, types, file });
        if (!this.#plan.rejection) {
            await this.#validateAll(types, file, code);
        }

        if (!this.#plan.rejection) {
            await this.#inspect(code);
        }

        if (this.#plan.rejection) {
            return { refusal: this.#plan.rejection };
        }

        const reviewed = await this.#stage(code, file);
        const { rejection: refusal } = this.#plan;
        if (refusal) {
            await reviewed.discard();
            return { refusal };
        }

        return { reviewed, renamed: this.#plan.renamed() };
    }

    /** Collects the objects and their positions. */
    async #collect(): Promise<void> {

        const { limits } = this.#parts;
        const { fallback, blob } = this.#upload;
        let offset = 0;
        for await (const item of this.#items(blob)) {
            const { position, bytes } = item;
            await this.#attempt(position, async () => {

                this.#plan.add(await readImported(valueOf(item), limits, fallback), { position, offset, length: bytes });
            });
            offset += bytes + 1;
        }
    }

    /** Validates everything except code, which may depend on later objects. */
    async #validateAll(planned: TypeRegistry, file: DraftFile, code: UploadCode): Promise<void> {

        const validator = new UploadObjectValidator(this.#parts, { upload: this.#upload, plan: this.#plan, planned });
        const names = new UploadNames(this.#parts.directory, !this.#upload.deleteCurrentObjects);
        for await (const { position, change, error } of inOrder(this.#items(this.#upload.blob), WIDTH, (item) => validator.validate(item))) {
            await this.#attempt(position, async () => {

                if (!change) {
                    throw error;
                }

                if (change.processed && !change.after.metadata.isVersion) {
                    await names.add(change.after.id, change.processed.roles);
                }
            });
            const isRight = change !== null && !this.#plan.isInvalid(position);
            await file.add(isRight ? lineOf(draftOf(change)) : '');
            if (isRight) {
                code.add(change);
            }
        }

        await file.flush();
    }

    /** Compiles all code before any of it runs, so that a syntax error is reported for the object that contains it. */
    async #inspect(code: UploadCode): Promise<void> {

        for await (const line of this.#lines()) {
            if (code.isIn(line)) {
                await this.#attempt(line.position, () => code.inspect(line));
            }
        }
    }

    /** Runs the hooks for indexing, and writes the validated objects to a blob. */
    #stage(code: UploadCode, file: DraftFile): Promise<StagedBlob> {

        const gate = new CodeGate();
        const withForm = async ({ type, position }: PlannedLine): Promise<Uint8Array> => {

            const line = await file.line(position);
            if (!code.makesForms(type)) {
                return line;                                // It was stopped while this one waited
            }

            const object = objectOf(line);
            const indexForm = await code.formOf(object);
            return indexForm === undefined ? line : Buffer.from(lineOf({ ...object, indexForm } as unknown as JsonObject));
        };

        const finish = (line: PlannedLine): Promise<Uint8Array> => (code.makesForms(line.type) ? gate.run(() => withForm(line)) : file.line(line.position));

        return this.#parts.blobs.stage(this.#finished(finish), { maxBytes: MAX_UPLOAD_BYTES, signal: this.#upload.signal });
    }

    async *#finished(finish: (line: PlannedLine) => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {

        for await (const line of inOrder(this.#lines(), WIDTH, (planned) => this.#attempt(planned.position, () => finish(planned)))) {
            if (line) {
                yield line;
            }
        }
    }

    async *#lines(): AsyncGenerator<PlannedLine> {

        for (const line of this.#plan.lines) {
            yield line;
            await this.#yieldAt(line.position);
        }
    }

    async *#items(blob: BlobRef): AsyncGenerator<BulkItem> {

        const { blobs, source } = this.#parts;
        for await (const item of source.items(blobs.open(blob), true)) {
            yield item;
            await this.#yieldAt(item.position);
        }
    }

    async #yieldAt(position: number): Promise<void> {

        this.#upload.signal.throwIfAborted();
        if (position % LINES_PER_BATCH === LINES_PER_BATCH - 1) {
            await nextTurn();
        }
    }

    /** Records an error of an object, and returns null then; rethrows temporary ones, which say nothing about it, unless the upload is rejected anyway. */
    async #attempt<T>(position: number, work: () => Promise<T>): Promise<T | null> {

        try {
            return await work();
        }
        catch (error) {
            if (!isTemporary(error)) {
                this.#plan.addError(position, error);
            }
            else if (!this.#plan.isRejected) {
                throw error;
            }

            return null;
        }
    }
}
