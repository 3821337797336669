/**
 * Cache of the JSON text of values that were parsed from it, so that serialising them costs nothing.
 */

import { unmarked, writeJson, writeStored } from './serializer.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

const texts = new WeakMap<object, string>();

/** Caches the text of a value. The text must equal that of {@link writeStored}, and the value must never be modified. */
export function rememberText<T extends object>(value: T, text: string): T {

    texts.set(value, text);
    return value;
}

/** Returns the JSON text of a value. */
export function jsonText(value: JsonValue): string {

    return (typeof value === 'object' && value !== null ? rawJson(value) : undefined) ?? writeJson(value);
}

/** Like {@link writeStored}, with the cached text if there is one. */
export function storedText(value: JsonObject): string {

    return texts.get(value) ?? writeStored(value);
}

/** Returns the cached JSON text of a value, if there is one. */
export function rawJson(value: object): string | undefined {

    const text = texts.get(value);
    return text === undefined ? undefined : unmarked(text);
}
