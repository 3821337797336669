/**
 * Exports all objects as lines (`export-format.ts`). Each object is consistent; one that changes during the export is exported in its state
 * before or after the change. Beside an upload of all objects, which deletes and stores them, no export is complete. Elements whose bytes are damaged
 * are marked as such, since an export may be all that can be saved of a repository.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../util/json-types.js';
import type { SecretTransfer } from '../../identity/secrets/secret-transfer.js';
import type { ElementService } from '../../objects/elements/element-service.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import type { JobStore } from '../../stores/jobs/job-store.js';
import type { Catalog } from '../../types/catalog.js';
import { unavailable } from '../../errors/errors.js';
import { DamagedBlobError, isDamage } from '../../stores/blobs/element-store.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { readBytes } from '../../doip/segments.js';
import { EXPORT_VERSION, INLINE_BYTES, INLINE_TOTAL, lineOf, objectLine, CHUNK_BYTES, chunkLine, damageLine } from '../format/export-format.js';
import type { ObjectScan } from '../../stores/objects/object-scan.js';
import { UPLOAD_KIND } from '../upload/upload-progress.js';

/** Size of a chunk in characters. */
const BLOCK = 64 * 1024;

/** Seconds after which an export that an upload has ended may be repeated. */
const RETRY_SECONDS = 5;

/** Maximum number of uploads that are looked at. */
const UPLOADS = 1000;

interface ExporterParts {
    readonly objects: Pick<ObjectScan, 'pages' | 'after'>;
    readonly elements: ElementService;
    readonly secrets: SecretTransfer;
    readonly catalog: Catalog;
    readonly jobStore: Pick<JobStore, 'list'>;
    /** Makes the types current, and what the catalog knows of uploads. */
    readonly refresh: () => Promise<unknown>;
}

/** Exports objects. */
export class Exporter {

    readonly #objects: Pick<ObjectScan, 'pages' | 'after'>;
    readonly #elements: ElementService;
    readonly #secrets: SecretTransfer;
    readonly #catalog: Catalog;
    readonly #jobStore: ExporterParts['jobStore'];
    readonly #refresh: ExporterParts['refresh'];

    constructor(parts: ExporterParts) {

        this.#objects = parts.objects;
        this.#elements = parts.elements;
        this.#secrets = parts.secrets;
        this.#catalog = parts.catalog;
        this.#jobStore = parts.jobStore;
        this.#refresh = parts.refresh;
    }

    /**
     * Returns the text of an export in chunks. It ends with an error when a store of elements cannot be reached, and without its last line when an
     * upload of all objects begins meanwhile.
     *
     * @throws DoipError 503 while an upload of all objects is in progress
     */
    async start(): Promise<AsyncGenerator<Uint8Array>> {

        // Read first: an upload that begins after it is found at the end, even if it has ended by then.
        const uploads = await this.#uploads();
        await this.#demandComplete();
        return this.#run(uploads);
    }

    async #demandComplete(): Promise<void> {

        await this.#refresh();
        this.#catalog.checkComplete();
    }

    /** Ids of the jobs of uploads of the last days; those of a cluster come out of order. */
    async #uploads(): Promise<ReadonlySet<number>> {

        return new Set((await this.#jobStore.list({ kind: UPLOAD_KIND, limit: UPLOADS })).map(({ id }) => id));
    }

    async *#run(uploads: ReadonlySet<number>): AsyncGenerator<Uint8Array> {

        let text = '';
        for await (const line of this.#lines(uploads)) {
            text += line;
            if (text.length >= BLOCK) {
                yield Buffer.from(text);
                text = '';
            }
        }

        yield Buffer.from(text);
    }

    async *#lines(uploads: ReadonlySet<number>): AsyncGenerator<string> {

        const { prefix } = this.#catalog.current;
        let objects = 0;
        let damaged = 0;
        yield lineOf({ export: EXPORT_VERSION, prefix, exportedOn: new Date().toISOString() });
        for await (const page of this.#pages()) {
            this.#catalog.checkComplete();
            objects += page.length;
            damaged += yield *this.#page(page);
            // SQLite is synchronous: without yielding, a fast reader would block the event loop.
            await nextTurn();
        }

        await this.#demandComplete();
        if ([...await this.#uploads()].some((id) => !uploads.has(id))) {
            throw unavailable('objects were uploaded during the export, which is not complete', RETRY_SECONDS);
        }

        yield lineOf({ end: true, objects, ...damaged > 0 ? { damaged } : {} });
    }

    /** All objects in pages: the design and types first, since the others depend on them. */
    async *#pages(): AsyncGenerator<StoredObject[]> {

        const first = [DESIGN_ID, ...Object.keys(this.#catalog.current.schemaIds())];
        const done = new Set<string>();
        for await (const page of this.#objects.pages(first)) {
            page.forEach(({ id }) => done.add(id));
            yield page;
        }

        let page = await this.#objects.after('');
        while (page.length > 0) {
            yield page.filter(({ id }) => !done.has(id));
            page = await this.#objects.after(page.at(-1)?.id ?? '');
        }
    }

    /** Returns the number of damaged elements. */
    async *#page(page: readonly StoredObject[]): AsyncGenerator<string, number> {

        let damaged = 0;
        const secrets = page.length === 0 ? new Map<string, JsonObject>() : await this.#secrets.of(page.map(({ id }) => id));
        for (const object of page) {
            const inline = object.elements.length === 0 ? NOTHING : await this.#inline(object);
            yield objectLine(object, inline, secrets.get(object.id));
            for (const element of object.elements) {
                if (!inline.has(element.name) && (yield *this.#ownLines(object.id, element)) === 'damaged') {
                    damaged += 1;
                }
            }
        }

        return damaged;
    }

    /** The small elements of an object as base64, without those that are damaged. */
    async #inline({ elements }: StoredObject): Promise<Map<string, string>> {

        const inline = new Map<string, string>();
        let total = 0;
        for (const element of elements) {
            if (element.size <= INLINE_BYTES && total + element.size <= INLINE_TOTAL) {
                total += element.size;
                const bytes = await readBytes(this.#bytesOf(element), INLINE_BYTES).catch(nullIfDamaged);
                if (bytes) {
                    inline.set(element.name, bytes.toString('base64'));
                }
            }
        }

        return inline;
    }

    /** The lines of an element that is not in that of its object. */
    async *#ownLines(objectId: string, element: StoredElement): AsyncGenerator<string, 'whole' | 'damaged'> {

        try {
            yield *this.#chunkLines(element);
            return 'whole';
        }
        catch (error) {
            nullIfDamaged(error);
            yield damageLine(objectId, element);
            return 'damaged';
        }
    }

    /** The bytes of an element, compared at their end with what they were when they were stored. @throws DamagedBlobError */
    async *#bytesOf(element: StoredElement): AsyncGenerator<Uint8Array> {

        const { blobId, hash } = element;
        const found = hash === null ? null : createHash('sha256');
        for await (const chunk of this.#elements.open(element, null)) {
            found?.update(chunk);
            yield chunk;
        }

        if (found && found.digest('hex') !== hash) {
            throw new DamagedBlobError(blobId, 'it has another hash than when it was stored');
        }
    }

    async *#chunkLines(element: StoredElement): AsyncGenerator<string> {

        let rest = Buffer.alloc(0);
        for await (const chunk of this.#bytesOf(element)) {
            const buffered = Buffer.concat([rest, chunk]);
            const complete = buffered.byteLength - buffered.byteLength % CHUNK_BYTES;
            for (let start = 0; start < complete; start += CHUNK_BYTES) {
                yield chunkLine(element, buffered.subarray(start, start + CHUNK_BYTES));
            }

            rest = buffered.subarray(complete);
        }

        if (rest.byteLength > 0) {
            yield chunkLine(element, rest);
        }
    }
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Returns null for the error of damaged bytes, and rethrows any other one, such as that of a store that does not answer. */
function nullIfDamaged(error: unknown): null {

    if (isDamage(error)) {
        return null;
    }

    throw error;
}
