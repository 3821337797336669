/**
 * A segment on its way into a larger one.
 */

import type { Segment } from '../../segment/segment-reader.js';

/** No new number: the document was left out. */
export const GONE = 0xffff_ffff;

/** A source, and where its documents and fields go. */
export interface Part {
    readonly segment: Segment;
    /** The new number of each of its documents; {@link GONE} for those left out. */
    readonly map: Uint32Array;
    /** The new number of each of its fields. */
    readonly fields: Uint32Array;
    /** True when nothing is left out: its documents only move up. */
    readonly isWhole: boolean;
    /** What its first document becomes. */
    readonly base: number;
}
