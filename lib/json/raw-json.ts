/**
 * JSON values whose text is known already, because they were parsed from it: writing them out again costs nothing.
 */

import { marked, unmarked, writeJson, writeStored } from './serializer.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';

const texts = new WeakMap<object, string>();

/** Remembers the text of a value. The text must be what {@link writeStored} makes of it, and the value must never be changed. */
export function rememberText<T extends object>(value: T, text: string): T {

    texts.set(value, unmarked(text));
    return value;
}

/** The JSON text of a value. */
export function jsonText(value: JsonValue): string {

    return (typeof value === 'object' && value !== null ? texts.get(value) : undefined) ?? writeJson(value);
}

/** What {@link writeStored} makes of a value. */
export function storedText(value: JsonObject): string {

    const text = texts.get(value);
    return text === undefined ? writeStored(value) : marked(text, value);
}

/** The JSON text of a value where it is known without writing it. */
export function rawJson(value: object): string | undefined {

    return texts.get(value);
}
