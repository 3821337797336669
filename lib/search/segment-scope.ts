/**
 * One segment as one search sees it.
 */

import type { Deadline } from './deadline.js';
import type { DocumentSet } from './document-set.js';
import type { PhraseNotes } from './phrase-notes.js';
import type { Segment } from './segment.js';
import type { View } from './visibility.js';
import type { TermSpace } from './term-space.js';
import type { WorkRoom } from './work-room.js';

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
