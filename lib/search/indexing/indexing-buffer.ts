/**
 * Indexing buffer: new documents, until they become a segment together. It is flushed by a search or at a threshold.
 */

import type { JsonValue } from '../../util/json-types.js';
import type { IndexDocument } from '../mapping/index-document.js';

/** Flush threshold in documents: doubles with every flush up to the maximum, and is reset by a search. */
const MIN_DOCUMENTS = 64;
const MAX_DOCUMENTS = 512;

/** Flush threshold in values, since each may be a property of its own. */
const MAX_VALUES = 20_000;

/** Flush threshold in characters of text: a search waits while the segment is built. */
const MAX_CHARACTERS = 1024 * 1024;

export class IndexingBuffer {

    readonly #documents = new Map<string, IndexDocument>();
    #enough = MIN_DOCUMENTS;
    /** Values and characters of all documents that were added since the last flush. */
    #values = 0;
    #characters = 0;

    get size(): number {

        return this.#documents.size;
    }

    /** Adds a document; returns true when the buffer should be flushed. */
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

    /** Resets the threshold because of a search, so that the next one has less to wait for. */
    resetThreshold(): void {

        this.#enough = MIN_DOCUMENTS;
    }

    /** Returns all documents and empties the buffer. */
    drain(): IndexDocument[] {

        const drained = [...this.#documents.values()];
        this.#documents.clear();
        this.#values = 0;
        this.#characters = 0;
        return drained;
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
