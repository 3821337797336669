/**
 * Posting lists of entries (an entry is a term in one field), decoded as a whole. Long ones are cached, since decoding takes longer
 * than most of what is done with them.
 */

import { emptyBits, orBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { bytesOfSet, sparseSet, cachedSet, denseSet, maxSparse } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Segment } from './segment-reader.js';
import type { TermDictionary } from './term-dictionary.js';

/** Documents of an entry, with the frequency of the term in each. Must not be modified. */
export interface PostingList {
    readonly documents: Uint32Array;
    readonly frequencies: Frequencies;
}

/** Posting list of one entry. */
export interface EntryList extends PostingList {
    /** Sum of the frequencies. */
    readonly occurrences: number;
}

/** One byte each, unless a term occurs more than 255 times in a document. */
export type Frequencies = Uint8Array | Uint32Array;

/** Adds the documents of an entry to a bit set. */
export function addEntry(segment: Segment, dictionary: TermDictionary, { entry, bits }: { readonly entry: number; readonly bits: Bits }): void {

    // Short lists are decoded straight into the bits.
    if (dictionary.postings.addTo(bits, entry, maxSparse(segment.documents))) {
        return;
    }

    // It is longer than that, so the set is dense.
    const set = entrySet(segment, dictionary, entry);
    if (set.kind === 'many') {
        orBits(bits, set.bits);
    }
}

/** Returns the documents of an entry as a set. */
export function entrySet(segment: Segment, dictionary: TermDictionary, entry: number): DocumentSet {

    const count = dictionary.postings.count(entry);
    if (count <= maxSparse(segment.documents)) {
        const documents = new Uint32Array(count);
        dictionary.postings.list(entry, documents, 0);
        return sparseSet(documents);
    }

    return segment.cache.get(`bits ${dictionary.name} ${entry}`, () => {

        const bits = emptyBits(segment.documents);
        dictionary.postings.addTo(bits, entry);
        const value = cachedSet(denseSet(bits), segment.documents);
        return { value, bytes: bytesOfSet(value) };
    });
}

/** Returns the documents of an entry, with frequencies. */
export function entryList(segment: Segment, dictionary: TermDictionary, entry: number): EntryList {

    const isFrequent = dictionary.postings.count(entry) > maxSparse(segment.documents);
    return !isFrequent ? readList(segment, dictionary, entry) : segment.cache.get(`list ${dictionary.name} ${entry}`, () => {

        const value = readList(segment, dictionary, entry);
        return { value, bytes: value.documents.byteLength + value.frequencies.byteLength };
    });
}

function readList(segment: Segment, dictionary: TermDictionary, entry: number): EntryList {

    const count = dictionary.postings.count(entry);
    const documents = new Uint32Array(count);
    const frequencies = new Uint32Array(count);
    dictionary.postings.read(entry, documents, frequencies);
    let [occurrences, most] = [0, 0];
    for (let i = 0; i < count; ++i) {
        const frequency = frequencies[i] as number;
        occurrences += frequency;
        most = frequency > most ? frequency : most;
    }

    return { documents, occurrences, frequencies: most < 256 ? new Uint8Array(frequencies) : frequencies };
}
