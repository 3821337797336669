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

/** Values whose text is cached when it is first made. */
const shared = new WeakSet();

/** Caches the text of a value that is sent again and again, when it is first made. The value must never be modified. */
export function withText<T extends JsonObject>(value: T): T {

    shared.add(value);
    return value;
}

/** Returns the JSON text of a value. */
export function jsonText(value: JsonValue): string {

    if (typeof value !== 'object' || value === null) {
        return writeJson(value);
    }

    return rawJson(value) ?? (shared.has(value) ? unmarked(remember(value)) : writeJson(value));
}

function remember(value: object): string {

    const text = writeStored(value);
    texts.set(value, text);
    return text;
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
