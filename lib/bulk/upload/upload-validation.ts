/**
 * Tries everything that an upload brings, before anything of it is written and while nobody else writes: reading, types in whatever
 * order, content, secrets, references, names, code, and the code for indexing, each by what does it when an object is saved. What comes
 * of it is kept, and is what the job writes, so that nothing is left that could refuse then.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../util/json-types.js';
import type { BlobRef, StagedBlob } from '../../stores/blobs/blob-store.js';
import type { TypeRegistry } from '../../types/type-registry.js';
import type { BulkItem } from '../batch/batch-item.js';
import { readImported } from '../format/import-object.js';
import type { PlannedLine, Refusal } from './upload-plan.js';
import { DoipError } from '../../errors/errors.js';
import { lineOf } from '../format/export-format.js';
import { DraftFile, draftOf, objectOf } from './draft-file.js';
import { inOrder } from '../format/dependency-order.js';
import { UploadCode } from './code-validation.js';
import { UploadJudge, valueOf } from './object-validation.js';
import { UploadNames } from './unique-names.js';
import { UploadPlan } from './upload-plan.js';
import type { ReviewParts, SpooledUpload } from './validation-parts.js';

/** Objects that are looked at at a time. */
const WIDTH = 16;

/** Objects whose code runs at a time: of more the last would wait for longer than a call may, where each takes long. */
const CODE_WIDTH = 2;

/** Lines after which others get a turn. */
const LINES_PER_BATCH = 32;

/** HTTP codes of what says nothing about an object: it is tried again. */
const PASSING: readonly (number | undefined)[] = [429, 503];

const MAX_BYTES = 1024 ** 4;

/** What came of it: lines of `ReviewedObject`, one for each line of the upload, or why nothing is written. */
export type ReviewOutcome = { readonly reviewed: StagedBlob; readonly renamed: readonly string[] } | { readonly refusal: Refusal };

/** Reviews one upload. */
export class UploadReview {

    readonly #parts: ReviewParts;
    readonly #upload: SpooledUpload;
    readonly #plan: UploadPlan;

    constructor(parts: ReviewParts, upload: SpooledUpload) {

        this.#parts = parts;
        this.#upload = upload;
        this.#plan = new UploadPlan({ catalog: parts.catalog, limits: parts.limits, keepsOthers: !upload.deleteCurrentObjects });
    }

    /** Reviews all of it. What it throws says nothing about the upload. */
    async run(): Promise<ReviewOutcome> {

        const file = await this.#parts.folder.create();
        try {
            return await this.#run(new DraftFile(file));
        }
        finally {
            await file.remove();
        }
    }

    /** Each look is at the whole, and only when nothing was wrong before: what follows from a fault is not told as another one. */
    async #run(file: DraftFile): Promise<ReviewOutcome> {

        await this.#collect();
        const types = this.#plan.coming();
        const code = new UploadCode(this.#parts, { upload: this.#upload, plan: this.#plan, types, file });
        if (!this.#plan.refusal) {
            await this.#judgeAll(types, file, code);
        }

        if (!this.#plan.refusal) {
            await this.#inspect(code);
        }

        if (this.#plan.refusal) {
            return { refusal: this.#plan.refusal };
        }

        const reviewed = await this.#keep(code, file);
        const { refusal } = this.#plan;
        if (refusal) {
            await reviewed.discard();
            return { refusal };
        }

        return { reviewed, renamed: this.#plan.renamed() };
    }

    /** Which objects there are, and where. */
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

    /** Everything but code, which may need what comes later. */
    async #judgeAll(coming: TypeRegistry, file: DraftFile, code: UploadCode): Promise<void> {

        const judge = new UploadJudge(this.#parts, { upload: this.#upload, plan: this.#plan, coming });
        const names = new UploadNames(this.#parts.directory, !this.#upload.deleteCurrentObjects);
        for await (const { position, change, error } of inOrder(this.#items(this.#upload.blob), WIDTH, (item) => judge.judge(item))) {
            await this.#attempt(position, async () => {

                if (!change) {
                    throw error;
                }

                if (change.processed && !change.after.metadata.isVersion) {
                    await names.add(change.after.id, change.processed.roles);
                }
            });
            const isRight = change !== null && !this.#plan.isWrong(position);
            await file.add(isRight ? lineOf(draftOf(change)) : '');
            if (isRight) {
                code.note(change);
            }
        }

        await file.flush();
    }

    /** Looks at all code before any of it runs: what cannot be compiled is the fault of the object that brings it. */
    async #inspect(code: UploadCode): Promise<void> {

        for await (const line of this.#lines()) {
            if (code.isIn(line)) {
                await this.#attempt(line.position, () => code.inspect(line));
            }
        }
    }

    /** Makes the forms for the index, and keeps what is to be written. */
    #keep(code: UploadCode, file: DraftFile): Promise<StagedBlob> {

        const finish = async ({ type, position }: PlannedLine): Promise<Uint8Array> => {

            const line = await file.line(position);
            if (!code.makesForms(type)) {
                return line;
            }

            const object = objectOf(line);
            const indexForm = await code.formOf(object);
            return indexForm === undefined ? line : Buffer.from(lineOf({ ...object, indexForm } as unknown as JsonObject));
        };

        return this.#parts.blobs.stage(this.#finished(finish), { maxBytes: MAX_BYTES, signal: this.#upload.signal });
    }

    async *#finished(finish: (line: PlannedLine) => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {

        const attempt = async (line: PlannedLine): Promise<Uint8Array | null> => {

            let finished: Uint8Array | null = null;
            await this.#attempt(line.position, async () => {

                finished = await finish(line);
            });
            return finished;
        };

        for await (const line of inOrder(this.#lines(), CODE_WIDTH, attempt)) {
            if (line) {
                yield line;
            }
        }
    }

    async *#lines(): AsyncGenerator<PlannedLine> {

        for (const line of this.#plan.lines) {
            yield line;
            await this.#turn(line.position);
        }
    }

    async *#items(blob: BlobRef): AsyncGenerator<BulkItem> {

        const { blobs, source } = this.#parts;
        for await (const item of source.items(blobs.open(blob), true)) {
            yield item;
            await this.#turn(item.position);
        }
    }

    async #turn(position: number): Promise<void> {

        this.#upload.signal.throwIfAborted();
        if (position % LINES_PER_BATCH === LINES_PER_BATCH - 1) {
            await nextTurn();
        }
    }

    /** Notes why work on an object was refused; a failure of anything else is thrown, as long as another attempt may go well. */
    async #attempt(position: number, work: () => Promise<void>): Promise<void> {

        try {
            await work();
        }
        catch (error) {
            const isPassing = error instanceof DoipError && PASSING.includes(error.http);
            if (isPassing && !this.#plan.isRefused) {
                throw error;
            }

            if (!isPassing) {
                this.#plan.fault(position, error);
            }
        }
    }
}
