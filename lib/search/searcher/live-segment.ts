/**
 * A segment that is searched, with the documents of it that are deleted.
 */

import type { Bits } from '../docset/bit-set.js';
import type { Segment } from '../segment/segment-reader.js';

/** A segment, and which of its documents are gone: another array whenever more are. */
export interface LiveSegment {
    readonly segment: Segment;
    readonly dead: Bits;
}
