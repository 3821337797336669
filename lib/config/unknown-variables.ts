/**
 * Variables of the environment whose names are almost those of settings. An environment holds much that is meant for others, so
 * they are no faults; but who writes DATABSE_URL should not find out from an empty repository.
 */

import { closest, distance } from 'fastest-levenshtein';

/** A variable and the setting that was probably meant. */
export interface MisspeltVariable {
    readonly variable: string;
    readonly setting: string;
}

/** Shorter names are like too many others: only changed places of letters count there. */
const LONG = 6;

/** Names of variables that have a value, are no settings, and look like one. */
export function misspeltVariables(environment: NodeJS.ProcessEnv, settings: readonly string[]): MisspeltVariable[] {

    const known = new Set(settings);
    return Object.keys(environment).filter((name) => !known.has(name) && environment[name] !== '').flatMap((variable) => {

        const wanted = variable.toUpperCase();
        const setting = closest(wanted, settings);
        return isNear(wanted, setting) ? [{ variable, setting }] : [];
    });
}

function isNear(name: string, setting: string): boolean {

    if (setting.length < LONG) {
        return [...name].sort().join('') === [...setting].sort().join('');
    }

    return distance(name, setting) <= (setting.length < 2 * LONG ? 1 : 2);
}
