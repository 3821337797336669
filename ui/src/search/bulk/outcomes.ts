/** What has become of the objects of a change of many: after the first attempt, and after those that go on or try again. */

/** A failure of one object. */
export interface Failed {
    readonly id: string;
    readonly message: string;
    /** True for an object that was not deleted, as it is another than the one that was found. */
    readonly isOther: boolean;
}

/** What has become of a change so far: ids by their outcome. */
export interface BulkProgress {
    readonly changed: readonly string[];
    /** Those that were so already. */
    readonly unchanged: readonly string[];
    readonly failed: readonly Failed[];
    /** Those that were not touched, as the change ended early; empty while it runs. */
    readonly rest: readonly string[];
}

export const NOTHING_DONE: BulkProgress = { changed: [], unchanged: [], failed: [], rest: [] };

/** Number of objects that were changed or tried. */
export function doneIn({ changed, unchanged, failed }: BulkProgress): number {

    return changed.length + unchanged.length + failed.length;
}

/** Number of all objects of a change that is over. */
export function totalIn(progress: BulkProgress): number {

    return doneIn(progress) + progress.rest.length;
}

/** Ids of those that another attempt may change: an object that is another one by now would be found changed again. */
export function retriedIn({ failed }: BulkProgress): readonly string[] {

    return failed.filter(({ isOther }) => !isOther).map(({ id }) => id);
}

/** The outcomes before an attempt with those of it: what it did not come to is as it was before. */
export function joined(before: BulkProgress, { changed, unchanged, failed }: BulkProgress): BulkProgress {

    const tried = new Set([...changed, ...unchanged, ...failed.map(({ id }) => id)]);
    return {
        changed: [...before.changed, ...changed], unchanged: [...before.unchanged, ...unchanged],
        failed: [...before.failed.filter(({ id }) => !tried.has(id)), ...failed], rest: before.rest.filter((id) => !tried.has(id))
    };
}
