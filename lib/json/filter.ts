/**
 * Filters JSON values by pointers (the `filter` of requests). The pointers are compiled to one mask, so that each part of a value
 * is visited once for any number of pointers.
 */

import type { JsonObject, JsonValue } from '../util/json-types.js';
import { isJsonObject } from '../util/json-types.js';
import { badRequest } from '../errors/errors.js';
import { copyNumberTexts, numberTextAt, setNumberTexts } from './exact-numbers.js';
import { parsePointer } from './pointer.js';
import { getOrAdd } from '../util/cache/get-or-add.js';

/** Maximum number of pointers in a filter. */
const MAX_POINTERS = 10_000;

/** Maximum number of segments of all pointers of a filter together: each may become a part of the mask. */
const MAX_SEGMENTS = 25_000;

/**
 * Returns the parts of a value that a pointer refers to, inside of their parents. `_` stands for every element of an array; a
 * number keeps only that element, so that indices shift. The empty pointer keeps everything; a pointer to nothing is ignored.
 *
 * @throws DoipError 400 when a pointer is malformed, or when there are more than 10,000, or 25,000 segments of them
 */
export function prune(root: JsonValue, pointers: readonly string[]): JsonValue {

    return pruner(pointers)(root);
}

/** Compiles pointers to a function like {@link prune} for many values; throws immediately. */
export function pruner(pointers: readonly string[]): (root: JsonValue) => JsonValue {

    if (pointers.length > MAX_POINTERS) {
        throw badRequest(`the filter has more than ${MAX_POINTERS} JSON pointers`);
    }

    const mask = newMask();
    let count = 0;
    for (const pointer of pointers) {
        const segments = parsePointer(pointer);
        count += segments.length;
        if (count > MAX_SEGMENTS) {
            throw badRequest(`the JSON pointers of the filter have more than ${MAX_SEGMENTS} segments together`);
        }

        let node = mask;
        for (const segment of segments) {
            node = member(node, segment);
        }

        node.whole = true;
    }

    return (root) => masked(root, mask) ?? null;
}

/** Parts of a value to keep: all of it, or those of its members. */
interface Mask {
    whole: boolean;
    /** Null for none. */
    members: Map<string, Mask> | null;
    /** Masks of array elements that are named by number as well as by `_`, merged once. */
    merged: Map<string, Mask> | null;
}

function newMask(): Mask {

    return { whole: false, members: null, merged: null };
}

function member(mask: Mask, segment: string): Mask {

    mask.members ??= new Map<string, Mask>();
    return getOrAdd(mask.members, segment, newMask);
}

function masked(value: JsonValue, mask: Mask): JsonValue | undefined {

    if (mask.whole) {
        return value;
    }

    if (Array.isArray(value)) {
        return maskedArray(value, mask);
    }

    return isJsonObject(value) ? maskedObject(value, mask) : undefined;
}

function maskedArray(value: readonly JsonValue[], mask: Mask): JsonValue[] {

    const retained: JsonValue[] = [];
    const texts = new Map<string, string>();
    for (const [index, element] of value.entries()) {
        const child = elementMask(mask, String(index));
        const maskedElement = child ? masked(element, child) : undefined;
        if (maskedElement !== undefined) {
            const text = numberTextAt(value, String(index));
            if (text !== undefined) {
                texts.set(String(retained.length), text);
            }

            retained.push(maskedElement);
        }
    }

    return setNumberTexts(retained, texts);
}

function maskedObject(value: JsonObject, mask: Mask): JsonObject {

    const retained: [string, JsonValue][] = [];
    for (const [name, child] of Object.entries(value)) {
        const childMask = mask.members?.get(name);
        const maskedChild = childMask ? masked(child, childMask) : undefined;
        if (maskedChild !== undefined) {
            retained.push([name, maskedChild]);
        }
    }

    // fromEntries defines properties, so a member called __proto__ does not set the prototype.
    return copyNumberTexts(value, Object.fromEntries(retained));
}

function elementMask(mask: Mask, index: string): Mask | undefined {

    const every = mask.members?.get('_');
    const one = mask.members?.get(index);
    if (!every || !one) {
        return every ?? one;
    }

    mask.merged ??= new Map<string, Mask>();
    return getOrAdd(mask.merged, index, () => union(every, one));
}

function union(a: Mask, b: Mask): Mask {

    const members = new Map(a.members ?? []);
    for (const [name, child] of b.members ?? []) {
        const other = members.get(name);
        members.set(name, other ? union(other, child) : child);
    }

    return { whole: a.whole || b.whole, members, merged: null };
}
