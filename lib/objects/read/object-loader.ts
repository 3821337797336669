/**
 * Finds objects for requests that bring many: ids that are asked for in the same moment are looked up by one question.
 */

import type { StoredObject } from '../../model/stored-object.js';

/** Reads objects as they are stored now. */
export interface ObjectSource {
    /** Those that exist among the ids, in no order. */
    byIds(ids: readonly string[]): Promise<StoredObject[]>;
    /** Makes sure that the catalog of types is as new as what was read before. */
    refresh(): Promise<unknown>;
}

/** Ids of one question. */
const IDS_PER_BATCH = 64;

/** No id is longer. What cannot be one must not burden the question of others. */
const MAX_BYTES = 255;

interface Question {
    readonly ids: Set<string>;
    readonly answer: Promise<ReadonlyMap<string, StoredObject>>;
}

/** Finds objects. */
export class ObjectLoader {

    readonly #source: ObjectSource;
    /** The question that others may still join. */
    #open: Question | null = null;

    constructor(source: ObjectSource) {

        this.#source = source;
    }

    /** The object of an id; null when there is none. The catalog of types is at least as new as the object afterwards. */
    async find(id: string): Promise<StoredObject | null> {

        if (Buffer.byteLength(id) > MAX_BYTES) {
            return null;
        }

        if (!this.#open || this.#open.ids.size >= IDS_PER_BATCH) {
            this.#open = this.#newQuestion();
        }

        const { ids, answer } = this.#open;
        ids.add(id);
        return (await answer).get(id) ?? null;
    }

    #newQuestion(): Question {

        const ids = new Set<string>();
        const answer = new Promise((asked) => setImmediate(asked)).then(async () => {

            if (this.#open?.ids === ids) {
                this.#open = null;
            }

            const objects = await this.#source.byIds([...ids]);
            await this.#source.refresh();
            return new Map(objects.map((object) => [object.id, object]));
        });
        return { ids, answer };
    }
}
