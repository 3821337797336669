/**
 * Tiered merge policy. Each segment is to be several times as large as all younger ones together, so that there are few segments,
 * and each document is merged only a few times. The longer nothing has changed, the larger the segments that are merged regardless
 * of this ratio: occasional small changes must not cause everything to be merged again.
 */

import type { SegmentSize } from '../../segment/format.js';


/** Load that merges depend on. */
export interface Load {
    /** Milliseconds since the last change. */
    readonly idleMs: number;
    /** Searches are being made, which are faster with few segments. */
    readonly isSearched: boolean;
}

/** Many changes, no searches. */
const BUSY: Load = { idleMs: 0, isSearched: false };

/** No changes for a long time. */
export const IDLE: Load = { idleMs: Infinity, isSearched: true };

/** An older segment is merged with the younger ones unless it is more than this many times as large as these together. */
const RATIO = 4;

/**
 * Documents of an older segment that are merged regardless of the ratio, for each millisecond without changes: a fraction of what
 * can be merged in that time.
 */
const DOCUMENTS_PER_MS = 4;

/** Milliseconds without changes after which segments are merged even if there are no searches. */
const MIN_IDLE_MS = 100;

/** Share of deleted documents above which a segment is rewritten, */
const DELETED_SHARE = 0.25;

/** and the share after some time without changes, for segments with at most this number of documents. */
const IDLE_DELETED_SHARE = 0.1;
const MAX_IDLE_DOCUMENTS = 100_000;

/** Number of segments of one size class that are merged into one. */
const FAN = 8;

/** Maximum bytes of a merged segment, because merging holds it in memory. */
const MAX_MERGED_BYTES = 512 * 1024 * 1024;

/** Maximum number of fields of a merged segment: where property names are data, each field takes memory. */
const MAX_FIELDS = 200_000;

/**
 * Maximum bytes of segments that are merged at once when searches gain from it. Every segment costs a search about the same, and
 * most indexes are not larger as a whole.
 */
const SMALL_BYTES = 32 * 1024 * 1024;

/** Returns whether to merge at this load. Changes without searches in between are merged together later. */
export function isMergeTime({ idleMs, isSearched }: Load): boolean {

    return isSearched || idleMs >= MIN_IDLE_MS;
}

/** Returns how many of the youngest segments to merge, from the number of documents of each, oldest first; 0 for none. */
export function countToMerge(documents: readonly number[], { idleMs }: Load): number {

    let first = documents.length - 1;
    let sum = documents[first] ?? 0;
    for (let older = first - 1; older >= 0; --older) {
        const size = documents[older] as number;
        if (!canMerge(size, sum, idleMs)) {
            break;
        }

        sum += size;
        first = older;
    }

    return documents.length - first > 1 ? documents.length - first : 0;
}

/** Returns whether so many documents are deleted that a segment should be rewritten. */
export function isWasteful({ documents, deleted }: { readonly documents: number; readonly deleted: number }, { idleMs }: Load): boolean {

    return deleted > documents * DELETED_SHARE ||
        deleted > documents * IDLE_DELETED_SHARE && documents <= Math.min(idleMs * DOCUMENTS_PER_MS, MAX_IDLE_DOCUMENTS);
}

/** Returns the names of the segments to merge; empty when there is nothing to do. */
export function chooseSegments(sizes: readonly SegmentSize[], load: Load = BUSY): number[] {

    const small = isMergeTime(load) ? sizes.filter(({ bytes }) => bytes <= SMALL_BYTES).toSorted((a, b) => left(b) - left(a)) : [];
    const candidates = togetherSmall(small.slice(small.length - countToMerge(small.map(left), load)));
    if (candidates.length > 1) {
        return candidates;
    }

    const wasteful = sizes.find((size) => isWasteful(size, load));
    if (wasteful) {
        return [wasteful.name];
    }

    const classes = new Map<number, SegmentSize[]>();
    for (const size of sizes) {
        const level = Math.floor(Math.log(Math.max(left(size), 1)) / Math.log(FAN));
        classes.set(level, [...classes.get(level) ?? [], size]);
    }

    for (const [, members] of [...classes].sort(([a], [b]) => a - b)) {
        const chosen = members.length >= FAN ? togetherSmall(members) : [];
        if (chosen.length > 1) {
            return chosen;
        }
    }

    return [];
}

/** Number of live documents. */
function left({ documents, deleted }: SegmentSize): number {

    return documents - deleted;
}

/** Returns the segments to merge for the least number of segments; for a new index, which is not written to continuously yet. */
export function chooseAllSmall(sizes: readonly SegmentSize[]): number[] {

    const chosen = togetherSmall(sizes);
    return chosen.length > 1 ? chosen : [];
}

/** Returns the smallest segments that fit the limits of a merged one. */
function togetherSmall(sizes: readonly SegmentSize[]): number[] {

    const chosen: number[] = [];
    let [allBytes, allFields] = [0, 0];
    for (const { name, bytes, fields } of sizes.toSorted((a, b) => a.bytes - b.bytes)) {
        allBytes += bytes;
        allFields += fields;
        if (allBytes > MAX_MERGED_BYTES || allFields > MAX_FIELDS) {
            break;
        }

        chosen.push(name);
    }

    return chosen;
}

function canMerge(documents: number, younger: number, idleMs: number): boolean {

    return documents <= Math.max(younger * RATIO, idleMs * DOCUMENTS_PER_MS);
}
