/** The constants of `enum` in schemas that apply together, with the names of `enumNames`, which are in the same order. */

import { isJsonMap, isNumber, isSame } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';

/** Adds the constants of a schema to a merged one: those stay that both have, with the name of the first that names them. */
export function mergeConstants(into: Record<string, Json>, schema: JsonMap): void {

    const [first, second] = [listOf(into['enum']), listOf(schema['enum'])];
    const [firstNames, secondNames] = [listOf(into['enumNames']), listOf(schema['enumNames'])];
    const common = first && second ? commonOf(first, second) : [];
    let names: readonly Json[] | undefined = undefined;
    if (common.length > 0) {
        into['enum'] = common.map(({ value }) => value);
        names = firstNames || secondNames ? common.map(({ places: [own, other] }) => nameAt(firstNames, own) ?? nameAt(secondNames, other) ?? null) : undefined;
    }
    else if (!first && second) {
        // Names may stand without constants, beside a reference to these.
        into['enum'] = second;
        names = firstNames && secondNames ? second.map((_, i) => nameAt(firstNames, i) ?? nameAt(secondNames, i) ?? null) : secondNames;
    }
    else if (!second) {
        names = firstNames ? undefined : secondNames;
    }

    if (names) {
        into['enumNames'] = names;
    }
}

/** A constant, and its indexes in two lists. */
interface Common {
    readonly value: Json;
    readonly places: readonly [own: number, other: number];
}

function commonOf(first: readonly Json[], second: readonly Json[]): readonly Common[] {

    const places = new Map<unknown, number>();
    second.forEach((value, i) => places.set(keyOf(value), places.get(keyOf(value)) ?? i));
    return first.map((value, i): Common => {

        const other = hasParts(value) ? second.findIndex((each) => isSame(value, each)) : places.get(keyOf(value)) ?? -1;
        return { value, places: [i, other] };
    }).filter(({ places: [, other] }) => other !== -1);
}

/** The same for the same constants; objects and lists have to be compared. */
function keyOf(value: Json): unknown {

    return isNumber(value) ? Number(value) : value;
}

function hasParts(value: Json): boolean {

    return Array.isArray(value) || isJsonMap(value);
}

function nameAt(names: readonly Json[] | undefined, index: number): string | undefined {

    const name = names?.[index];
    return typeof name === 'string' && name !== '' ? name : undefined;
}

function listOf(value: Json | undefined): readonly Json[] | undefined {

    return Array.isArray(value) ? value as readonly Json[] : undefined;
}
