/**
 * Adds up how often something occurs in the matching documents of a segment, over several places.
 */

import type { Bits } from '../docset/bit-set.js';
import { hasDocument } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { PostingList } from '../segment/postings-cache.js';
import type { ScratchBuffers } from '../docset/scratch-buffers.js';

export class TermFrequencyAccumulator {

    readonly #room: ScratchBuffers;
    readonly #matches: Bits;
    /** By document; all are 0 before and after. */
    readonly #sums: Uint32Array;
    readonly #found: Uint32Array;
    #count = 0;

    /** @param documents of the segment; there must be no other sums in the room that were not taken */
    constructor(room: ScratchBuffers, documents: number, matches: Bits) {

        this.#room = room;
        this.#matches = matches;
        this.#sums = room.sums(documents);
        this.#found = room.documents(documents);
    }

    /** Adds matching documents; only those of `allowed` when it is given. */
    add({ documents, frequencies }: PostingList, allowed: DocumentSet | null): void {

        const [sums, found, matches] = [this.#sums, this.#found, this.#matches];
        let count = this.#count;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            if (((matches[document >>> 5] as number) >>> (document & 31) & 1) === 0 || allowed && !hasDocument(allowed, document)) {
                continue;
            }

            const sum = sums[document] as number;
            if (sum === 0) {
                found[count++] = document;
            }

            sums[document] = sum + (frequencies[i] as number);
        }

        this.#count = count;
    }

    /** Adds one matching document. */
    addOne(document: number, frequency: number): void {

        const sum = this.#sums[document] as number;
        if (sum === 0) {
            this.#found[this.#count++] = document;
        }

        this.#sums[document] = sum + frequency;
    }

    /** The documents in the order in which they were met, each once; valid until the next sums. */
    take(): PostingList {

        const documents = this.#found.subarray(0, this.#count);
        const frequencies = this.#room.frequencies(this.#count);
        const sums = this.#sums;
        for (let i = 0; i < documents.length; ++i) {
            const document = documents[i] as number;
            frequencies[i] = sums[document] as number;
            sums[document] = 0;
        }

        return { documents, frequencies };
    }
}
