/** Differences between values, and their merging. */

import { define, isEqual, isJsonMap } from './exact-number.js';
import type { Json } from './exact-number.js';
import { formatPointer } from './pointer.js';
import type { Path } from './pointer.js';

/** A difference; undefined stands for a value that is absent. */
export interface Change {
    readonly pointer: string;
    readonly before: Json | undefined;
    readonly after: Json | undefined;
}

/** Lists the differences, as deep as both values are objects, or arrays of the same length. */
export function changesBetween(before: Json | undefined, after: Json | undefined, path: Path = []): readonly Change[] {

    if (before === after || before !== undefined && after !== undefined && isEqual(before, after)) {
        return [];
    }

    if (isJsonMap(before) && isJsonMap(after)) {
        return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => changesBetween(own(before, name), own(after, name), [...path, name]));
    }

    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
        return before.flatMap((each, i) => changesBetween(each as Json, after[i] as Json, [...path, String(i)]));
    }

    return [{ pointer: formatPointer(path), before, after }];
}

/** Two changed values merged over what both are based on; null where both changed the same. */
export function merged(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): { readonly value: Json | undefined } | null {

    if (same(mine, theirs) || same(mine, base)) {
        return { value: theirs };
    }

    if (same(theirs, base)) {
        return { value: mine };
    }

    if (!isJsonMap(base) || !isJsonMap(mine) || !isJsonMap(theirs)) {
        return null;
    }

    const result: Record<string, Json> = {};
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
        const member = merged(own(base, name), own(mine, name), own(theirs, name));
        if (!member) {
            return null;
        }

        if (member.value !== undefined) {
            define(result, name, member.value);
        }
    }

    return { value: result };
}

function same(a: Json | undefined, b: Json | undefined): boolean {

    return a === b || a !== undefined && b !== undefined && isEqual(a, b);
}

function own(object: Readonly<Record<string, Json>>, name: string): Json | undefined {

    return Object.hasOwn(object, name) ? object[name] : undefined;
}
