/** What copies of the rows before a migration have in common on all databases. */

/** Added to the number of the last blob of a copy, so that no new blob gets the number of one that was stored after the copy. */
export const SKIPPED_BLOBS = 1_000_000_000;

/** Returns the last migration of a database that some are missing in; null for a new one, and for one of a newer version. */
export function lastBeforeMigration(done: readonly string[], known: readonly string[]): string | null {

    return done.length < known.length && done.every((name) => known.includes(name)) ? done.at(-1) ?? null : null;
}
