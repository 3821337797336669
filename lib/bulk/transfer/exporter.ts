/**
 * Exports all objects as lines (`export-format.ts`). Each object is consistent; one that changes during the export is exported in its state
 * before or after the change.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../util/json-types.js';
import type { SecretTransfer } from '../../identity/secrets/secret-transfer.js';
import type { ElementService } from '../../objects/elements/element-service.js';
import type { StoredElement, StoredObject } from '../../model/stored-object.js';
import type { Catalog } from '../../types/catalog.js';
import { DESIGN_ID } from '../../doip/ids.js';
import { readBytes } from '../../doip/segments.js';
import { EXPORT_VERSION, INLINE_BYTES, INLINE_TOTAL, lineOf, objectLine, CHUNK_BYTES, chunkLine } from '../format/export-format.js';
import type { ObjectScan } from '../../stores/objects/object-scan.js';

/** Size of a chunk in characters. */
const BLOCK = 64 * 1024;

/** Exports objects. */
export class Exporter {

    readonly #objects: Pick<ObjectScan, 'pages' | 'after'>;
    readonly #elements: ElementService;
    readonly #secrets: SecretTransfer;
    readonly #catalog: Catalog;

    constructor(parts: { objects: Pick<ObjectScan, 'pages' | 'after'>; elements: ElementService; secrets: SecretTransfer; catalog: Catalog }) {

        this.#objects = parts.objects;
        this.#elements = parts.elements;
        this.#secrets = parts.secrets;
        this.#catalog = parts.catalog;
    }

    /** Yields the text of an export in chunks. Throws in mid-stream when the bytes of an element are missing. */
    async *run(): AsyncGenerator<Uint8Array> {

        let text = '';
        for await (const line of this.#lines()) {
            text += line;
            if (text.length >= BLOCK) {
                yield Buffer.from(text);
                text = '';
            }
        }

        yield Buffer.from(text);
    }

    async *#lines(): AsyncGenerator<string> {

        const { prefix } = this.#catalog.current;
        let objects = 0;
        yield lineOf({ export: EXPORT_VERSION, prefix, exportedOn: new Date().toISOString() });
        for await (const page of this.#pages()) {
            objects += page.length;
            yield *this.#page(page);
            // SQLite is synchronous: without yielding, a fast reader would block the event loop.
            await nextTurn();
        }

        yield lineOf({ end: true, objects });
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

    async *#page(page: readonly StoredObject[]): AsyncGenerator<string> {

        const secrets = page.length === 0 ? new Map<string, JsonObject>() : await this.#secrets.of(page.map(({ id }) => id));
        for (const object of page) {
            const inline = object.elements.length === 0 ? NOTHING : await this.#inline(object);
            yield objectLine(object, inline, secrets.get(object.id));
            for (const element of object.elements) {
                if (!inline.has(element.name)) {
                    yield *this.#chunkLines(element);
                }
            }
        }
    }

    /** The small elements of an object as base64. */
    async #inline({ elements }: StoredObject): Promise<Map<string, string>> {

        const inline = new Map<string, string>();
        let total = 0;
        for (const element of elements) {
            if (element.size <= INLINE_BYTES && total + element.size <= INLINE_TOTAL) {
                total += element.size;
                inline.set(element.name, (await readBytes(this.#elements.open(element, null), INLINE_BYTES)).toString('base64'));
            }
        }

        return inline;
    }

    async *#chunkLines(element: StoredElement): AsyncGenerator<string> {

        let rest = Buffer.alloc(0);
        for await (const chunk of this.#elements.open(element, null)) {
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
