/**
 * Source of documents for the index: stored objects but the design object, which is not searchable, with their indexed forms and extracted texts.
 */

import { DESIGN_ID } from '../../doip/ids.js';
import type { IndexedForm, StoredObject } from '../../model/stored-object.js';
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
    byIds(ids: readonly string[]): Promise<FoundDocuments>;
    /** Returns the documents of the next page of searchable objects by id; empty after the last. */
    after(id: string): Promise<IndexDocument[]>;
    /** Maps an object that was just stored. Must not throw. */
    describe(object: StoredObject, change: ObjectChange): IndexDocument;
}

/** Documents by id. */
export interface FoundDocuments {
    readonly documents: readonly IndexDocument[];
    /** Ids of objects that exist and are without a document, as they were changed at each reading; the log has their changes. */
    readonly changing: ReadonlySet<string>;
}

/** Number of times that an object is read which others change meanwhile. After that it is left out. */
const MAX_READS = 10;

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

    async byIds(ids: readonly string[]): Promise<FoundDocuments> {

        const { formed, changing } = await this.#withForms((await this.#objects.byIds(ids)).filter(isSearchable));
        return { documents: await this.#documents(formed, await this.#texts.of(objectsOf(formed))), changing };
    }

    async after(id: string): Promise<IndexDocument[]> {

        for (let last = id; ;) {
            const page = await this.#objects.after(last);
            // Those that change meanwhile are left to the log.
            const { formed } = await this.#withForms(page.filter(isSearchable));
            const texts = await this.#texts.of(objectsOf(formed), TEXTS_PER_BATCH);
            if (texts.size > 0 || page.length === 0) {
                // Where texts are long, the page has fewer objects.
                return await this.#documents(formed.slice(0, texts.size), texts);
            }

            last = page.at(-1)?.id ?? last;
        }
    }

    describe(object: StoredObject, change: ObjectChange): IndexDocument {

        const { indexForm, processed } = change;
        const texts = this.#texts.ofChange(change);
        // Annotations from validation do not apply to a form with other content.
        return mapObject(object, this.#catalog, indexForm ? { form: indexForm, texts } : { annotations: processed?.annotations, texts });
    }

    /** Reads the forms of objects, in their order. Those that were changed before their forms were read are read again, and left out where they are deleted. */
    async #withForms(objects: readonly StoredObject[]): Promise<{ readonly formed: readonly Formed[]; readonly changing: ReadonlySet<string> }> {

        const found = new Map<string, Formed>();
        let unread = objects;
        let changing: ReadonlySet<string> = new Set();
        for (let reading = 1; unread.length > 0; ++reading) {
            const { byId, changed } = await this.#forms.read(unread);
            unread.filter(({ id }) => !changed.has(id)).forEach((object) => found.set(object.id, { object, form: byId.get(object.id) }));
            if (reading === MAX_READS) {
                changing = changed;
                break;
            }

            unread = changed.size > 0 ? await this.#objects.byIds([...changed]) : [];
        }

        return { formed: objects.flatMap(({ id }) => found.get(id) ?? []), changing };
    }

    async #documents(formed: readonly Formed[], texts: ReadonlyMap<string, ObjectTexts>): Promise<IndexDocument[]> {

        // Types may have been changed by another node before the objects were written, without a request to this one since.
        await this.#refresh();
        for (const type of new Set(formed.map(({ object }) => object.type))) {
            await this.#catalog.current.get(type)?.prepare();
        }

        return formed.map(({ object, form }) => mapObject(object, this.#catalog, { form, texts: texts.get(object.id) }));
    }
}

/** An object with its form for indexing, if it has one. */
interface Formed {
    readonly object: StoredObject;
    readonly form: IndexedForm | undefined;
}

function objectsOf(formed: readonly Formed[]): StoredObject[] {

    return formed.map(({ object }) => object);
}

function isSearchable({ id }: StoredObject): boolean {

    return id !== DESIGN_ID;
}
