/**
 * The keywords of JSON Schema: the shape of their values, and the drafts that define them. A schema names its draft in
 * `$schema`; without one it is read as draft 7 plus every keyword that means the same in all drafts that have it, such as
 * `prefixItems` or a boolean `exclusiveMinimum`.
 */

/** Drafts that are distinguished; 0 stands for a schema that does not name one. */
export type Draft = 0 | 4 | 6 | 7 | 2019 | 2020;

/**
 * Shape of the value of a keyword.
 *
 * - `schema`, `schemas`, `schema-map`, `pattern-map`: a subschema, a non-empty list, an object of them (by pattern)
 * - `items`: one subschema for all elements, or a list of them by position
 * - `dependencies`: an object whose members are subschemas or lists of property names
 * - `count`: a non-negative integer; `positive`: a number above 0; `limit`: a number, or in draft 4 a boolean
 * - `names`: a list of property names; `name-lists`: an object of them
 * - `reference`: a URI reference to another schema
 */
export type Shape = 'schema' | 'schemas' | 'schema-map' | 'pattern-map' | 'items' | 'dependencies' | 'count' | 'positive' | 'number' |
    'limit' | 'boolean' | 'string' | 'pattern' | 'names' | 'name-lists' | 'types' | 'values' | 'value' | 'reference';

interface Keyword {
    readonly shape: Shape;
    /** First and last draft that define it. */
    readonly since: number;
    readonly until: number;
}

/** `since` and `until` are the first and the last draft that define the keywords; `names` are separated by spaces. */
const TABLE: readonly (readonly [shape: Shape, since: number, until: number, names: string])[] = [
    ['types', 4, 2020, 'type'],
    ['values', 4, 2020, 'enum'],
    ['value', 6, 2020, 'const'],
    ['positive', 4, 2020, 'multipleOf'],
    ['number', 4, 2020, 'maximum minimum'],
    ['limit', 4, 2020, 'exclusiveMaximum exclusiveMinimum'],
    ['count', 4, 2020, 'maxLength minLength maxItems minItems maxProperties minProperties'],
    ['count', 2019, 2020, 'maxContains minContains'],
    ['pattern', 4, 2020, 'pattern'],
    ['string', 4, 2020, 'format'],
    ['boolean', 4, 2020, 'uniqueItems'],
    ['names', 4, 2020, 'required'],
    ['name-lists', 2019, 2020, 'dependentRequired'],
    ['schema-map', 4, 2020, 'properties definitions $defs'],
    ['schema-map', 2019, 2020, 'dependentSchemas'],
    ['pattern-map', 4, 2020, 'patternProperties'],
    ['dependencies', 4, 2020, 'dependencies'],
    ['schema', 4, 2020, 'additionalProperties not'],
    ['schema', 4, 2019, 'additionalItems'],
    ['schema', 6, 2020, 'propertyNames contains'],
    ['schema', 7, 2020, 'if then else'],
    ['schema', 2019, 2020, 'unevaluatedProperties unevaluatedItems'],
    ['items', 4, 2020, 'items'],
    ['schemas', 2020, 2020, 'prefixItems'],
    ['schemas', 4, 2020, 'allOf anyOf oneOf'],
    ['reference', 4, 2020, '$ref'],
    ['reference', 2019, 2019, '$recursiveRef'],
    ['reference', 2020, 2020, '$dynamicRef']
];

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(TABLE.flatMap(([shape, since, until, names]) =>
    names.split(' ').map((name) => [name, { shape, since, until }] as const)));

/** Type names of JSON values, as in the keyword `type`. */
export const TYPE_NAMES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Returns the shape of a keyword in a draft; undefined if the draft does not define it, so that it is ignored. */
export function shapeOf(keyword: string, draft: Draft): Shape | undefined {

    const found = KEYWORDS.get(keyword);
    return found && (draft === 0 || (draft >= found.since && draft <= found.until)) ? found.shape : undefined;
}

/** Returns the draft that `$schema` names; 0 for any other meta-schema. */
export function draftOf(metaSchema: unknown): Draft {

    const named = /\b(?:draft-0([467])|draft\/(2019-09|2020-12))\b/.exec(typeof metaSchema === 'string' ? metaSchema : '');
    return Number(named?.[1] ?? named?.[2]?.slice(0, 4) ?? 0) as Draft;
}
