/** Changes of two people to the entries of one right. */

/** The entries as somebody else has changed them, with what was added to and removed from those of before. */
export function mergedEntries(before: readonly string[], own: readonly string[], theirs: readonly string[]): readonly string[] {

    const kept = theirs.filter((each) => own.includes(each) || !before.includes(each));
    return [...kept, ...own.filter((each) => !before.includes(each) && !kept.includes(each))];
}
