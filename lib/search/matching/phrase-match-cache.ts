/**
 * Where a search has found its phrases in a segment, so that they need not be found a second time when it computes scores. There
 * is no more room than for one phrase that is in every document; what does not fit is found again.
 */

import type { PostingList } from '../segment/postings-cache.js';
import type { PhraseQuery } from '../query/query.js';

export class PhraseMatchCache {

    readonly #lists = new Map<PhraseQuery, PostingList>();
    #room: number;

    /** @param documents of the segment */
    constructor(documents: number) {

        this.#room = documents;
    }

    /** The documents of a phrase, maybe more than once each, as often as it was found in another field; null when they were not noted. */
    get(phrase: PhraseQuery): PostingList | null {

        return this.#lists.get(phrase) ?? null;
    }

    /** Notes what is told of while finding a phrase. */
    take(phrase: PhraseQuery, find: (sink: (document: number, frequency: number) => void) => void): void {

        const documents: number[] = [];
        const frequencies: number[] = [];
        find((document, frequency) => {

            if (documents.length <= this.#room) {
                documents.push(document);
                frequencies.push(frequency);
            }
        });
        if (documents.length <= this.#room) {
            this.#room -= documents.length;
            this.#lists.set(phrase, { documents: Uint32Array.from(documents), frequencies: Uint32Array.from(frequencies) });
        }
    }
}
