/**
 * Pins of the segments of a running search: a segment that is replaced meanwhile is released when the search has ended. A released
 * segment caches nothing, so that the search would repeat its lookups.
 */

import type { Segment } from '../segment/segment-reader.js';
import type { LiveSegment } from '../searcher/live-segment.js';

export class SegmentPins {

    #held: readonly LiveSegment[] | null = null;
    #released: Segment[] = [];

    /** Runs a search with its segments pinned. Other searches may run in between, and segments may be released. */
    during<T>(segments: readonly LiveSegment[], search: () => T): T {

        if (this.#held) {
            // A search that preempts another one is not interrupted itself, so it needs no pins.
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

    /** Releases a replaced segment, as soon as it is not pinned. */
    release(segment: Segment): void {

        if (this.#held?.some((live) => live.segment === segment)) {
            this.#released.push(segment);
        }
        else {
            segment.release();
        }
    }
}
