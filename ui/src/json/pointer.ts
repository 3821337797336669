/** JSON pointers, and changes of values that leave the former value as it was and share with it what did not change. */

import { define, isJsonMap } from './exact-number.js';
import type { Json, JsonMap } from './exact-number.js';

/** Names and indices from the root to a value. */
export type Path = readonly string[];

/** Reads a pointer such as `/authors/0/name`. A leading slash that is missing is added. */
export function parsePointer(pointer: string): Path {

    if (pointer === '' || pointer === '#') {
        return [];
    }

    return pointer.replace(/^#?\/?/, '').split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Writes a pointer. */
export function formatPointer(path: Path): string {

    return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The member of a value; undefined where there is none. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {

    if (Array.isArray(value)) {
        return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] as Json | undefined : undefined;
    }

    return isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {

    return path.reduce<Json | undefined>(memberOf, value);
}

/** Returns an object or array with another member: a new name is added at the end. */
export function withMember(container: Json | undefined, key: string, value: Json): Json {

    if (Array.isArray(container)) {
        const items = [...container as readonly Json[]];
        const index = Number(key);
        while (items.length < index) {
            items.push(null);
        }

        items[index] = value;
        return items;
    }

    const copy: Record<string, Json> = {};
    for (const [name, each] of Object.entries(isJsonMap(container) ? container : {})) {
        define(copy, name, each);
    }

    define(copy, key, value);
    return copy;
}

/** Returns a value with another one at a path, with the objects that are missing on the way to it. */
export function withValue(container: Json | undefined, [key, ...rest]: Path, value: Json): Json {

    return key === undefined ? value : withMember(container, key, withValue(memberOf(container, key), rest, value));
}

/** Returns an object or array without a member. */
export function withoutMember(container: Json | undefined, key: string): Json {

    if (Array.isArray(container)) {
        return (container as readonly Json[]).filter((_, i) => i !== Number(key));
    }

    return renamed(isJsonMap(container) ? container : {}, key, null);
}

/** Returns an object with a property renamed, at its place; with null the property is removed. */
export function renamed(object: JsonMap, from: string, name: string | null): JsonMap {

    const copy: Record<string, Json> = {};
    for (const [each, value] of Object.entries(object)) {
        if (each !== from) {
            define(copy, each, value);
        }
        else if (name !== null) {
            define(copy, name, value);
        }
    }

    return copy;
}
