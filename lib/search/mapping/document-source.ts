/**
 * Source of documents for the index: stored objects but the design object, which is not searchable, with their indexed forms and extracted texts.
 */

import { DESIGN_ID } from '../../doip/ids.js';
import type { StoredObject } from '../../model/stored-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import type { ObjectTexts, PayloadTexts } from '../../payloads/payload-texts.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';
import type { Catalog } from '../../types/catalog.js';
import { mapObject } from './document-mapper.js';
import type { IndexDocument } from './index-document.js';
import type { ObjectScan } from '../../stores/objects/object-scan.js';

/** Reads documents. */
export interface IndexSource {
    /** Splits ids into portions whose documents fit into memory together. */
    portions(ids: readonly string[]): Promise<string[][]>;
    /** Returns the documents of searchable objects that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<IndexDocument[]>;
    /** Returns the documents of the next page of searchable objects by id; empty after the last. */
    after(id: string): Promise<IndexDocument[]>;
    /** Maps an object that was just stored. Must not throw. */
    describe(object: StoredObject, change: ObjectChange): IndexDocument;
}

/** Maximum length of the payload texts of a page, in UTF-16 units. */
const TEXTS_PER_BATCH = 8_000_000;

/** Maps the objects in the database. */
export class StoredIndexSource implements IndexSource {

    readonly #objects: Pick<ObjectScan, 'portions' | 'byIds' | 'after'>;
    readonly #forms: IndexFormStore;
    readonly #texts: PayloadTexts;
    readonly #catalog: Catalog;
    readonly #refresh: () => Promise<unknown>;

    /** @param parts.refresh brings the catalog up to date with the database */
    constructor(parts: {
        objects: Pick<ObjectScan, 'portions' | 'byIds' | 'after'>; forms: IndexFormStore; texts: PayloadTexts; catalog: Catalog; refresh: () => Promise<unknown>;
    }) {

        this.#objects = parts.objects;
        this.#forms = parts.forms;
        this.#texts = parts.texts;
        this.#catalog = parts.catalog;
        this.#refresh = parts.refresh;
    }

    async portions(ids: readonly string[]): Promise<string[][]> {

        return await this.#objects.portions(ids);
    }

    async byIds(ids: readonly string[]): Promise<IndexDocument[]> {

        const objects = (await this.#objects.byIds(ids)).filter(isSearchable);
        return await this.#documents(objects, await this.#texts.of(objects));
    }

    async after(id: string): Promise<IndexDocument[]> {

        const page = await this.#objects.after(id);
        const objects = page.filter(isSearchable);
        if (objects.length === 0 && page.length > 0) {
            return await this.after(page.at(-1)?.id ?? id);
        }

        const texts = await this.#texts.of(objects, TEXTS_PER_BATCH);
        // Where texts are long, the page has fewer objects.
        return await this.#documents(objects.slice(0, texts.size), texts);
    }

    describe(object: StoredObject, change: ObjectChange): IndexDocument {

        const { indexForm, processed } = change;
        const texts = this.#texts.ofChange(change);
        // Annotations from validation do not apply to a form with other content.
        return mapObject(object, this.#catalog, indexForm ? { form: indexForm, texts } : { annotations: processed?.annotations, texts });
    }

    async #documents(objects: readonly StoredObject[], texts: ReadonlyMap<string, ObjectTexts>): Promise<IndexDocument[]> {

        const forms = await this.#forms.read(objects);
        // Types may have been changed by another node before the objects were written, without a request to this one since.
        await this.#refresh();
        for (const type of new Set(objects.map((object) => object.type))) {
            await this.#catalog.current.get(type)?.prepare();
        }

        return objects.map((object) => mapObject(object, this.#catalog, { form: forms.get(object.id), texts: texts.get(object.id) }));
    }
}

function isSearchable({ id }: StoredObject): boolean {

    return id !== DESIGN_ID;
}
