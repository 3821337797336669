/**
 * One segment as one search sees it.
 */

import type { Deadline } from '../query/query-deadline.js';
import type { DocumentSet } from '../docset/doc-id-set.js';
import type { PhraseNotes } from './phrase-match-cache.js';
import type { Segment } from '../segment/segment-reader.js';
import type { View } from './visible-docs.js';
import type { TermSpace } from '../segment/term-dictionary.js';
import type { WorkRoom } from '../docset/scratch-buffers.js';

export interface SegmentScope {
    readonly segment: Segment;
    readonly view: View;
    /** Documents that are there, may be seen and are wanted. Not to be changed. */
    readonly visible: DocumentSet;
    /** Documents whose words of payloads may be searched; null for all. Not to be changed. */
    readonly payloads: DocumentSet | null;
    readonly deadline: Deadline;
    readonly phrases: PhraseNotes;
    readonly room: WorkRoom;
}

/** Has it to be asked whether the words of an entry may be searched in a document? */
export function isHidden({ segment, payloads }: SegmentScope, space: TermSpace, entry: number): boolean {

    return payloads !== null && space.name === 'text' && space.fieldOf(entry) < segment.payloadFields;
}
