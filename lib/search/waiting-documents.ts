/**
 * New documents until they become a segment together: when somebody searches, or when there are enough.
 */

import type { JsonValue } from '../doip/json.js';
import type { IndexDocument } from './index-document.js';

/** So many documents are enough; the longer nobody searched, the more. */
const FEWEST = 64;
const MOST = 512;

/** Fewer when they have more values than this together: each may have a property of its own. */
const MOST_VALUES = 20_000;

export class WaitingDocuments {

    readonly #documents = new Map<string, IndexDocument>();
    #enough = FEWEST;
    /** Of all documents that came, about. */
    #values = 0;

    get size(): number {

        return this.#documents.size;
    }

    /** True when there are enough. */
    add(document: IndexDocument): boolean {

        this.#documents.set(document.id, document);
        this.#values += countValues(document.content) + countValues(document.userMetadata);
        if (this.#documents.size < this.#enough && this.#values <= MOST_VALUES) {
            return false;
        }

        this.#enough = Math.min(this.#enough * 2, MOST);
        return true;
    }

    delete(id: string): void {

        this.#documents.delete(id);
    }

    /** Somebody searches: the next ones shall not take long. */
    asked(): void {

        this.#enough = FEWEST;
    }

    /** All of them; none is left. */
    take(): IndexDocument[] {

        const taken = [...this.#documents.values()];
        this.#documents.clear();
        this.#values = 0;
        return taken;
    }
}

function countValues(value: JsonValue): number {

    if (value === null || typeof value !== 'object') {
        return 1;
    }

    return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 0);
}
