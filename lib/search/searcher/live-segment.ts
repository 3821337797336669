/**
 * A segment with its tombstones, as searches get it.
 */

import type { Bits } from '../docset/bit-set.js';
import type { Segment } from '../segment/segment-reader.js';

/** A segment and its tombstones, which are a new array after each deletion. */
export interface LiveSegment {
    readonly segment: Segment;
    readonly deleted: Bits;
}
