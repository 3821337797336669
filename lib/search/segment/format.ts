/**
 * Layout of a segment: sections of bytes, each an array of one kind. Numbers are little-endian.
 *
 * - Documents are numbered from 0. Fields are numbered in the order of their names (UTF-8).
 * - Term dictionaries, called spaces, are five: `text` has words, `number` words of numbers (there are many, and few patterns match
 *   them), `stem` stems of words of texts, each after its language and a zero byte, `keyword` whole values in lower case, `principal`
 *   entries of access control lists. Terms are sorted; each has one entry for every field in which it occurs, sorted by field. A segment
 *   without stems has no sections for them.
 * - Postings of an entry: number of documents, then for each the delta to the one before shifted left by one, with the lowest bit set
 *   when the term occurs once, else followed by the frequency. An entry with one document in which the term occurs once has no bytes:
 *   its offset is the document with {@link SINGLE} set.
 * - Positions of an entry: for each document its positions, delta-encoded.
 * - Doc values (columns): the distinct values of a field in sort order, numbers before texts; the index of a value is its ordinal.
 */

/** Format version. Increase it on an incompatible change; older segments are rebuilt. */
export const LAYOUT_VERSION = 1;

/**
 * Version of mapping and analysis. Increase it when objects are indexed differently; older segments are searched until all objects
 * have been reindexed.
 */
const RULES_VERSION = 6;

/** Version of an index as a whole: rules and layout. */
export const INDEX_VERSION = RULES_VERSION * 1000 + LAYOUT_VERSION;

/** Returns whether segments of an index version can be read. */
export function isReadable(version: number): boolean {

    return version % 1000 === LAYOUT_VERSION;
}

/** Flag of an offset that is not an offset but the only document of the entry. */
export const SINGLE = 0x8000_0000;

/** Offset of something that does not exist. */
export const NONE = 0xffff_ffff;

/** Term dictionaries, by kind of their terms. */
export const TERM_KINDS = ['text', 'number', 'keyword', 'principal', 'stem'] as const;

export type TermKind = typeof TERM_KINDS[number];

/** Term dictionaries whose entries have positions. */
export const POSITIONAL_KINDS = ['text', 'number'] as const satisfies readonly TermKind[];

/** Returns whether a term dictionary can have terms in fields of payloads. */
export function hasPayloadTerms(kind: TermKind): boolean {

    return kind === 'text' || kind === 'stem';
}

/** Indices of the numbers that describe one field, in the section `fields`. */
export const FieldRecord = {
    /** Start of its norms in `len.bytes`, and their number. */
    lenStart: 0,
    lenCount: 1,
    /** Start of their documents in `len.docs`; {@link NONE} when every document has a norm (0 for no words). */
    lenDocs: 2,
    numberStart: 3,
    numberCount: 4,
    textStart: 5,
    textCount: 6,
    /** Start of the times of its texts in `col.times`; {@link NONE} when no text is a time. */
    timeStart: 7,
    /** Start of the ordinals in `col.ords`: for each document that of its first value plus one, 0 for none. */
    ordStart: 8,
    /** Bytes of an ordinal; 0 when only pairs are stored. */
    ordWidth: 9,
    /** Pairs of document and ordinal, for further values or for all. */
    pairStart: 10,
    pairCount: 11,
    size: 12
} as const;

/** Sections of a segment, by name. `head` holds the layout version, the number of documents and the number of fields. */
export type Sections = ReadonlyMap<string, Uint8Array>;

/** Names of the sections that every segment has. */
export const SECTION_NAMES: readonly string[] = [
    'head', 'names', 'nameAt', 'fields',
    ...TERM_KINDS.filter((kind) => kind !== 'stem').flatMap(sectionsOf),
    ...POSITIONAL_KINDS.flatMap((kind) => [`${kind}.entryPos`, `${kind}.pos`]),
    'len.bytes', 'len.docs',
    'col.numbers', 'col.text', 'col.textAt', 'col.times', 'col.ords', 'col.pairDocs', 'col.pairOrds'
];

/** Names of the optional sections for stems: a segment has all of them or none. */
export const STEM_SECTION_NAMES: readonly string[] = sectionsOf('stem');

function sectionsOf(kind: TermKind): string[] {

    return ['terms', 'termAt', 'termEntry', 'entryField', 'entryPost', 'post'].map((name) => `${kind}.${name}`);
}

/** Size of a stored segment. */
export interface SegmentSize {
    readonly name: number;
    /** Number of documents, deleted ones included. */
    readonly documents: number;
    /** Number of deleted documents. */
    readonly deleted: number;
    /** Bytes of all sections. */
    readonly bytes: number;
    readonly fields: number;
}
