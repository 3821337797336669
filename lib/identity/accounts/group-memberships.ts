/**
 * Which groups somebody is in, groups within groups included.
 */

import type { GroupStore } from '../../stores/group-store.js';
import { ADMIN_ID } from '../../model/caller.js';

/**
 * Groups of one author that count for one user; more than this and the rest of that author is left out. Those of others are
 * not affected, and those of the administrator are not counted.
 */
const MAX_OF_AUTHOR = 10_000;

/**
 * Ids of all groups that list one of the given ids, directly or through other groups, in ascending order. Groups that contain
 * each other do no harm.
 */
export async function groupIdsOf(store: Pick<GroupStore, 'groupsListing'>, ids: readonly string[]): Promise<string[]> {

    const found = new Set<string>();
    const byAuthor = new Map<string | null, number>();
    let level: readonly string[] = ids;
    while (level.length > 0) {
        const next: string[] = [];
        for await (const groups of store.groupsListing(level)) {
            for (const { id, author } of groups) {
                const count = byAuthor.get(author) ?? 0;
                if (!found.has(id) && (author === ADMIN_ID || count < MAX_OF_AUTHOR)) {
                    byAuthor.set(author, count + 1);
                    found.add(id);
                    next.push(id);
                }
            }
        }

        level = next;
    }

    return [...found].sort();
}
