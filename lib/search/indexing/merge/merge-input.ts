/**
 * Input of a merge.
 */

import type { Segment } from '../../segment/segment-reader.js';

/** New number of a deleted document: none. */
export const DELETED = 0xffff_ffff;

/** A source segment, with the new numbers of its documents and fields. */
export interface Part {
    readonly segment: Segment;
    /** New number of each document; {@link DELETED} for deleted ones. */
    readonly map: Uint32Array;
    /** New number of each field. */
    readonly fields: Uint32Array;
    /** True when no document was deleted, so that all numbers are shifted by {@link base}. */
    readonly isWhole: boolean;
    /** Number of its first document in the merged segment. */
    readonly base: number;
}
