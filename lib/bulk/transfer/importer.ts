/**
 * Imports exports (`export-format.ts`). Objects keep their ids, metadata and secrets. Objects that already exist unchanged are skipped, so
 * that an interrupted import can simply be repeated. An object of which the export has damaged elements is stored without them, or with those that it
 * has here, and reported.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import type { SecretTransfer } from '../../identity/secrets/secret-transfer.js';
import type { ElementService } from '../../objects/elements/element-service.js';
import type { FieldLimits } from '../../objects/input/field-validation.js';
import type { Lifecycle } from '../../objects/hooks/lifecycle.js';
import type { ObjectRestorer, RestoreOutcome } from '../upload/object-restorer.js';
import type { StoredElement } from '../../model/stored-object.js';
import type { Batch } from '../batch/batch-runner.js';
import type { BulkItem } from '../batch/batch-item.js';
import type { ImportedElement, ImportedObject } from '../format/import-object.js';
import { badRequest, conflict, DoipError, internal } from '../../errors/errors.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { bytesSegment } from '../../doip/segments.js';
import { authorOf } from '../../model/write-context.js';
import { SCHEMA_TYPE } from '../../types/built-in-types.js';
import { decodeBase64 } from '../batch/batch-item.js';
import { EXPORT_VERSION, isHeader, isTrailer, chunkOf, damageOf } from '../format/export-format.js';
import { readImported } from '../format/import-object.js';
import type { StagedElement } from '../../model/object-input.js';
import type { Reading } from '../../objects/read/object-resolution.js';

/** Caller and cancellation of an import. */
export interface ImportContext extends Reading {
    readonly signal: AbortSignal;
    /** Whether objects are replaced that were changed here after those of the import. */
    readonly replacesNewer: boolean;
    /** @throws DoipError 401 when the credentials have ended meanwhile, as the input may arrive for hours */
    readonly currentCaller: () => Promise<unknown>;
}

/** The last time that can be written as a date, in epoch ms. */
const MAX_TIME = 8.64e15;

/** Number of objects by outcome; rejected ones are in the results. */
export interface ImportCounts {
    created: number;
    updated: number;
    /** Already existed. */
    unchanged: number;
}

/** Elements of an object that are in lines of their own. */
interface OwnLines {
    readonly staged: Map<string, StagedElement>;
    /** Names of those that are damaged in the export. */
    readonly damaged: ReadonlySet<string>;
}

/** Imports objects. */
export class Importer {

    readonly #restorer: ObjectRestorer;
    readonly #elements: ElementService;
    readonly #secrets: SecretTransfer;
    readonly #limits: FieldLimits;
    readonly #lifecycle: Pick<Lifecycle, 'has'>;

    constructor(parts: {
        restorer: ObjectRestorer; elements: ElementService; secrets: SecretTransfer; limits: FieldLimits; lifecycle: Pick<Lifecycle, 'has'>;
    }) {

        this.#restorer = parts.restorer;
        this.#elements = parts.elements;
        this.#secrets = parts.secrets;
        this.#limits = parts.limits;
        this.#lifecycle = parts.lifecycle;
    }

    /**
     * Adds the objects of some lines to a batch.
     *
     * @param counts updated as objects are stored
     * @throws DoipError 400 when there are no lines, and for an incomplete export or one of another version
     */
    async run(items: AsyncIterable<BulkItem>, batch: Batch, context: ImportContext, counts: ImportCounts): Promise<void> {

        const lines = new PeekableItems(items);
        let isExport = false;
        let objects = 0;
        if (await lines.peek() === null) {
            throw badRequest('nothing to import: expected an export, or objects as lines of JSON');
        }

        for (let item = await lines.next(); item; item = await lines.next()) {
            if (item.error) {
                // The line may or may not have been an object, so the total is unknown.
                objects = NaN;
                await this.#reject(batch, item, item.error);
            }
            else if (isHeader(item.value)) {
                if (isExport) {
                    await this.#reject(batch, item, badRequest('the export before this line is not complete: its last line is missing'));
                }

                isExport = true;
                objects = 0;
                item.release();
                if (item.value['export'] !== EXPORT_VERSION) {
                    throw badRequest(`an export of version ${JSON.stringify(item.value['export'])} cannot be read here, only version ${EXPORT_VERSION}`);
                }
            }
            else if (isTrailer(item.value)) {
                item.release();
                checkCount(item.value, objects);
                // Another export may follow.
                isExport = false;
                objects = 0;
            }
            else {
                objects += 1;
                await this.#add(item, { lines, batch, context, counts });
            }
        }

        if (isExport) {
            throw badRequest('the export is not complete: its last line is missing');
        }
    }

    async #add(
        item: BulkItem & { error?: undefined }, { lines, batch, context, counts }:
        { lines: PeekableItems; batch: Batch; context: ImportContext; counts: ImportCounts }
    ): Promise<void> {

        const { position, bytes, release, value } = item;
        try {
            const object = await readImported(value, this.#limits, { author: authorOf(context.caller), now: Date.now() });
            const hasChunks = object.elements.some(({ base64 }) => base64 === undefined);
            if (hasChunks && await this.#exists(object)) {
                counts.unchanged += 1;
                release();
                return;
            }

            const ownLines = hasChunks ? await this.#stageChunks(object, lines, context) : null;
            const isFoundation = object.type === SCHEMA_TYPE || object.id === DESIGN_ID;
            const runsCode = this.#lifecycle.has(object.type, 'objectForIndexing');
            await batch.add({ position, bytes, release, id: object.id, runsCode, work: async () => {

                await context.currentCaller();
                return await this.#restore(object, ownLines, context, counts);
            } });
            if (isFoundation) {
                // Later objects may be of this type.
                await batch.drain();
            }
        }
        catch (error) {
            await this.#reject(batch, item, error);
        }
        finally {
            await skipChunks(lines);
        }
    }

    async #reject(batch: Batch, { position, bytes, release, value }: BulkItem, error: unknown): Promise<void> {

        await batch.add({ position, bytes, release, work: async () => naming(value?.['id'], error) });
    }

    #exists({ input, ...object }: ImportedObject, elements = object.elements): Promise<boolean> {

        return this.#restorer.exists({
            ...object,
            acl: input.acl ?? null,
            userMetadata: input.userMetadata ?? null,
            elements: elements.map((element) => ({ ...describe(input.elements.get(element.name)), name: element.name, size: element.length }))
        });
    }

    /** Stages the bytes that follow the line of an object. */
    async #stageChunks(object: ImportedObject, lines: PeekableItems, context: ImportContext): Promise<OwnLines> {

        const staged = new Map<string, StagedElement>();
        const damaged = new Set<string>();
        try {
            for (const element of object.elements) {
                const bytes = element.base64 === undefined ? await this.#stageLines(object, element, lines, context) : undefined;
                if (bytes) {
                    staged.set(element.name, bytes);
                }
                else if (bytes === null) {
                    damaged.add(element.name);
                }
            }

            return { staged, damaged };
        }
        catch (error) {
            await discard(staged);
            throw error;
        }
    }

    /** Stages the bytes of an element; null when its lines say that they are damaged. */
    async #stageLines(object: ImportedObject, element: ImportedElement, lines: PeekableItems, context: ImportContext): Promise<StagedElement | null> {

        const [outcome] = await Promise.allSettled([this.#stage(object, chunks(lines, element), context)]);
        const next = await lines.peek();
        if (next?.value && damageOf(next.value) === element.name) {
            await lines.consume();
            await (outcome.status === 'fulfilled' ? outcome.value.discard() : undefined);
            return null;
        }

        if (outcome.status === 'rejected') {
            throw outcome.reason;
        }

        return outcome.value;
    }

    #stage(input: ImportedObject, body: AsyncIterable<Uint8Array>, { requestContext, signal }: ImportContext): Promise<StagedElement> {

        return this.#elements.stage(body, { input, requestContext, signal });
    }

    /** @param ownLines null for an object without lines of elements, which may exist already; one with them does not */
    async #restore(
        object: ImportedObject, ownLines: OwnLines | null, context: ImportContext, counts: ImportCounts
    ): Promise<undefined> {

        const { staged, damaged } = ownLines ?? { staged: new Map<string, StagedElement>(), damaged: new Set<string>() };
        try {
            if ((!ownLines || damaged.size > 0) && await this.#exists(object, object.elements.filter(({ name }) => !damaged.has(name)))) {
                counts.unchanged += 1;
                await discard(staged);
                return reportDamage(damaged, []);
            }

            for (const { name, base64 } of object.elements) {
                if (base64 !== undefined) {
                    staged.set(name, await this.#stage(object, bytesSegment(decodeBase64(base64, name)).body, context));
                }
            }

            const { outcome, existing } = await this.#store(object, { staged, damaged }, context);
            counts[outcome] += 1;
            return reportDamage(damaged, existing);
        }
        catch (error) {
            await discard(staged);
            return naming(object.id, error);
        }
    }

    /** Stores an object. Of damaged elements it keeps those that it has here already. */
    async #store(
        { id, type, content, metadata, input, secrets, elements }: ImportedObject, { staged, damaged }: OwnLines, { caller, replacesNewer }: ImportContext
    ): Promise<{ outcome: RestoreOutcome; existing: readonly string[] }> {

        let existing: readonly StoredElement[] = [];
        const outcome = await this.#restorer.restore(id, (before) => {

            if (before && !replacesNewer && before.metadata.modifiedOn > metadata.modifiedOn && !this.#restorer.isInitial(before)) {
                const { modifiedOn } = before.metadata;
                const time = modifiedOn <= MAX_TIME ? new Date(modifiedOn).toISOString() : `${modifiedOn}`;
                throw conflict(`not stored: the object was changed here on ${time}, which is after the one that is imported`);
            }

            existing = before?.elements.filter(({ name }) => damaged.has(name)) ?? [];
            return {
                type, content, metadata, replacesDefault: true,
                acl: input.acl ?? null,
                userMetadata: input.userMetadata ?? null,
                elements: elements.flatMap(({ name }) => (damaged.has(name) ?
                    existing.filter((element) => element.name === name) : [toStored(name, describe(input.elements.get(name)), staged.get(name))])),
                steps: (isNew) => (secrets === undefined ? [] : this.#secrets.steps(id, isNew, secrets))
            };
        }, caller);
        return { outcome, existing: existing.map(({ name }) => name) };
    }
}

/** Throws an error that names the elements without which an object was stored, and those that stay as they are; does nothing without damaged ones. */
function reportDamage(damaged: ReadonlySet<string>, existing: readonly string[]): undefined {

    if (damaged.size > 0) {
        const missing = [...damaged].filter((name) => !existing.includes(name));
        const without = missing.length > 0 ? ` without payload ${missing.join(', ')}, which is damaged in the export` : '';
        const stays = existing.length > 0 ? `; payload ${existing.join(', ')} is damaged in the export, and stays as it is here` : '';
        throw badRequest(`stored${without}${stays}`, { details: { damaged: [...damaged] } });
    }
}

/** Throws 400 unless the number of objects matches the last line of the export. */
function checkCount({ objects: expected }: JsonObject, objects: number): void {

    if (typeof expected === 'number' && !Number.isNaN(objects) && expected !== objects) {
        throw badRequest(`the export is not complete: it has ${objects} of ${expected} objects`);
    }
}

/** Reads the bytes of an element from the lines that follow its object. */
async function *chunks(lines: PeekableItems, { name, length }: ImportedElement): AsyncGenerator<Uint8Array> {

    let count = 0;
    while (count < length) {
        const next = await lines.peek();
        const chunk = next?.value ? chunkOf(next.value) : null;
        if (chunk?.element !== name) {
            throw badRequest(`payload ${name} has ${count} bytes instead of ${length}`);
        }

        await lines.consume();
        const bytes = decodeBase64(chunk.base64, name);
        count += bytes.byteLength;
        if (count > length) {
            throw badRequest(`payload ${name} has more than the ${length} bytes that its object tells of`);
        }

        yield bytes;
    }
}

/** Skips lines of elements that were not consumed. */
async function skipChunks(lines: PeekableItems): Promise<void> {

    for (let next = await lines.peek(); next?.value && (chunkOf(next.value) ?? damageOf(next.value)) !== null; next = await lines.peek()) {
        await lines.consume();
    }
}

type Description = Pick<StoredElement, 'filename' | 'mediaType'>;

function describe(element: { filename?: string | null; mediaType?: string | null } | undefined): Description {

    return { filename: element?.filename ?? null, mediaType: element?.mediaType ?? null };
}

function toStored(name: string, description: Description, staged: StagedElement | undefined): StoredElement {

    if (!staged) {
        throw new Error(`the bytes of payload ${name} were not staged`);
    }

    const { blobId, store, size, hash } = staged;
    return { name, ...description, size, blobId, store, hash };
}

async function discard(staged: ReadonlyMap<string, StagedElement>): Promise<void> {

    for (const element of staged.values()) {
        await element.discard();
    }
}

/** Rethrows an error with the id of its object. */
function naming(id: JsonValue | undefined, error: unknown): never {

    if (typeof id !== 'string') {
        throw error;
    }

    const { status, message, details, http, cause } = error instanceof DoipError ? error : internal(error);
    throw new DoipError(status, message, { details: { ...details, id }, cause, ...http === undefined ? {} : { http } });
}

/** A sequence of items with one item of look-ahead. */
class PeekableItems {

    readonly #iterator: AsyncIterator<BulkItem>;
    #peeked: BulkItem | null | undefined;

    constructor(items: AsyncIterable<BulkItem>) {

        this.#iterator = items[Symbol.asyncIterator]();
    }

    /** Returns the next item without consuming it; null at the end. */
    async peek(): Promise<BulkItem | null> {

        if (this.#peeked === undefined) {
            const next = await this.#iterator.next();
            this.#peeked = next.done === true ? null : next.value;
        }

        return this.#peeked;
    }

    /** Consumes the next item, of which nothing is needed any more. */
    async consume(): Promise<void> {

        (await this.next())?.release();
    }

    /** Consumes the next item; null at the end. */
    async next(): Promise<BulkItem | null> {

        const item = await this.peek();
        this.#peeked = item === null ? null : undefined;
        return item;
    }
}
