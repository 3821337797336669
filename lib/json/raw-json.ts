/**
 * Cache of the JSON text of values that were parsed from it, so that serialising them costs nothing.
 */

import { marked, unmarked, writeJson, writeStored } from './serializer.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

const texts = new WeakMap<object, string>();

/** Caches the text of a value. The text must equal that of {@link writeStored}, and the value must never be modified. */
export function rememberText<T extends object>(value: T, text: string): T {

    texts.set(value, unmarked(text));
    return value;
}

/** Returns the JSON text of a value. */
export function jsonText(value: JsonValue): string {

    return (typeof value === 'object' && value !== null ? texts.get(value) : undefined) ?? writeJson(value);
}

/** Like {@link writeStored}, with the cached text if there is one. */
export function storedText(value: JsonObject): string {

    const text = texts.get(value);
    return text === undefined ? writeStored(value) : marked(text, value);
}

/** Returns the cached JSON text of a value, if there is one. */
export function rawJson(value: object): string | undefined {

    return texts.get(value);
}
