/**
 * Live segments with their state.
 */

import { countBits } from '../docset/bit-set.js';
import type { Bits } from '../docset/bit-set.js';
import { countToMerge, isWasteful } from './merge/merge-policy.js';
import type { Load } from './merge/merge-policy.js';
import { SectionsInMemory } from '../segment/section-reader.js';
import type { Sections } from '../segment/format.js';
import type { Segment } from '../segment/segment-reader.js';

/** A segment with its name. The store assigns names; those of unstored segments are negative. */
export interface NamedSegment {
    readonly name: number;
    readonly sections: Sections;
    readonly dead: Bits;
}

/** Result of a merge: a stored segment, or sections in memory. */
export type MergedSegment = StoredName | { readonly sections: Sections };

/** Name of a stored segment, and the bytes of its sections. */
export interface StoredName {
    readonly name: number;
    readonly sizes: ReadonlyMap<string, number>;
}

/** A live segment. */
export interface Entry {
    readonly name: number;
    readonly segment: Segment;
    /** Tombstones. Copy-on-write: not modified once a snapshot shares them. */
    dead: Bits;
    isGivenAway: boolean;
    deadCount: number;
    /** Documents were deleted since the last {@link LiveSegments.seal}. */
    isDirty: boolean;
    /** Frozen: being stored or merged, so that it must not be merged again. */
    isSealed: boolean;
}

export function newEntry(name: number, segment: Segment, dead: Bits): Entry {

    return { name, segment, dead, isGivenAway: false, deadCount: countBits(dead), isDirty: false, isSealed: false };
}

/** Returns the youngest segments that should be merged, or one segment with many deleted documents. */
export function youngToMerge(young: readonly Entry[], load: Load): Entry[] {

    const count = countToMerge(young.map(({ segment, deadCount }) => segment.documents - deadCount), load);
    if (count > 0) {
        return young.slice(-count);
    }

    return young.filter(({ segment, deadCount }) => isWasteful({ documents: segment.documents, dead: deadCount }, load)).slice(0, 1);
}

/** Returns the total number of documents, or of bytes in memory. */
export function sumOf(entries: readonly Entry[], what: 'documents' | 'bytes'): number {

    return entries.reduce((sum, { segment }) => sum + segment[what], 0);
}

function sectionsOf({ source }: Segment): Sections {

    if (!(source instanceof SectionsInMemory)) {
        throw new Error('only what is in memory can be handed on');
    }

    return source.sections;
}

/** Returns an unstored segment with a copy of its tombstones, for another thread. */
export function toNamed({ name, segment, dead }: Entry): NamedSegment {

    return { name, sections: sectionsOf(segment), dead: dead.slice() };
}
