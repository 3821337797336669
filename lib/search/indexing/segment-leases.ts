/**
 * Segments that are searched while other things are done: what takes their place meanwhile releases them when the search has ended.
 * Nothing is kept of a released segment, and the search would have to make what it looks up again and again.
 */

import type { Segment } from '../segment/segment-reader.js';
import type { LiveSegment } from '../searcher/live-segment.js';

export class SegmentPins {

    #held: readonly LiveSegment[] | null = null;
    #released: Segment[] = [];

    /** Searches some segments. In the midst of it there may be other searches, and segments may be released. */
    during<T>(segments: readonly LiveSegment[], search: () => T): T {

        if (this.#held) {
            // Nothing else is done in the midst of this one.
            return search();
        }

        this.#held = segments;
        try {
            return search();
        }
        finally {
            this.#held = null;
            this.#released.forEach((segment) => segment.release());
            this.#released = [];
        }
    }

    /** Releases a segment that nobody searches from now on. */
    release(segment: Segment): void {

        if (this.#held?.some((live) => live.segment === segment)) {
            this.#released.push(segment);
        }
        else {
            segment.release();
        }
    }
}
