/**
 * The keywords of JSON Schema: what each of them takes, and which drafts know it. A schema says its draft by `$schema`.
 * One that does not is read as draft 7, together with every keyword that means the same in all drafts that have it: who
 * writes `prefixItems` or a boolean `exclusiveMinimum` means it.
 */

/** The drafts that are told apart; 0 stands for a schema that does not say which one it follows. */
export type Draft = 0 | 4 | 6 | 7 | 2019 | 2020;

/**
 * What a keyword takes.
 *
 * - `schema`, `schemas`, `schema-map`, `pattern-map`: a subschema, a non-empty list, an object of them (by pattern)
 * - `items`: one subschema for all elements, or a list of them by position
 * - `dependencies`: an object whose members are subschemas or lists of property names
 * - `count`: a whole number from 0; `positive`: a number above 0; `limit`: a number, or in draft 4 a boolean
 * - `names`: a list of property names; `name-lists`: an object of them
 * - `reference`: a URI reference to another schema
 */
export type Shape = 'schema' | 'schemas' | 'schema-map' | 'pattern-map' | 'items' | 'dependencies' | 'count' | 'positive' | 'number' |
    'limit' | 'boolean' | 'string' | 'pattern' | 'names' | 'name-lists' | 'types' | 'values' | 'value' | 'reference';

interface Keyword {
    readonly shape: Shape;
    /** First and last draft that know it. */
    readonly since: number;
    readonly until: number;
}

/** Every draft from `since` on, unless `until` says otherwise. */
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

/** The names of the types of JSON values. */
export const TYPE_NAMES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** What a keyword takes in a draft; undefined when the draft does not know it, so that it has no effect. */
export function shapeOf(keyword: string, draft: Draft): Shape | undefined {

    const found = KEYWORDS.get(keyword);
    return found && (draft === 0 || (draft >= found.since && draft <= found.until)) ? found.shape : undefined;
}

/** The draft that a `$schema` names. Other meta-schemas are not known here, so they say nothing. */
export function draftOf(metaSchema: unknown): Draft {

    const named = /\b(?:draft-0([467])|draft\/(2019-09|2020-12))\b/.exec(typeof metaSchema === 'string' ? metaSchema : '');
    return Number(named?.[1] ?? named?.[2]?.slice(0, 4) ?? 0) as Draft;
}
