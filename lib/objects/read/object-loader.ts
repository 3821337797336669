/**
 * Batching loader (DataLoader pattern): lookups of ids in the same turn of the event loop share one query.
 */

import type { StoredObject } from '../../model/stored-object.js';

/** Reads objects as they are stored. */
export interface ObjectSource {
    /** Reads the objects that exist among some ids, in pages. */
    pages(ids: readonly string[]): AsyncIterable<readonly StoredObject[]>;
    /** Makes the catalog at least as recent as what was read before. */
    refresh(): Promise<unknown>;
}

/** Maximum number of ids per query. */
const IDS_PER_BATCH = 64;

/** Maximum length of an id in bytes; longer ones are not looked up. */
const MAX_BYTES = 255;

interface LoadBatch {
    readonly ids: Set<string>;
    readonly answer: Promise<ReadonlyMap<string, StoredObject>>;
}

/** Looks up objects in batches. */
export class ObjectLoader {

    readonly #source: ObjectSource;
    /** The pending batch, which further lookups may join. */
    #open: LoadBatch | null = null;

    constructor(source: ObjectSource) {

        this.#source = source;
    }

    /** Returns an object; null if it does not exist. The catalog is at least as recent as the object afterwards. */
    async find(id: string): Promise<StoredObject | null> {

        if (Buffer.byteLength(id) > MAX_BYTES) {
            return null;
        }

        if (!this.#open || this.#open.ids.size >= IDS_PER_BATCH) {
            this.#open = this.#newBatch();
        }

        const { ids, answer } = this.#open;
        ids.add(id);
        return (await answer).get(id) ?? null;
    }

    #newBatch(): LoadBatch {

        const ids = new Set<string>();
        const answer = new Promise((resolve) => setImmediate(resolve)).then(async () => {

            if (this.#open?.ids === ids) {
                this.#open = null;
            }

            const objects = new Map<string, StoredObject>();
            for await (const page of this.#source.pages([...ids])) {
                page.forEach((object) => objects.set(object.id, object));
            }

            await this.#source.refresh();
            return objects;
        });
        return { ids, answer };
    }
}
