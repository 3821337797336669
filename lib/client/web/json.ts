/** JSON in requests and responses. */

import type { JsonObject } from '../../util/json-types.js';

/** True for a JSON object: not null, not an array. */
export function isJson(value: unknown): value is JsonObject {

    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value as JSON text. @throws TypeError for what JSON cannot express as a whole, such as undefined or a function */
export function jsonText(value: unknown, name: string): string {

    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) {
        throw new TypeError(`${name} must be a JSON value`);
    }

    return text;
}

/** Returns an object without the members that are undefined. */
export function defined<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {

    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}
