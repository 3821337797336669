/**
 * Posting lists of entries (an entry is a term in one field), decoded as a whole. Long ones are cached, since decoding takes longer
 * than most of what is done with them.
 */

import { emptyBits, orBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { bytesOfSet, few, cachedSet, many, mostFew } from '../docset/doc-id-set.js';
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
export function addEntry(segment: Segment, space: TermDictionary, { entry, bits }: { readonly entry: number; readonly bits: Bits }): void {

    // Short lists are decoded straight into the bits.
    if (space.postings.addTo(bits, entry, mostFew(segment.documents))) {
        return;
    }

    // It is longer than that, so the set is dense.
    const set = entrySet(segment, space, entry);
    if (set.kind === 'many') {
        orBits(bits, set.bits);
    }
}

/** Returns the documents of an entry as a set. */
export function entrySet(segment: Segment, space: TermDictionary, entry: number): DocumentSet {

    const count = space.postings.count(entry);
    if (count <= mostFew(segment.documents)) {
        const documents = new Uint32Array(count);
        space.postings.list(entry, documents, 0);
        return few(documents);
    }

    return segment.shelf.get(`bits ${space.name} ${entry}`, () => {

        const bits = emptyBits(segment.documents);
        space.postings.addTo(bits, entry);
        const value = cachedSet(many(bits), segment.documents);
        return { value, bytes: bytesOfSet(value) };
    });
}

/** Returns the documents of an entry, with frequencies. */
export function entryList(segment: Segment, space: TermDictionary, entry: number): EntryList {

    const isFrequent = space.postings.count(entry) > mostFew(segment.documents);
    return !isFrequent ? readList(segment, space, entry) : segment.shelf.get(`list ${space.name} ${entry}`, () => {

        const value = readList(segment, space, entry);
        return { value, bytes: value.documents.byteLength + value.frequencies.byteLength };
    });
}

function readList(segment: Segment, space: TermDictionary, entry: number): EntryList {

    const count = space.postings.count(entry);
    const documents = new Uint32Array(count);
    const frequencies = new Uint32Array(count);
    space.postings.read(entry, documents, frequencies);
    let [occurrences, most] = [0, 0];
    for (let i = 0; i < count; ++i) {
        const frequency = frequencies[i] as number;
        occurrences += frequency;
        most = frequency > most ? frequency : most;
    }

    return { documents, occurrences, frequencies: most < 256 ? new Uint8Array(frequencies) : frequencies };
}
