/**
 * JSON pointers (RFC 6901): reads and changes JSON values by pointer. Every function returns a new value and does not modify its
 * input; unchanged branches are shared. Only own properties are accessed, so that a pointer cannot reach inherited ones.
 */

import { badRequest, notFound } from '../errors/errors.js';
import { copyNumberTexts, numberTextAt, numberTextsOf, SentNumber, setNumberText, setNumberTexts } from './exact-numbers.js';
import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';

/** A parsed pointer: unescaped member names and array indices, from the root down. */
export type JsonPointer = readonly string[];

/** Maximum length of a pointer in segments, to protect the stack. */
const MAX_SEGMENTS = 1000;

/** Maximum length of a pointer in the message of an error. */
export const MAX_POINTER_SHOWN = 200;

const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/** Parses a pointer; the empty text is the root. Throws DoipError 400 for a malformed one. */
export function parsePointer(text: string): JsonPointer {

    if (text === '') {
        return [];
    }

    const segments = text.split('/');
    if (segments[0] !== '' || /~(?![01])/.test(text) || segments.length > MAX_SEGMENTS + 1) {
        throw invalidPointer(text);
    }

    return text.includes('~') ? segments.slice(1).map(unescapeSegment) : segments.slice(1);
}

/** Returns the text of a parsed pointer. */
export function formatPointer(pointer: JsonPointer): string {

    return pointer.map((segment) => '/' + escapeSegment(segment)).join('');
}

/** Returns the pointer of a member or array element of the value at `parent`. */
export function childPointer(parent: string, segment: string | number): string {

    return `${parent}/${typeof segment === 'number' ? segment : escapeSegment(segment)}`;
}

/** Cuts a pointer for the message of an error, without splitting a surrogate pair. */
export function shownPointer(pointer: string, maxLength = MAX_POINTER_SHOWN): string {

    return pointer.length <= maxLength ? pointer : `${pointer.slice(0, maxLength).toWellFormed()}…`;
}

/** Escapes a member name for use in a pointer. */
export function escapeSegment(segment: string): string {

    return /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}

/** Returns the value at a pointer; undefined when there is none. Throws DoipError 400 for a malformed pointer. */
export function getAt(root: JsonValue, pointer: string | JsonPointer): JsonValue | undefined {

    let value: JsonValue | undefined = root;
    for (const segment of parsed(pointer)) {
        value = childOf(value, segment);
        if (value === undefined) {
            return undefined;
        }
    }

    return value;
}

/** Like {@link getAt}, for values to be shown: a number that JavaScript writes differently is returned as a {@link SentNumber}. */
export function visibleAt(root: JsonValue, pointer: string | JsonPointer): JsonValue | undefined {

    const segments = parsed(pointer);
    const parent = segments.length === 0 ? undefined : getAt(root, segments.slice(0, -1));
    const text = typeof parent === 'object' && parent !== null ? numberTextAt(parent, segments.at(-1) ?? '') : undefined;
    return text === undefined ? getAt(root, segments) : new SentNumber(text) as unknown as JsonValue;
}

/** Like {@link visibleAt}; throws DoipError 404 when there is no value. */
export function requireAt(root: JsonValue, pointer: string | JsonPointer): JsonValue {

    const value = visibleAt(root, pointer);
    if (value === undefined) {
        throw notFound('Missing data at jsonPointer in object');
    }

    return value;
}

/**
 * Returns the root with `value` at the pointer. Only the last member is created: its parent must exist. In an array the segment is
 * an existing index, or `-` or the length of the array to append.
 *
 * @param text of a number that JavaScript writes differently
 * @throws DoipError 400 for a malformed or empty pointer, or when the parent is missing, a scalar, or has no such index
 */
export function setAt(root: JsonValue, pointer: string | JsonPointer, value: JsonValue, text?: string): JsonValue {

    const segments = parsed(pointer);
    if (segments.length === 0 || segments.includes('__proto__')) {
        throw invalidPointer(pointer);
    }

    return replaceBelow(root, segments, (parent, last) => {

        if (isJsonObject(parent)) {
            return setNumberText({ ...parent, [last]: value }, last, text);
        }

        const index = Array.isArray(parent) ? insertionIndex(parent, last) : -1;
        if (!Array.isArray(parent) || index < 0) {
            throw invalidPointer(pointer);
        }

        const changed = copyNumberTexts(parent, index === parent.length ? [...parent, value] : parent.with(index, value));
        return setNumberText(changed, String(index), text);
    }) ?? reject(pointer);
}

/**
 * Returns the root without the value at the pointer; later elements of an array move up.
 *
 * @throws DoipError 400 for a malformed or empty pointer, 404 when there is nothing to remove
 */
export function removeAt(root: JsonValue, pointer: string | JsonPointer): JsonValue {

    const segments = parsed(pointer);
    if (segments.length === 0) {
        throw badRequest('Cannot delete empty json pointer');
    }

    requireAt(root, segments);
    return replaceBelow(root, segments, (parent, last) => {

        if (Array.isArray(parent)) {
            return withoutElement(parent, Number(last));
        }

        const { [last]: removed, ...rest } = parent as JsonObject;
        void removed;
        return rest;
    }) ?? reject(pointer);
}

/** Removes an element, and shifts the texts of numbers accordingly. */
function withoutElement(array: readonly JsonValue[], index: number): JsonValue[] {

    const texts = [...numberTextsOf(array) ?? []].filter(([key]) => key !== String(index))
        .map(([key, text]): [string, string] => [Number(key) > index ? String(Number(key) - 1) : key, text]);
    return setNumberTexts(array.toSpliced(index, 1), new Map(texts));
}

/** Rebuilds the path from the root to the changed parent; undefined when the parent does not exist. */
function replaceBelow(
    root: JsonValue, segments: JsonPointer, change: (parent: JsonValue, last: string) => JsonValue
): JsonValue | undefined {

    const spine: JsonValue[] = [root];
    for (const segment of segments.slice(0, -1)) {
        const child = childOf(spine.at(-1), segment);
        if (child === undefined) {
            return undefined;
        }

        spine.push(child);
    }

    let changed = change(spine.at(-1) ?? null, segments.at(-1) ?? '');
    for (let i = spine.length - 2; i >= 0; --i) {
        changed = withChild(spine[i] ?? null, segments[i] ?? '', changed);
    }

    return changed;
}

function withChild(parent: JsonValue, segment: string, child: JsonValue): JsonValue {

    return Array.isArray(parent) ? copyNumberTexts(parent, parent.with(Number(segment), child)) : { ...(parent as JsonObject), [segment]: child };
}

function childOf(value: JsonValue | undefined, segment: string): JsonValue | undefined {

    if (Array.isArray(value)) {
        return INDEX.test(segment) ? value[Number(segment)] : undefined;
    }

    return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** Returns the index for writing to an array: an existing one, or its length to append; -1 for an invalid one. */
function insertionIndex(array: readonly JsonValue[], segment: string): number {

    if (segment === '-') {
        return array.length;
    }

    return INDEX.test(segment) && Number(segment) <= array.length ? Number(segment) : -1;
}

function parsed(pointer: string | JsonPointer): JsonPointer {

    return typeof pointer === 'string' ? parsePointer(pointer) : pointer;
}

function unescapeSegment(segment: string): string {

    return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function reject(pointer: string | JsonPointer): never {

    throw invalidPointer(pointer);
}

function invalidPointer(pointer: string | JsonPointer): Error {

    const text = typeof pointer === 'string' ? pointer : formatPointer(pointer);
    return badRequest(`Invalid JSON Pointer ${shownPointer(text)}`);
}
