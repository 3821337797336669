/**
 * Pins of the segments of a running search: a segment that is replaced meanwhile is released when the search has ended. A released
 * segment caches nothing, so that the search would repeat its lookups.
 */

import type { Segment } from '../segment/segment-reader.js';
import type { LiveSegment } from '../searcher/live-segment.js';

export class SegmentPins {

    #leased: readonly LiveSegment[] | null = null;
    #pending: Segment[] = [];

    /** Runs a search with its segments pinned. Other searches may run in between, and segments may be released. */
    during<T>(segments: readonly LiveSegment[], search: () => T): T {

        if (this.#leased) {
            // A search that preempts another one is not interrupted itself, so it needs no pins.
            return search();
        }

        this.#leased = segments;
        try {
            return search();
        }
        finally {
            this.#leased = null;
            this.#pending.forEach((segment) => segment.release());
            this.#pending = [];
        }
    }

    /** Releases a replaced segment, as soon as it is not pinned. */
    release(segment: Segment): void {

        if (this.#leased?.some((live) => live.segment === segment)) {
            this.#pending.push(segment);
        }
        else {
            segment.release();
        }
    }
}
