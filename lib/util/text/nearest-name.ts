/** Suggestions for misspelt names in messages. */

import { closest, distance } from 'fastest-levenshtein';

/** Below this length all names are similar: one is near another with the same letters, or within one edit. */
const LONG = 4;

/** Returns the name that was probably meant; null where none is near: at most two edits, or a third of the characters. */
export function nearestName(name: string, names: readonly string[]): string | null {

    const swapped = names.find((each) => isAnagram(name, each));
    if (swapped !== undefined || names.length === 0) {
        return swapped ?? null;
    }

    const nearest = closest(name, names);
    return distance(name, nearest) <= (name.length < LONG ? 1 : Math.max(2, name.length / 3)) ? nearest : null;
}

/** True for texts of the same characters. */
export function isAnagram(text: string, other: string): boolean {

    return text.length === other.length && [...text].sort().join('') === [...other].sort().join('');
}
