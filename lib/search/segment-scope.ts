/**
 * One segment as one search sees it: which documents count, and working memory.
 */

import type { Bits } from './bits.js';
import { countBits } from './bits.js';
import type { Deadline } from './deadline.js';
import { decodeLength } from './lengths.js';
import type { Segment } from './segment.js';

export interface ScopeOptions {
    /** Documents that are there, may be seen and are wanted. */
    readonly visible: Bits;
    /** Documents whose words of payloads may be searched; null for all. */
    readonly payloads: Bits | null;
    readonly deadline: Deadline;
}

/** Lengths of the documents that count, in one field. */
export interface LengthSum {
    readonly documents: number;
    readonly words: number;
}

export class SegmentScope {

    readonly segment: Segment;
    readonly visible: Bits;
    readonly payloads: Bits | null;
    readonly deadline: Deadline;
    readonly visibleCount: number;
    #documents: Uint32Array | null = null;
    #frequencies: Uint32Array | null = null;

    constructor(segment: Segment, { visible, payloads, deadline }: ScopeOptions) {

        this.segment = segment;
        this.visible = visible;
        this.payloads = payloads;
        this.deadline = deadline;
        this.visibleCount = countBits(visible);
    }

    /** Room for a list of documents; for one user at a time. */
    get documents(): Uint32Array {

        this.#documents ??= new Uint32Array(this.segment.documents);
        return this.#documents;
    }

    /** Room for a number of each of {@link documents}. */
    get frequencies(): Uint32Array {

        this.#frequencies ??= new Uint32Array(this.segment.documents);
        return this.#frequencies;
    }

    /** Sums up the lengths of a field over the documents that count. */
    lengthSum(name: string): LengthSum {

        const field = this.segment.field(name);
        const lengths = field === -1 ? null : this.segment.lengths(field);
        let [documents, words] = [0, 0];
        for (let i = 0; lengths && i < lengths.bytes.length; ++i) {
            const document = lengths.documents ? lengths.documents[i] as number : i;
            const byte = lengths.bytes[i] as number;
            if (byte !== 0 && ((this.visible[document >>> 5] as number) >>> (document & 31) & 1) === 1) {
                ++documents;
                words += decodeLength(byte);
            }
        }

        return { documents, words };
    }
}
