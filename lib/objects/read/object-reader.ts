/**
 * Reads single objects for requests, together with the epochs of the same moment, which tell whether what is cached of types and
 * callers is current. Afterwards the catalog of types is at least as new as what was read.
 */

import type { Epochs, ObjectStore, ObjectView } from '../../stores/objects/object-store.js';
import type { Catalog } from '../../types/catalog.js';

export class ObjectReader {

    readonly #store: ObjectStore;
    readonly #catalog: Catalog;

    constructor(store: ObjectStore, catalog: Catalog) {

        this.#store = store;
        this.#catalog = catalog;
    }

    /** The object of an id, or its absence. */
    async view(id: string): Promise<ObjectView> {

        const view = await this.#store.view(id);
        await this.#catalog.ensure(view.epochs.types);
        return view;
    }

    /** Returns the result of {@link view} if it is cached, with types that are as recent; null if something has to be read. */
    recall(id: string): ObjectView | null {

        const view = this.#store.recall(id);
        return view && this.#catalog.epoch >= view.epochs.types ? view : null;
    }

    /** The epochs alone, for requests that have no object as target, and to bring the catalog up to date. */
    async epochs(): Promise<Epochs> {

        const epochs = await this.#store.epochs();
        await this.#catalog.ensure(epochs.types);
        return epochs;
    }
}
