/** Differences of two JSON values, by pointer. */

import { isEqual, isJsonMap, type Json } from '../../json/exact-number.js';
import { formatPointer, memberOf, type Path } from '../../json/pointer.js';

/** A value that differs; undefined where there is none. */
export interface Difference {
    readonly pointer: string;
    readonly before: Json | undefined;
    readonly after: Json | undefined;
}

/** Differences that are listed. */
const MAX_LISTED = 100;

/** Lists what differs, each as deep as both have objects. */
export function differences(before: Json | undefined, after: Json | undefined, path: Path = []): readonly Difference[] {

    if (isEqual(before, after)) {
        return [];
    }

    if (!isJsonMap(before) || !isJsonMap(after)) {
        return [{ pointer: formatPointer(path), before, after }];
    }

    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(memberOf(before, name), memberOf(after, name), [...path, name])).slice(0, MAX_LISTED);
}
