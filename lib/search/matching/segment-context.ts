/**
 * One segment as one search sees it.
 */

import type { Deadline } from '../query/query-deadline.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Segment } from '../segment/segment-reader.js';
import type { View } from './visible-docs.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { ScratchBuffers } from '../docset/scratch-buffers.js';
import type { PostingList } from '../segment/postings-cache.js';
import type { PhraseQuery } from '../query/query.js';

export interface SegmentContext {
    readonly segment: Segment;
    readonly view: View;
    /** Documents that are there, may be seen and are wanted. Not to be changed. */
    readonly visible: DocumentSet;
    /** Documents whose words of payloads may be searched; null for all. Not to be changed. */
    readonly payloads: DocumentSet | null;
    readonly deadline: Deadline;
    readonly phrases: PhraseMatchCache;
    readonly room: ScratchBuffers;
}

/** Has it to be asked whether the words of an entry may be searched in a document? */
export function isHidden({ segment, payloads }: SegmentContext, space: TermDictionary, entry: number): boolean {

    return payloads !== null && space.name === 'text' && space.fieldOf(entry) < segment.payloadFields;
}

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
