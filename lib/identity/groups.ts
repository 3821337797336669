/**
 * Which groups somebody is in, groups within groups included.
 */

import type { GroupStore } from '../stores/group-store.js';

/** Groups of one user; more than this and the rest is left out. */
const MAX_GROUPS = 10_000;

/**
 * Ids of all groups that list one of the given ids, directly or through other groups, in ascending order. Groups that contain
 * each other do no harm.
 */
export async function groupIdsOf(store: GroupStore, ids: readonly string[]): Promise<string[]> {

    const found = new Set<string>();
    let level: readonly string[] = ids;
    while (level.length > 0 && found.size < MAX_GROUPS) {
        const listing = await store.groupsListing(level);
        level = listing.filter((id) => !found.has(id)).slice(0, MAX_GROUPS - found.size);
        for (const id of level) {
            found.add(id);
        }
    }

    return [...found].sort();
}
