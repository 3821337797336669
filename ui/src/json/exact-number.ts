/**
 * JSON values whose numbers keep the text they were sent with: `1.10`, `1e3` and integers beyond 2^53 would be changed by a round trip through
 * JavaScript's numbers, so they are objects with their text. All other numbers are plain.
 */

/** A number that JavaScript would write differently. */
export class ExactNumber {

    readonly text: string;

    constructor(text: string) {

        this.text = text;
    }

    toString(): string {

        return this.text;
    }

    /** For code that takes plain JSON. */
    toJSON(): number {

        return Number(this.text);
    }
}

export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonMap;

/** An object of JSON. */
export interface JsonMap {
    readonly [name: string]: Json;
}

/** Returns the number that a text of JSON stands for. */
export function numberOf(text: string): number | ExactNumber {

    const value = Number(text);
    return String(value) === text ? value : new ExactNumber(text);
}

/** A number in a text of JSON; in its strings there may be more that look like one. */
const NUMBERS = /[:,[]\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** False for a text of JSON in which each number is written as JavaScript would write it, so that `JSON.parse` changes none. */
export function mayHaveExactNumbers(text: string): boolean {

    for (const [, number = ''] of text.matchAll(NUMBERS)) {
        if (String(Number(number)) !== number) {
            return true;
        }
    }

    return false;
}

/** True for an object of JSON: not null, no array, no number. */
export function isJsonMap(value: unknown): value is JsonMap {

    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** True for a number, exact or not. */
export function isNumber(value: unknown): value is number | ExactNumber {

    return typeof value === 'number' || value instanceof ExactNumber;
}

/** True for a value without parts. */
export function isScalar(value: Json | undefined): boolean {

    return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

/** Sets a property, also one named `__proto__`. */
export function define(object: Record<string, Json>, name: string, value: Json): void {

    if (name === '__proto__') {
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
    }
    else {
        object[name] = value;
    }
}

/** Returns whether two values are the same JSON. The order of properties does not matter, the text of numbers does. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {

    if (a === b) {
        return true;
    }

    if (a instanceof ExactNumber || b instanceof ExactNumber) {
        return isNumber(a) && isNumber(b) && String(a) === String(b);
    }

    if (Array.isArray(a)) {
        const other = b as readonly Json[];
        return Array.isArray(b) && a.length === other.length && a.every((value, i) => isEqual(value as Json, other[i]));
    }

    if (!isJsonMap(a) || !isJsonMap(b)) {
        return false;
    }

    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}

/** Returns whether two values are equal as JSON Schema means it: 1.0 equals 1. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {

    return isNumber(a) && isNumber(b) ? Number(a) === Number(b) : isEqual(a, b);
}
