/**
 * The form of schemas between linker and compiler: one uniform dialect in which a reference is the number of another schema.
 * Members that begin with `x-` take the place of keywords, or carry what is not for the compiler.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import type { SchemaDocument } from './document.js';
import type { Schema } from './shapes.js';

/** The extension keyword. */
export const ANNOTATION = 'x-annotation';

/** The number of the schema that applies too: what became of `$ref`. */
export const REFERENCE = 'x-ref';

/** Takes the place of `enum` where there are many values. */
export const LONG_ENUM = 'x-enum';

/** Takes the place of `properties` where there are many; `properties` then only names them. */
export const MANY_PROPERTIES = 'x-properties';

/**
 * Says that `contains` describes no elements for `unevaluatedItems`. Draft 2019-09 has it so, its successor does not.
 */
export const CONTAINS_ALONE = 'x-contains-alone';

/** A schema and everything it refers to, ready to be compiled. */
export interface LinkedSchema {
    /** The first one is the schema itself; the others are known by their index. */
    readonly targets: readonly Schema[];
    /** Every document that was asked for by name or id, and what was found: while that stays so, the link holds. */
    readonly dependencies: ReadonlyMap<string, SchemaDocument | undefined>;
}

/** The schemas of properties, however many there are. */
export function propertiesOf(schema: Readonly<Record<string, JsonValue | undefined>>): [name: string, schema: JsonValue][] {

    const properties = schema[MANY_PROPERTIES] ?? schema['properties'];
    return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** The schema that another one refers to; undefined when it refers to none. */
export function referredBy(schema: Readonly<Record<string, JsonValue | undefined>>, targets: readonly Schema[]): Schema | undefined {

    const reference = schema[REFERENCE];
    return typeof reference === 'number' ? targets[reference] : undefined;
}

/** A schema with a reference, also when it has one already. */
export function withReference(schema: JsonObject, number: number): JsonObject {

    if (!Object.hasOwn(schema, REFERENCE)) {
        return { ...schema, [REFERENCE]: number };
    }

    return { ...schema, allOf: [...(Array.isArray(schema['allOf']) ? schema['allOf'] : []), { [REFERENCE]: number }] };
}

/** Finds the schema of a type by its name, or any schema by its id. */
export type SchemaLookup = (nameOrId: string) => SchemaDocument | undefined;
