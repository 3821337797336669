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
    readonly deleted: Bits;
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
    deleted: Bits;
    isShared: boolean;
    deletedCount: number;
    /** Documents were deleted since the last {@link LiveSegments.seal}. */
    isDirty: boolean;
    /** Frozen: being stored or merged, so that it must not be merged again. */
    isSealed: boolean;
}

export function newEntry(name: number, segment: Segment, deleted: Bits): Entry {

    return { name, segment, deleted, isShared: false, deletedCount: countBits(deleted), isDirty: false, isSealed: false };
}

/** Returns the youngest segments that should be merged, or one segment with many deleted documents. */
export function youngToMerge(young: readonly Entry[], load: Load): Entry[] {

    const count = countToMerge(young.map(({ segment, deletedCount }) => segment.documents - deletedCount), load);
    if (count > 0) {
        return young.slice(-count);
    }

    return young.filter(({ segment, deletedCount }) => isWasteful({ documents: segment.documents, deleted: deletedCount }, load)).slice(0, 1);
}

/** Returns the total number of documents, or of bytes in memory. */
export function sumOf(entries: readonly Entry[], property: 'documents' | 'bytes'): number {

    return entries.reduce((sum, { segment }) => sum + segment[property], 0);
}

function sectionsOf({ source }: Segment): Sections {

    if (!(source instanceof SectionsInMemory)) {
        throw new Error('only what is in memory can be handed on');
    }

    return source.sections;
}

/** Returns an unstored segment with a copy of its tombstones, for another thread. */
export function toNamed({ name, segment, deleted }: Entry): NamedSegment {

    return { name, sections: sectionsOf(segment), deleted: deleted.slice() };
}
