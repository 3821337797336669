/**
 * Long texts, such as those of thousands of types: made in parts, so that a request for them does not occupy the event loop, and cached as
 * long as what they are made of is the same.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { numberTextAt } from '../../../lib/json/exact-numbers.js';
import { writeJson } from '../../../lib/json/serializer.js';
import { getOrAdd } from '../../../lib/util/cache/get-or-add.js';
import type { JsonObject, JsonValue } from '../../../lib/util/json-types.js';
import { isJsonObject } from '../../../lib/util/json-types.js';

/** Characters that are made without a pause, and those of one text that are stored. */
const CHUNK = 64 * 1024;
const MAX_CACHED = 4 * 1024 * 1024;

/** Maximum number of texts of a source: its forms. */
const MAX_TEXTS = 4;

const cached = new WeakMap<object, Map<string, readonly string[]>>();

/**
 * Yields a text in chunks, and caches it unless it is very long.
 *
 * @param source what the text is made of, which is never modified
 * @param form names the text among those of the source
 */
export async function *cachedText(source: object, form: string, make: () => Iterable<string>): AsyncGenerator<string> {

    const texts = getOrAdd(cached, source, () => new Map<string, readonly string[]>());
    const former = texts.get(form);
    if (former) {
        yield *former;
        return;
    }

    const made: string[] = [];
    let length = 0;
    for await (const chunk of pacedText(make())) {
        length += chunk.length;
        if (length <= MAX_CACHED) {
            made.push(chunk);
        }

        yield chunk;
    }

    if (length <= MAX_CACHED && texts.size < MAX_TEXTS) {
        texts.set(form, made);
    }
}

/** Yields the parts of a text in chunks, with a turn of the event loop after each. */
export async function *pacedText(parts: Iterable<string>): AsyncGenerator<string> {

    for (const chunk of chunksOf(parts)) {
        yield chunk;
        await nextTurn();
    }
}

function *chunksOf(parts: Iterable<string>): Generator<string> {

    let chunk = '';
    for (const part of parts) {
        chunk += part;
        if (chunk.length >= CHUNK) {
            yield chunk;
            chunk = '';
        }
    }

    if (chunk !== '') {
        yield chunk;
    }
}

/**
 * The text of {@link writeJson} in parts: the members of objects down to a depth.
 *
 * @param margin line break and indentation of the closing bracket
 */
export function *jsonParts(value: JsonValue, { depth, indent, margin = '\n' }: { depth: number; indent: number; margin?: string }): Generator<string> {

    const entries = depth > 0 && isPlain(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
    if (entries.length === 0) {
        const text = writeJson(value, indent);
        yield indent === 0 ? text : text.replaceAll('\n', margin);
        return;
    }

    const [inner, blank, end] = indent === 0 ? ['', '', ''] : [margin + ' '.repeat(indent), ' ', margin];
    let separator = '{';
    for (const [name, member] of entries) {
        yield `${separator}${inner}${JSON.stringify(name)}:${blank}`;
        const number = numberTextAt(value as JsonObject, name);
        yield *number === undefined ? jsonParts(member, { depth: depth - 1, indent, margin: inner === '' ? margin : inner }) : [number];
        separator = ',';
    }

    yield `${end}}`;
}

/** Values of other classes have a form of their own. */
function isPlain(value: JsonValue): value is JsonObject {

    return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
