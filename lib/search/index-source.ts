/**
 * Where the index gets its documents from: stored objects, together with what is kept for indexing them.
 */

import type { StoredObject } from '../objects/stored-object.js';
import type { ObjectChange } from '../objects/write-participant.js';
import type { IndexFormStore } from '../stores/index-form-store.js';
import type { Catalog } from '../types/catalog.js';
import { describeObject } from './describe-object.js';
import type { IndexDocument } from './index-document.js';

/** Reads objects as they are stored now. */
export interface ObjectReader {
    /** Those that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<StoredObject[]>;
    /** The next ones by id; an empty list after the last. */
    after(id: string): Promise<StoredObject[]>;
}

/** Reads what is to be indexed. */
export interface IndexSource {
    /** Documents of the objects that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<IndexDocument[]>;
    /** Documents of the next objects by id; an empty list after the last. */
    after(id: string): Promise<IndexDocument[]>;
    /** The document of an object that was just stored. Must not throw. */
    describe(object: StoredObject, change: ObjectChange): IndexDocument;
}

/** Documents of the objects in the database. */
export class StoredIndexSource implements IndexSource {

    readonly #objects: ObjectReader;
    readonly #forms: IndexFormStore;
    readonly #catalog: Catalog;

    constructor(parts: { objects: ObjectReader; forms: IndexFormStore; catalog: Catalog }) {

        this.#objects = parts.objects;
        this.#forms = parts.forms;
        this.#catalog = parts.catalog;
    }

    async byIds(ids: readonly string[]): Promise<IndexDocument[]> {

        return await this.#documents(await this.#objects.byIds(ids));
    }

    async after(id: string): Promise<IndexDocument[]> {

        return await this.#documents(await this.#objects.after(id));
    }

    describe(object: StoredObject, { indexForm, processed }: ObjectChange): IndexDocument {

        // What validation noted of the content holds for a form with other content no longer.
        return describeObject(object, this.#catalog, indexForm ? { form: indexForm } : { annotations: processed?.annotations });
    }

    async #documents(objects: readonly StoredObject[]): Promise<IndexDocument[]> {

        const forms = await this.#forms.read(objects);
        return objects.map((object) => describeObject(object, this.#catalog, { form: forms.get(object.id) }));
    }
}
