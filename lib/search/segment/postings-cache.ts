/**
 * The documents of entries (an entry is a term in one field), read in one go. Those of entries with more than few documents are
 * kept: reading them takes longer than most of what is done with them.
 */

import { emptyBits, orBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { bytesOfSet, few, cachedSet, many, mostFew } from '../docset/doc-id-set.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { Segment } from './segment-reader.js';
import type { TermDictionary } from './term-dictionary.js';

/** The documents of an entry, and how often its term occurs in each. Not to be changed. */
export interface PostingList {
    readonly documents: Uint32Array;
    readonly frequencies: Frequencies;
}

/** The documents of one entry. */
export interface EntryList extends PostingList {
    /** Sum of the frequencies. */
    readonly occurrences: number;
}

/** Bytes unless a term occurs more often than a byte can say. */
export type Frequencies = Uint8Array | Uint32Array;

/** Sets the bits of the documents of an entry. */
export function addEntry(segment: Segment, space: TermDictionary, { entry, bits }: { readonly entry: number; readonly bits: Bits }): void {

    // Few documents are read straight into the bits.
    if (space.postings.addTo(bits, entry, mostFew(segment.documents))) {
        return;
    }

    // More than few, so it is a set of many.
    const set = entrySet(segment, space, entry);
    if (set.kind === 'many') {
        orBits(bits, set.bits);
    }
}

/** The documents of an entry. */
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

/** The documents of an entry with frequencies. */
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
