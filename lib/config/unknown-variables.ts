/**
 * Detects misspelt settings among environment variables. Unknown variables are not errors, as most belong to other programs, but a misspelt
 * DATABASE_URL must not pass silently.
 */

import { closest, distance } from 'fastest-levenshtein';
import { isAnagram } from '../util/text/nearest-name.js';

/** A variable and the setting that was probably meant. */
export interface MisspeltVariable {
    readonly variable: string;
    readonly setting: string;
}

/** Minimum length for a comparison by edit distance; shorter names match only as anagrams, since too many are similar. */
const LONG = 6;

/** Maximum edit distance between a misspelt name and the one that was meant. */
const MAX_EDITS = 2;

/** Finds variables with a value that are not settings but look like one. */
export function misspeltVariables(environment: NodeJS.ProcessEnv, settings: readonly string[]): MisspeltVariable[] {

    const names = new Set(settings);
    return Object.keys(environment).filter((name) => !names.has(name) && environment[name] !== '').flatMap((variable) => {

        const expected = variable.toUpperCase();
        // Edit distances take time, and that of names whose lengths differ more is greater.
        const candidates = settings.filter(({ length }) => Math.abs(length - expected.length) <= MAX_EDITS);
        const setting = closest(expected, candidates);
        return candidates.length > 0 && isNear(expected, setting) ? [{ variable, setting }] : [];
    });
}

function isNear(name: string, setting: string): boolean {

    if (setting.length < LONG) {
        return isAnagram(name, setting);
    }

    return distance(name, setting) <= (setting.length < 2 * LONG ? 1 : MAX_EDITS);
}
