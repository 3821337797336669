/** Parts of one value that were read apart, such as by two filters. */

import { define, isJsonMap } from './exact-number.js';
import type { Json } from './exact-number.js';

/** Joins two parts of a value: members of objects, and of the elements of arrays that are as long as each other. What both have is that of the second. */
export function joined(first: Json | undefined, second: Json): Json {

    if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
        return (second as readonly Json[]).map((each, at) => joined(first[at] as Json, each));
    }

    if (!isJsonMap(first) || !isJsonMap(second)) {
        return second;
    }

    const all: Record<string, Json> = {};
    for (const [name, each] of Object.entries(first)) {
        define(all, name, each);
    }

    for (const [name, each] of Object.entries(second)) {
        define(all, name, joined(Object.hasOwn(first, name) ? first[name] : undefined, each));
    }

    return all;
}
