/**
 * JSON values whose text is known already, because they were parsed from it: writing them out again costs nothing.
 */

import type { JsonValue } from './json.js';

const texts = new WeakMap<object, string>();

/** Remembers the text of a value. The text must be what `JSON.stringify` makes of it, and the value must never be changed. */
export function rememberText<T extends object>(value: T, text: string): T {

    texts.set(value, text);
    return value;
}

/** The JSON text of a value. */
export function jsonText(value: JsonValue): string {

    return (typeof value === 'object' && value !== null ? texts.get(value) : undefined) ?? JSON.stringify(value);
}

/** The JSON text of a value where it is known without writing it. */
export function knownText(value: object): string | undefined {

    return texts.get(value);
}
