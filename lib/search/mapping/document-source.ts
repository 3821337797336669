/**
 * Where the index gets its documents from: stored objects, together with what is kept for indexing them.
 */

import type { StoredObject } from '../../model/stored-object.js';
import type { ObjectChange } from '../../model/write-participant.js';
import type { ObjectTexts, PayloadTexts } from '../../payloads/payload-texts.js';
import type { IndexFormStore } from '../../stores/search/indexed-form-store.js';
import type { Catalog } from '../../types/catalog.js';
import { mapObject } from './document-mapper.js';
import type { IndexDocument } from './index-document.js';

/** Reads objects as they are stored now. */
export interface ObjectReader {
    /** The same ids, in portions of which the objects may be in memory at once. */
    portions(ids: readonly string[]): Promise<string[][]>;
    /** Those that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<StoredObject[]>;
    /** The next ones by id; an empty list after the last. */
    after(id: string): Promise<StoredObject[]>;
}

/** Reads what is to be indexed. */
export interface IndexSource {
    /** The same ids, in portions of which the documents may be in memory at once. */
    portions(ids: readonly string[]): Promise<string[][]>;
    /** Documents of the objects that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<IndexDocument[]>;
    /** Documents of the next objects by id; an empty list after the last. */
    after(id: string): Promise<IndexDocument[]>;
    /** The document of an object that was just stored. Must not throw. */
    describe(object: StoredObject, change: ObjectChange): IndexDocument;
}

/** Texts of payloads that are held at once, in UTF-16 units. */
const TEXTS_PER_BATCH = 8_000_000;

/** Documents of the objects in the database. */
export class StoredIndexSource implements IndexSource {

    readonly #objects: ObjectReader;
    readonly #forms: IndexFormStore;
    readonly #texts: PayloadTexts;
    readonly #catalog: Catalog;

    constructor(parts: { objects: ObjectReader; forms: IndexFormStore; texts: PayloadTexts; catalog: Catalog }) {

        this.#objects = parts.objects;
        this.#forms = parts.forms;
        this.#texts = parts.texts;
        this.#catalog = parts.catalog;
    }

    async portions(ids: readonly string[]): Promise<string[][]> {

        return await this.#objects.portions(ids);
    }

    async byIds(ids: readonly string[]): Promise<IndexDocument[]> {

        const objects = await this.#objects.byIds(ids);
        return await this.#documents(objects, await this.#texts.of(objects));
    }

    async after(id: string): Promise<IndexDocument[]> {

        const objects = await this.#objects.after(id);
        const texts = await this.#texts.of(objects, TEXTS_PER_BATCH);
        // Where texts are long there are fewer objects at once.
        return await this.#documents(objects.slice(0, texts.size), texts);
    }

    describe(object: StoredObject, change: ObjectChange): IndexDocument {

        const { indexForm, processed } = change;
        const texts = this.#texts.ofChange(change);
        // What validation noted of the content holds for a form with other content no longer.
        return mapObject(object, this.#catalog, indexForm ? { form: indexForm, texts } : { annotations: processed?.annotations, texts });
    }

    async #documents(objects: readonly StoredObject[], texts: ReadonlyMap<string, ObjectTexts>): Promise<IndexDocument[]> {

        const forms = await this.#forms.read(objects);
        return objects.map((object) => mapObject(object, this.#catalog, { form: forms.get(object.id), texts: texts.get(object.id) }));
    }
}
