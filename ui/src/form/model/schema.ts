/** JSON schemas as the form reads them: what it does not know is ignored, what is malformed counts as absent. */

import { isJsonMap, isNumber } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';

/** A schema: an object, or true or false. */
export type Schema = JsonMap | boolean;

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

export const TYPES: readonly JsonType[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** True for a schema. */
export function isSchema(value: unknown): value is Schema {

    return typeof value === 'boolean' || isJsonMap(value);
}

/** The schemas of a keyword with several, such as `anyOf`. */
export function schemasOf(value: Json | undefined): readonly Schema[] {

    return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The schemas of a keyword with schemas by name, such as `properties`. */
export function schemaEntries(value: Json | undefined): readonly (readonly [name: string, schema: Schema])[] {

    return isJsonMap(value) ? Object.entries(value).filter((entry): entry is [string, Schema] => isSchema(entry[1])) : [];
}

/** The text of a keyword. */
export function textOf(value: Json | undefined): string | undefined {

    return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The strings of a keyword that is an array of them, or a single one. */
export function stringsOf(value: Json | undefined): readonly string[] {

    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** The limit that a keyword sets; undefined without one. */
export function limitOf(value: Json | undefined): number | undefined {

    return isNumber(value) ? Number(value) : undefined;
}

/** The type of a value; `integer` for numbers without a fraction. */
export function typeOf(value: Json): JsonType {

    if (value === null) {
        return 'null';
    }

    if (isNumber(value)) {
        return Number.isInteger(Number(value)) ? 'integer' : 'number';
    }

    return Array.isArray(value) ? 'array' : typeof value as 'string' | 'boolean' | 'object';
}

/** True if a value of a type is also of another: an integer is a number. */
export function isOfType(type: JsonType, wanted: string): boolean {

    return type === wanted || type === 'integer' && wanted === 'number';
}

const IMPLIED: readonly (readonly [keywords: readonly string[], type: JsonType])[] = [
    [['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'], 'object'],
    [['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'], 'array'],
    [['minLength', 'maxLength', 'pattern', 'format', 'contentMediaType', 'contentEncoding'], 'string'],
    [['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'], 'number']
];

/**
 * The types that a schema permits; all but `integer`, which is a number, if it does not say. A schema without `type` that has keywords of one
 * type only is meant for that type.
 */
export function typesOf(schema: JsonMap): readonly JsonType[] {

    const declared = stringsOf(schema['type']).filter((type): type is JsonType => (TYPES as readonly string[]).includes(type));
    if (declared.length > 0) {
        return declared.includes('number') ? declared.filter((type) => type !== 'integer') : declared;
    }

    if (schema['const'] !== undefined) {
        return [typeOf(schema['const'])];
    }

    if (Array.isArray(schema['enum'])) {
        return [...new Set((schema['enum'] as readonly Json[]).map(typeOf))];
    }

    const implied = IMPLIED.filter(([keywords]) => keywords.some((keyword) => Object.hasOwn(schema, keyword))).map(([, type]) => type);
    return implied.length === 1 ? implied : TYPES.filter((type) => type !== 'integer');
}
