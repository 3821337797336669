/**
 * Intermediate form of schemas between linker and compiler: one uniform dialect in which a reference is the index of another
 * schema. Keys that begin with `x-` replace keywords, or carry data that the compiler ignores.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { SchemaDocument } from './document.js';
import type { Schema } from './shapes.js';

/** The extension keyword, its names merged. */
export const ANNOTATION = 'x-annotation';

/** Index of a schema that applies too; replaces `$ref`. */
export const REFERENCE = 'x-ref';

/** Replaces a long `enum`. */
export const LONG_ENUM = 'x-enum';

/** Replaces a long `const`, as a list of one value. */
export const LONG_CONST = 'x-const';

/** Marks that `contains` evaluates no elements for `unevaluatedItems`, as in draft 2019-09 (unlike 2020-12). */
export const CONTAINS_ALONE = 'x-contains-alone';

/** A schema and everything it refers to, ready to be compiled. */
export interface LinkedSchema {
    /** The schema itself first; references are indices into this list. */
    readonly targets: readonly Schema[];
    /** Parts of the targets that are compiled by themselves: members of keywords under another name, and what a value may be matched with alone. */
    readonly parts: readonly Schema[];
    /** Number of subschemas. */
    readonly size: number;
    /** Documents looked up by name or id, undefined if missing. The linked schema is valid as long as the lookups give the same. */
    readonly dependencies: ReadonlyMap<string, SchemaDocument | undefined>;
}

/** Name under which the subschemas of a keyword stand that are compiled each by itself. The keyword may remain with the places of these only. */
export function separate(keyword: string): string {

    return `x-${keyword}`;
}

/** Returns the value of a keyword with its subschemas, in either form. */
export function eitherOf(schema: Readonly<Record<string, JsonValue | undefined>>, keyword: string): JsonValue | undefined {

    return schema[separate(keyword)] ?? schema[keyword];
}

/** Returns the properties of a schema with their schemas, in either form. */
export function propertiesOf(schema: Readonly<Record<string, JsonValue | undefined>>): [name: string, schema: JsonValue][] {

    const properties = eitherOf(schema, 'properties');
    return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** Returns the schema that another one refers to; undefined if it has no reference. */
export function referredBy(schema: Readonly<Record<string, JsonValue | undefined>>, targets: readonly Schema[]): Schema | undefined {

    const reference = schema[REFERENCE];
    return typeof reference === 'number' ? targets[reference] : undefined;
}

/** Returns a copy of a schema with a reference added; a second reference goes into `allOf`. */
export function withReference(schema: JsonObject, number: number): JsonObject {

    if (!Object.hasOwn(schema, REFERENCE)) {
        return { ...schema, [REFERENCE]: number };
    }

    return { ...schema, allOf: [...(Array.isArray(schema['allOf']) ? schema['allOf'] : []), { [REFERENCE]: number }] };
}

/** Finds the schema of a type by name, or any schema by id. */
export type SchemaLookup = (nameOrId: string) => SchemaDocument | undefined;

/** Returns the entries of a keyword that has a list; none when it has none. */
export function listOf(value: JsonValue | undefined): JsonValue[] {

    return Array.isArray(value) ? value : [];
}
