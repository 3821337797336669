/**
 * Counting sort: groups items by small numbers in linear time.
 */

/** Result of the sort, group by group. */
export interface Groups {
    /** Indices in the sorted list; within a group they keep their order. */
    readonly members: Uint32Array;
    /** Start of each group in `members`, and the end of the last. */
    readonly starts: Uint32Array;
}

/**
 * Groups items.
 *
 * @param groups group of each item, 0-based
 * @param count number of groups
 */
export function groupBy(groups: Uint32Array, count: number): Groups {

    const starts = new Uint32Array(count + 1);
    for (const group of groups) {
        starts[group + 1] = (starts[group + 1] as number) + 1;
    }

    for (let group = 1; group <= count; ++group) {
        starts[group] = (starts[group] as number) + (starts[group - 1] as number);
    }

    const next = starts.slice();
    const members = new Uint32Array(groups.length);
    for (let i = 0; i < groups.length; ++i) {
        const group = groups[i] as number;
        const index = next[group] as number;
        members[index] = i;
        next[group] = index + 1;
    }

    return { members, starts };
}
