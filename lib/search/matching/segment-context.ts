/**
 * Context of one search in one segment.
 */

import type { Deadline } from '../query/query-deadline.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import { hasPayloadTerms } from '../segment/format.js';
import type { Segment } from '../segment/segment-reader.js';
import type { View } from './visible-docs.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { ScratchBuffers } from '../docset/scratch-buffers.js';
import type { PostingList } from '../segment/postings-cache.js';
import type { PhraseQuery } from '../query/query.js';

/** Segment, view, deadline and buffers of a search. */
export interface SegmentContext {
    readonly segment: Segment;
    readonly view: View;
    /** Live documents that the caller may see, within the scope of the search. Must not be modified. */
    readonly visible: DocumentSet;
    /** Documents whose payloads may be searched; null for all. Must not be modified. */
    readonly payloads: DocumentSet | null;
    readonly deadline: Deadline;
    readonly phrases: PhraseMatchCache;
    readonly buffers: ScratchBuffers;
}

/** Returns whether matches of an entry depend on access to payloads. */
export function isHidden({ segment, payloads }: SegmentContext, dictionary: TermDictionary, entry: number): boolean {

    return payloads !== null && hasPayloadTerms(dictionary.name) && dictionary.fieldOf(entry) < segment.payloadFields;
}

/** Cache of the matches of phrases within one search, from matching to scoring. */
export class PhraseMatchCache {

    readonly #lists = new Map<PhraseQuery, PostingList>();
    #capacity: number;

    /**
     * @param documents number of documents of the segment; limits the size of the cache
     */
    constructor(documents: number) {

        this.#capacity = documents;
    }

    /** Returns the matches of a phrase, with a document several times if the phrase is in several fields; null when they are not cached. */
    get(phrase: PhraseQuery): PostingList | null {

        return this.#lists.get(phrase) ?? null;
    }

    /** Caches the matches that `find` reports, unless they are too many. */
    take(phrase: PhraseQuery, find: (sink: (document: number, frequency: number) => void) => void): void {

        const documents: number[] = [];
        const frequencies: number[] = [];
        find((document, frequency) => {

            if (documents.length <= this.#capacity) {
                documents.push(document);
                frequencies.push(frequency);
            }
        });
        if (documents.length <= this.#capacity) {
            this.#capacity -= documents.length;
            this.#lists.set(phrase, { documents: Uint32Array.from(documents), frequencies: Uint32Array.from(frequencies) });
        }
    }
}
