/**
 * Which segments become one: a tiered merge policy. Each segment is to be several times as large as all younger ones together, so that there
 * are few of them and each document is merged a few times only. The longer nothing has changed, the larger the ones that are merged
 * all the same: a small change now and then does not have everything merged again.
 */

import type { SegmentSize } from '../../segment/format.js';


/** What is known of the load. */
export interface Load {
    /** Milliseconds since the last change. */
    readonly quiet: number;
    /** Searches are made at the moment: they gain from few segments. */
    readonly isSearched: boolean;
}

/** Many changes, and nobody who searches. */
const BUSY: Load = { quiet: 0, isSearched: false };

/** Nothing has changed for very long. */
export const PATIENT: Load = { quiet: Infinity, isSearched: true };

/** An older segment is merged with the younger ones until it is so many times as large as these. */
const RATIO = 4;

/** Documents of an older segment for each millisecond without changes: a fraction of what is merged in that time. */
const DOCUMENTS_PER_MS = 4;

/** Milliseconds without changes after which segments are merged though nobody searches. */
const QUIET = 100;

/** Segments that lost this share of their documents are written anew; */
const DELETED_SHARE = 0.25;

/** when nothing has changed for a while, with this one, unless they have more documents than these. */
const QUIET_DELETED_SHARE = 0.1;
const MAX_QUIET = 100_000;

/** So many segments of one size class become one. */
const FAN = 8;

/** Larger segments are not made of smaller ones: merging holds them in memory. */
const MAX_MERGED_BYTES = 512 * 1024 * 1024;

/** Nor of segments with more properties together: where names are data, each has its share of memory. */
const MAX_FIELDS = 200_000;

/**
 * Segments of up to so many bytes are merged at once where searches gain from it: each takes about as long as any other, and the whole
 * index of most services is not larger.
 */
const SMALL_BYTES = 32 * 1024 * 1024;

/** Are segments to be merged at this load? Many changes that nobody searches between are merged together later. */
export function isMergeTime({ quiet, isSearched }: Load): boolean {

    return isSearched || quiet >= QUIET;
}

/** How many of the youngest segments should become one, given how many documents each has, oldest first; 0 for none. */
export function countToMerge(documents: readonly number[], { quiet }: Load): number {

    let first = documents.length - 1;
    let sum = documents[first] ?? 0;
    for (let older = first - 1; older >= 0; --older) {
        const size = documents[older] as number;
        if (!canMerge(size, sum, quiet)) {
            break;
        }

        sum += size;
        first = older;
    }

    return documents.length - first > 1 ? documents.length - first : 0;
}

/** Has a segment lost so many documents that it is worth while to write it anew? */
export function isWasteful({ documents, dead }: { readonly documents: number; readonly dead: number }, { quiet }: Load): boolean {

    return dead > documents * DELETED_SHARE || dead > documents * QUIET_DELETED_SHARE && documents <= Math.min(quiet * DOCUMENTS_PER_MS, MAX_QUIET);
}

/** Segments that should become one; none when all is well. */
export function chooseSegments(sizes: readonly SegmentSize[], load: Load = BUSY): number[] {

    const small = isMergeTime(load) ? sizes.filter(({ bytes }) => bytes <= SMALL_BYTES).toSorted((a, b) => left(b) - left(a)) : [];
    const few = togetherSmall(small.slice(small.length - countToMerge(small.map(left), load)));
    if (few.length > 1) {
        return few;
    }

    const wasteful = sizes.find((size) => isWasteful(size, load));
    if (wasteful) {
        return [wasteful.name];
    }

    const classes = new Map<number, SegmentSize[]>();
    for (const size of sizes) {
        const place = Math.floor(Math.log(Math.max(left(size), 1)) / Math.log(FAN));
        classes.set(place, [...classes.get(place) ?? [], size]);
    }

    for (const [, members] of [...classes].sort(([a], [b]) => a - b)) {
        const chosen = members.length >= FAN ? togetherSmall(members) : [];
        if (chosen.length > 1) {
            return chosen;
        }
    }

    return [];
}

/** Documents that are there. */
function left({ documents, dead }: SegmentSize): number {

    return documents - dead;
}

/** As few segments as there can be; for a new index, which nobody writes to all the time yet. */
export function chooseAllSmall(sizes: readonly SegmentSize[]): number[] {

    const chosen = togetherSmall(sizes);
    return chosen.length > 1 ? chosen : [];
}

/** The smallest segments that may become one. */
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

function canMerge(documents: number, younger: number, quiet: number): boolean {

    return documents <= Math.max(younger * RATIO, quiet * DOCUMENTS_PER_MS);
}
