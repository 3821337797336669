/**
 * Division of schemas into parts. A part is compiled in one go, in an amount of time that grows with its subschemas, so it has a limited number of them.
 */

import type { JsonObject } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { subschemasOf } from './shapes.js';
import type { Draft } from './vocabulary.js';
import { shapeOf } from './vocabulary.js';

/** Maximum number of subschemas that are compiled in one part, which takes some milliseconds. A subschema whose own ones do not fit is another part. */
export const MAX_PART_SIZE = 60;

/** Of a schema with more subschemas than a part has, those of each keyword that has more than these are parts of their own. */
const FEW = 5;

/** Keywords with many subschemas, each of which can be a part of its own. */
const SEPARABLE = new Set(['properties', 'patternProperties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf']);

/** Keywords whose subschemas are always parts of their own. */
const SEPARATED = ['propertyNames', 'dependencies', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'];

/** Keywords that are no part of what is compiled. */
const DEFINITIONS = ['definitions', '$defs'];

/** How a schema is compiled. */
export interface Layout {
    /** Number of subschemas, directly inside, that are compiled together with it. */
    readonly size: number;
    /** Keywords whose subschemas are parts of their own. */
    readonly separated: ReadonlySet<string>;
}

/** Returns how a schema is compiled. */
export function layoutOf(schema: JsonObject, draft: Draft): Layout {

    const counts = Object.entries(schema).map(([keyword, value]): [keyword: string, count: number] => {

        const shape = shapeOf(keyword, draft);
        const isCounted = shape && !SEPARATED.includes(keyword) && !DEFINITIONS.includes(keyword);
        return [keyword, isCounted ? subschemasOf(shape, value).length : 0];
    });
    const total = sum(counts);
    const isFew = ([keyword, count]: [string, number]): boolean => total <= MAX_PART_SIZE || count <= FEW || !SEPARABLE.has(keyword);
    const separated = counts.filter((each) => !isFew(each)).map(([keyword]) => keyword);
    // For an empty array ajv skips what follows a tuple.
    const tuples = schema['contains'] === undefined ? [] : ['items', 'prefixItems'].filter((keyword) => Array.isArray(schema[keyword]));
    return { size: sum(counts.filter(isFew)), separated: new Set([...SEPARATED, ...separated, ...tuples]) };
}

/** Gives the subschemas of keywords that are parts of their own another name, by which the compiler knows them; `prefixItems` is named `items` by then. */
export function separateIn(schema: JsonObject, { separated }: Layout, nameOf: (keyword: string) => string): void {

    for (const keyword of SEPARABLE) {
        const value = schema[keyword];
        const isSeparated = separated.has(keyword) || (keyword === 'items' && Array.isArray(value) && separated.has('prefixItems'));
        if (!isSeparated || value === undefined) {
            continue;
        }

        delete schema[keyword];
        schema[nameOf(keyword)] = value;
        if (Array.isArray(value) && keyword === 'items') {
            schema[keyword] = value.map(() => true);
        }
        else if (isJsonObject(value)) {
            schema[keyword] = Object.fromEntries(Object.keys(value).map((name) => [name, true]));
        }
    }
}

function sum(counts: readonly (readonly [keyword: string, count: number])[]): number {

    return counts.reduce((total, [, count]) => total + count, 0);
}
