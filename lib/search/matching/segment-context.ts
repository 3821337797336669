/**
 * One segment as one search sees it.
 */

import type { Deadline } from '../query/query-deadline.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { PhraseMatchCache } from './phrase-match-cache.js';
import type { Segment } from '../segment/segment-reader.js';
import type { View } from './visible-docs.js';
import type { TermDictionary } from '../segment/term-dictionary.js';
import type { ScratchBuffers } from '../docset/scratch-buffers.js';

export interface SegmentContext {
    readonly segment: Segment;
    readonly view: View;
    /** Documents that are there, may be seen and are wanted. Not to be changed. */
    readonly visible: DocumentSet;
    /** Documents whose words of payloads may be searched; null for all. Not to be changed. */
    readonly payloads: DocumentSet | null;
    readonly deadline: Deadline;
    readonly phrases: PhraseMatchCache;
    readonly room: ScratchBuffers;
}

/** Has it to be asked whether the words of an entry may be searched in a document? */
export function isHidden({ segment, payloads }: SegmentContext, space: TermDictionary, entry: number): boolean {

    return payloads !== null && space.name === 'text' && space.fieldOf(entry) < segment.payloadFields;
}
