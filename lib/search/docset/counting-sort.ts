/**
 * Sorting by small numbers: how many there are of each is counted, and each is put in its place.
 */

/** What was sorted, group by group. */
export interface Groups {
    /** Places in the list that was sorted; those of one group keep their order. */
    readonly members: Uint32Array;
    /** Where the members of each group begin; one more for the end of the last. */
    readonly starts: Uint32Array;
}

/**
 * @param groups the group of each, from 0
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
        const place = next[group] as number;
        members[place] = i;
        next[group] = place + 1;
    }

    return { members, starts };
}
