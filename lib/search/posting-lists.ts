/**
 * The documents of entries, read in one go. Those of frequent entries are kept: reading them takes longer than most of what is
 * done with them.
 */

import { emptyBits, orBits } from './bits.js';
import type { Bits } from './bits.js';
import type { Segment } from './segment.js';
import type { TermSpace } from './term-space.js';

/** Entries that at least one document in so many has are frequent. */
const FREQUENT = 64;

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

/** Adds the documents of an entry. */
export function addEntry(segment: Segment, space: TermSpace, { entry, bits }: { readonly entry: number; readonly bits: Bits }): void {

    if (space.addTo(bits, entry, segment.documents / FREQUENT)) {
        return;
    }

    orBits(bits, segment.shelf.get(`bits ${space.name} ${entry}`, () => {

        const value = emptyBits(segment.documents);
        space.addTo(value, entry);
        return { value, bytes: value.byteLength };
    }));
}

/** The documents of an entry with frequencies. */
export function entryList(segment: Segment, space: TermSpace, entry: number): EntryList {

    const isFrequent = space.count(entry) > segment.documents / FREQUENT;
    return !isFrequent ? readList(segment, space, entry) : segment.shelf.get(`list ${space.name} ${entry}`, () => {

        const value = readList(segment, space, entry);
        return { value, bytes: value.documents.byteLength + value.frequencies.byteLength };
    });
}

function readList(segment: Segment, space: TermSpace, entry: number): EntryList {

    const count = space.count(entry);
    const documents = new Uint32Array(count);
    const frequencies = new Uint32Array(count);
    space.read(entry, documents, frequencies);
    let [occurrences, most] = [0, 0];
    for (let i = 0; i < count; ++i) {
        const frequency = frequencies[i] as number;
        occurrences += frequency;
        most = frequency > most ? frequency : most;
    }

    return { documents, occurrences, frequencies: most < 256 ? new Uint8Array(frequencies) : frequencies };
}
