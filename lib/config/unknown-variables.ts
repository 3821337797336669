/**
 * Detects misspelt settings among environment variables. Unknown variables are not errors, as most belong to other programs, but a misspelt
 * DATABASE_URL must not pass silently.
 */

import { closest, distance } from 'fastest-levenshtein';

/** A variable and the setting that was probably meant. */
export interface MisspeltVariable {
    readonly variable: string;
    readonly setting: string;
}

/** Minimum length for a comparison by edit distance; shorter names match only as anagrams, since too many are similar. */
const LONG = 6;

/** Finds variables with a value that are not settings but look like one. */
export function misspeltVariables(environment: NodeJS.ProcessEnv, settings: readonly string[]): MisspeltVariable[] {

    const names = new Set(settings);
    return Object.keys(environment).filter((name) => !names.has(name) && environment[name] !== '').flatMap((variable) => {

        const expected = variable.toUpperCase();
        const setting = closest(expected, settings);
        return isNear(expected, setting) ? [{ variable, setting }] : [];
    });
}

function isNear(name: string, setting: string): boolean {

    if (setting.length < LONG) {
        return [...name].sort().join('') === [...setting].sort().join('');
    }

    return distance(name, setting) <= (setting.length < 2 * LONG ? 1 : 2);
}
