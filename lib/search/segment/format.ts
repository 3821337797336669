/**
 * How a segment is laid out: sections of bytes, each an array of one kind. Numbers are little-endian.
 *
 * - Documents are numbered from 0. Fields are numbered in the order of their names (UTF-8).
 * - Four spaces of terms: `text` has words, `number` words of numbers (there are many, and few patterns can mean them), `keyword`
 *   whole values in lower case, `principal` entries of access lists. Terms are sorted; each has one entry for every field in which
 *   it occurs, sorted by field.
 * - Postings of an entry: number of documents, then for each the distance to the one before shifted left by one, with the lowest
 *   bit set when the term occurs once, else followed by how often. An entry with one document in which the term occurs once
 *   has no bytes: its offset is the document with {@link SINGLE} set.
 * - Positions of an entry: for each document its positions, each as the distance to the one before.
 * - A column has the distinct values of a field, numbers before texts, in sort order; their place is their ordinal.
 */

/** Raised when segments of before cannot be read any more; they are then built anew. */
export const LAYOUT_VERSION = 1;

/** Raised when objects are indexed in another way: segments of before are searched until all objects were indexed anew. */
const RULES_VERSION = 4;

/** The version of an index as a whole. */
export const INDEX_VERSION = RULES_VERSION * 1000 + LAYOUT_VERSION;

/** Can segments of an index of some version be read? */
export function isReadable(version: number): boolean {

    return version % 1000 === LAYOUT_VERSION;
}

/** Marks the offset of postings that are the number of a document. */
export const SINGLE = 0x8000_0000;

/** No such thing, in arrays of offsets. */
export const NONE = 0xffff_ffff;

export const SPACES = ['text', 'number', 'keyword', 'principal'] as const;

export type Space = typeof SPACES[number];

/** Spaces whose entries have positions. */
export const WORD_SPACES = ['text', 'number'] as const satisfies readonly Space[];

/** Places of the numbers that describe one field, in the section `fields`. */
export const FieldRecord = {
    /** Where its lengths begin in `len.bytes`, and how many there are. */
    lenStart: 0,
    lenCount: 1,
    /** Where their documents begin in `len.docs`; {@link NONE} when there is one for every document, 0 for none. */
    lenDocs: 2,
    numberStart: 3,
    numberCount: 4,
    textStart: 5,
    textCount: 6,
    /** Where the times of its texts begin in `col.times`; {@link NONE} when none is one. */
    timeStart: 7,
    /** Where the ordinals of the documents begin in `col.ords`: one more than the first value's, 0 for none. */
    ordStart: 8,
    /** Bytes of an ordinal; 0 when only pairs are kept. */
    ordWidth: 9,
    /** Pairs of document and ordinal, for further values, or for all. */
    pairStart: 10,
    pairCount: 11,
    size: 12
} as const;

/** The sections of a segment, by name. `head` holds the layout version and the number of documents. */
export type Sections = ReadonlyMap<string, Uint8Array>;

/** The names of all sections. */
export const SECTION_NAMES: readonly string[] = [
    'head', 'names', 'nameAt', 'fields',
    ...SPACES.flatMap((space) => ['terms', 'termAt', 'termEntry', 'entryField', 'entryPost', 'post'].map((name) => `${space}.${name}`)),
    ...WORD_SPACES.flatMap((space) => [`${space}.entryPos`, `${space}.pos`]),
    'len.bytes', 'len.docs',
    'col.numbers', 'col.text', 'col.textAt', 'col.times', 'col.ords', 'col.pairDocs', 'col.pairOrds'
];

/** How large a stored segment is. */
export interface SegmentSize {
    readonly name: number;
    /** Number of its documents, gone ones included. */
    readonly documents: number;
    /** How many of them are gone. */
    readonly dead: number;
    /** Of its sections. */
    readonly bytes: number;
    readonly fields: number;
}
