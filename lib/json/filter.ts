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

/** Maximum number of parts of masks that apply to values together with others, since `_` and numbers can be combined at every level. */
const MAX_MATCHES = 1_000_000;

/**
 * Returns the parts of a value that a pointer refers to, inside of their parents. `_` stands for every element of an array; a
 * number keeps only that element, so that indices shift. The empty pointer keeps everything; a pointer to nothing is ignored.
 *
 * @throws DoipError 400 when a pointer is malformed, when there are more than 10,000, or 25,000 segments of them, or when parts of the value
 * are named by `_` as well as by number in too many ways
 */
export function prune(root: JsonValue, pointers: readonly string[]): JsonValue {

    return pruner(pointers)(root);
}

/** Compiles pointers to a function like {@link prune} for many values; throws immediately, except for what depends on the value. */
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

    return (root) => new Pruning().masked(root, [mask]) ?? null;
}

/** Parts of a value to keep: all of it, or those of its members. */
interface Mask {
    whole: boolean;
    /** Null for none. */
    members: Map<string, Mask> | null;
}

function newMask(): Mask {

    return { whole: false, members: null };
}

function member(mask: Mask, segment: string): Mask {

    mask.members ??= new Map<string, Mask>();
    return getOrAdd(mask.members, segment, newMask);
}

/** Filters one value. Several masks apply to what is named by `_` as well as by number. */
class Pruning {

    #matches = 0;

    masked(value: JsonValue, masks: readonly Mask[]): JsonValue | undefined {

        this.#count(masks);
        if (masks.some(({ whole }) => whole)) {
            return value;
        }

        if (Array.isArray(value)) {
            return this.#array(value, masks);
        }

        return isJsonObject(value) ? this.#object(value, masks) : undefined;
    }

    #array(value: readonly JsonValue[], masks: readonly Mask[]): JsonValue[] {

        const retained: JsonValue[] = [];
        const texts = new Map<string, string>();
        const every = below(masks, '_');
        const numbered = masks.filter(({ members }) => members !== null && (members.size > 1 || !members.has('_')));
        for (const [index, element] of value.entries()) {
            this.#count(numbered);
            const one = below(numbered, String(index));
            const children = one.length === 0 ? every : [...every, ...one];
            const maskedElement = children.length === 0 ? undefined : this.masked(element, children);
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

    #object(value: JsonObject, masks: readonly Mask[]): JsonObject {

        const retained: [string, JsonValue][] = [];
        for (const [name, child] of Object.entries(value)) {
            this.#count(masks);
            const children = below(masks, name);
            const maskedChild = children.length === 0 ? undefined : this.masked(child, children);
            if (maskedChild !== undefined) {
                retained.push([name, maskedChild]);
            }
        }

        // fromEntries defines properties, so a member called __proto__ does not set the prototype.
        return copyNumberTexts(value, Object.fromEntries(retained));
    }

    #count({ length }: readonly Mask[]): void {

        this.#matches += length > 1 ? length : 0;
        if (this.#matches > MAX_MATCHES) {
            throw badRequest('the JSON pointers of the filter name elements of arrays by _ as well as by number in too many ways');
        }
    }
}

const NONE: readonly Mask[] = [];

/** The masks for a member of a value. */
function below(masks: readonly Mask[], name: string): readonly Mask[] {

    let found: Mask[] | null = null;
    for (const { members } of masks) {
        const mask = members?.get(name);
        if (mask !== undefined) {
            found ??= [];
            found.push(mask);
        }
    }

    return found ?? NONE;
}
