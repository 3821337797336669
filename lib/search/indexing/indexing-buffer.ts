/**
 * New documents until they become a segment together: when somebody searches, or when there are enough.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { IndexDocument } from '../mapping/index-document.js';

/** So many documents are enough; the longer nobody searched, the more. */
const MIN_DOCUMENTS = 64;
const MAX_DOCUMENTS = 512;

/** Fewer when they have more values than this together: each may have a property of its own. */
const MAX_VALUES = 20_000;

/** Fewer when their texts have more characters than this together: whoever searches waits until a segment is made of them. */
const MAX_CHARACTERS = 1024 * 1024;

export class IndexingBuffer {

    readonly #documents = new Map<string, IndexDocument>();
    #enough = MIN_DOCUMENTS;
    /** Of all documents that came, about. */
    #values = 0;
    #characters = 0;

    get size(): number {

        return this.#documents.size;
    }

    /** True when there are enough. */
    add(document: IndexDocument): boolean {

        this.#documents.set(document.id, document);
        this.#count(document.content);
        this.#count(document.userMetadata);
        document.elements.forEach(({ text }) => this.#count(text));
        if (this.#documents.size < this.#enough && this.#values <= MAX_VALUES && this.#characters <= MAX_CHARACTERS) {
            return false;
        }

        this.#enough = Math.min(this.#enough * 2, MAX_DOCUMENTS);
        return true;
    }

    delete(id: string): void {

        this.#documents.delete(id);
    }

    /** Somebody searches: the next ones shall not take long. */
    asked(): void {

        this.#enough = MIN_DOCUMENTS;
    }

    /** All of them; none is left. */
    take(): IndexDocument[] {

        const taken = [...this.#documents.values()];
        this.#documents.clear();
        this.#values = 0;
        this.#characters = 0;
        return taken;
    }

    #count(value: JsonValue): void {

        if (value !== null && typeof value === 'object') {
            Object.values(value).forEach((member) => this.#count(member));
            return;
        }

        ++this.#values;
        this.#characters += typeof value === 'string' ? value.length : 0;
    }
}
