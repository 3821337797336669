/**
 * The effective schema of a value: references resolved, `allOf` merged, with the branches of `if`, `dependentSchemas`, `oneOf` and `anyOf` that
 * apply to the value. It serves to show fields, not to validate, so that the first keyword wins where two differ.
 */

import { define, isJsonMap, isSame, isScalar } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { Matcher } from './matches.js';
import { mergeConstants } from './named-constants.js';
import { isOfType, isSchema, schemaEntries, schemasOf, stringsOf, textOf, typeOf, typesOf } from './schema.js';
import type { Schema } from './schema.js';
import { SchemaDocuments } from './schema-documents.js';
import type { SchemaLookup } from './schema-documents.js';

/** A choice between branches of `oneOf` or `anyOf` that differ in what they show. */
export interface Choice {
    readonly options: readonly Schema[];
    /** Index of the branch that the value belongs to. */
    readonly current: number;
    /** The array of branches, which identifies the choice. */
    readonly key: object;
}

/** What applies to a value. */
export interface EffectiveSchema {
    /** Without references, `allOf` and branches. */
    readonly schema: JsonMap;
    readonly choices: readonly Choice[];
    /** True where no value is valid. */
    readonly isForbidden: boolean;
    /** The schemas of which it consists, in the order of precedence. */
    readonly parts: readonly Schema[];
}

/** Branches that the user has picked, by the key of the choice. */
export type Picks = ReadonlyMap<object, number>;

const NO_PICKS: Picks = new Map();

/** Schemas that refer to themselves without anything between are given up at this number of parts. */
const MAX_PARTS = 500;

/** Keywords that are read by the collector itself. */
const STRUCTURAL = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies',
    'dependentRequired', '$defs', 'definitions', '$id', 'id', '$schema', '$anchor', 'not']);

/** Keywords that are merged together. */
const CONSTANTS = new Set(['enum', 'enumNames']);

/** Keywords that say what is shown. Branches without them only constrain. */
const SHOWN = ['type', 'properties', 'items', 'prefixItems', 'enum', 'const', '$ref', 'format', 'patternProperties', 'additionalProperties', 'allOf', 'oneOf', 'anyOf', 'title'];

interface Collected {
    readonly schema: Record<string, Json>;
    readonly choices: Choice[];
    readonly parts: Schema[];
    isForbidden: boolean;
}

/** Reads the schemas of a form. */
export class SchemaReader {

    readonly root: Schema;
    readonly #documents: SchemaDocuments;
    readonly #matcher: Matcher;

    constructor(root: Schema, lookup?: SchemaLookup) {

        this.root = root;
        this.#documents = new SchemaDocuments(lookup);
        this.#documents.add(root);
        this.#matcher = new Matcher(this.#documents);
    }

    /** The effective schema of a value. */
    effective(schema: Schema, value: Json | undefined, picks: Picks = NO_PICKS): EffectiveSchema {

        this.#matcher.restart();
        const into: Collected = { schema: {}, choices: [], parts: [], isForbidden: false };
        this.#collect(schema, value, picks, into);
        return into;
    }

    /** True if the effective schema depends on the value. */
    isConditional(schema: Schema): boolean {

        return this.effective(schema, undefined).parts.some((part) => isJsonMap(part) &&
            ['if', 'anyOf', 'oneOf', 'dependentSchemas', 'dependencies', 'dependentRequired'].some((keyword) => Object.hasOwn(part, keyword)));
    }

    /** Returns whether a value fits a schema, as far as forms care. */
    matches(schema: Schema, value: Json | undefined): boolean {

        this.#matcher.restart();
        return this.#matcher.matches(schema, value);
    }

    #collect(schema: Schema, value: Json | undefined, picks: Picks, into: Collected): void {

        if (into.parts.length >= MAX_PARTS || into.parts.includes(schema) && typeof schema === 'object') {
            return;
        }

        into.parts.push(schema);
        if (typeof schema === 'boolean') {
            into.isForbidden ||= !schema;
            return;
        }

        merge(into.schema, schema);
        const collect = (part: Schema): void => this.#collect(part, value, picks, into);
        if (['$ref', '$dynamicRef', '$recursiveRef'].some((keyword) => typeof schema[keyword] === 'string')) {
            collect(this.#documents.resolve(schema) ?? true);
        }

        schemasOf(schema['allOf']).forEach(collect);
        this.#conditions(schema, value, into).forEach(collect);
        for (const keyword of ['oneOf', 'anyOf'] as const) {
            this.#choose(schema, keyword, { value, picks, into });
        }
    }

    /** The schemas that apply because of the value. */
    #conditions(schema: JsonMap, value: Json | undefined, into: Collected): readonly Schema[] {

        const schemas: Schema[] = [];
        const { if: condition, then: positive, else: negative } = schema;
        if (isSchema(condition)) {
            // What is not there yet is as an empty object: `if` usually asks for the value of a property.
            schemas.push(...[this.#matcher.matches(condition, value ?? {}) ? positive : negative].filter(isSchema));
        }

        if (isJsonMap(value)) {
            for (const keyword of ['dependentSchemas', 'dependencies'] as const) {
                schemas.push(...schemaEntries(schema[keyword]).filter(([name]) => Object.hasOwn(value, name)).map(([, each]) => each));
            }

            for (const keyword of ['dependentRequired', 'dependencies'] as const) {
                const lists = Object.entries(isJsonMap(schema[keyword]) ? schema[keyword] : {});
                demand(into.schema, lists.filter(([name, list]) => Array.isArray(list) && Object.hasOwn(value, name)).flatMap(([, list]) => stringsOf(list)));
            }
        }

        return schemas;
    }

    #choose(schema: JsonMap, keyword: 'oneOf' | 'anyOf', { value, picks, into }: { value: Json | undefined; picks: Picks; into: Collected }): void {

        const options = schemasOf(schema[keyword]);
        const shown = options.filter((option) => typeof option === 'object' && SHOWN.some((name) => Object.hasOwn(option, name)));
        if (shown.length === 0) {
            return;
        }

        const values = shown.map((option) => this.#constantsOf(option));
        if (values.every((each) => each !== null)) {
            merge(into.schema, {
                enum: values.flatMap((each) => each.map(([constant]) => constant)), enumNames: values.flatMap((each) => each.map(([, name]) => name))
            });
            return;
        }

        const key = schema[keyword] as unknown as object;
        const picked = picks.get(key);
        const current = picked !== undefined && shown[picked] !== undefined ? picked : this.bestOption(shown, value);
        if (shown.length > 1) {
            into.choices.push({ options: shown, current, key });
        }

        this.#collect(shown[current] ?? true, value, picks, into);
    }

    /** The values of a branch that is nothing but some constants, with their names. */
    #constantsOf(option: Schema): readonly (readonly [constant: Json, name: string | null])[] | null {

        if (!isJsonMap(option) || option['properties'] !== undefined || option['$ref'] !== undefined) {
            return null;
        }

        if (option['const'] !== undefined && option['const'] !== null && isScalar(option['const'])) {
            return [[option['const'], textOf(option['title']) ?? null]];
        }

        const title = textOf(option['title']) ?? null;
        const values = Array.isArray(option['enum']) ? option['enum'] as readonly Json[] : null;
        return values?.map((each) => [each, values.length === 1 ? title : null]) ?? null;
    }

    /** Index of the branch that a value belongs to: the first that it fits, or the one that it resembles most. */
    bestOption(options: readonly Schema[], value: Json | undefined): number {

        if (value === undefined) {
            return 0;
        }

        const fitting = options.findIndex((option) => this.#matcher.matches(option, value));
        if (fitting !== -1) {
            return fitting;
        }

        const scores = options.map((option) => this.#resemblance(option, value));
        return Math.max(0, scores.indexOf(Math.max(...scores)));
    }

    /** How much a value resembles a branch that it does not fit: type, constants and names of properties. */
    #resemblance(option: Schema, value: Json): number {

        const into: Collected = { schema: {}, choices: [], parts: [], isForbidden: false };
        this.#collectPlain(option, into);
        const types = typesOf(into.schema);
        let score = types.some((type) => isOfType(typeOf(value), type)) ? 10 / types.length : 0;
        if (isJsonMap(value)) {
            for (const [name, schema] of schemaEntries(into.schema['properties'])) {
                if (Object.hasOwn(value, name)) {
                    const constant = constantOf(schema);
                    score += constant === undefined ? 1 : isSame(constant, value[name]) ? 20 : -20;
                }
            }
        }

        return score;
    }

    #collectPlain(schema: Schema, into: Collected): void {

        if (!isJsonMap(schema) || into.parts.length >= MAX_PARTS || into.parts.includes(schema)) {
            return;
        }

        into.parts.push(schema);
        merge(into.schema, schema);
        const target = '$ref' in schema ? this.#documents.resolve(schema) : null;
        [...target === null ? [] : [target], ...schemasOf(schema['allOf'])].forEach((part) => this.#collectPlain(part, into));
    }
}

/** The only value of a property, which tells branches apart. */
function constantOf(schema: Schema): Json | undefined {

    const values = isJsonMap(schema) && Array.isArray(schema['enum']) ? schema['enum'] as readonly Json[] : [];
    return isJsonMap(schema) && schema['const'] !== undefined ? schema['const'] : values.length === 1 ? values[0] : undefined;
}

/** Adds the keywords of a schema to a merged one. */
function merge(into: Record<string, Json>, schema: JsonMap): void {

    mergeConstants(into, schema);
    for (const [keyword, value] of Object.entries(schema)) {
        if (STRUCTURAL.has(keyword) || CONSTANTS.has(keyword)) {
            continue;
        }

        const present = Object.hasOwn(into, keyword) ? into[keyword] : undefined;
        define(into, keyword, present === undefined ? value : both(keyword, present, value));
    }
}

/** A keyword that two schemas have. */
function both(keyword: string, first: Json, second: Json): Json {

    switch (keyword) {
        case 'properties': case 'patternProperties': {
            return mergedProperties(first, second);
        }

        case 'required': {
            return [...new Set([...stringsOf(first), ...stringsOf(second)])];
        }

        case 'items': case 'additionalProperties': {
            return isJsonMap(first) && isJsonMap(second) && first !== second ? conjunction(first, second) :
                first === true ? second : second === false ? false : first;
        }

        case 'type': {
            const common = stringsOf(first).flatMap((type) => (stringsOf(second).includes(type) ? [type] : type === 'number' && stringsOf(second).includes('integer') ? ['integer'] : []));
            const narrower = stringsOf(first).filter((type) => type === 'integer' && stringsOf(second).includes('number'));
            const types = [...new Set([...common, ...narrower])];
            return types.length === 0 ? first : types;
        }

        default: {
            // Members of the extension keyword may be spread over the parts.
            return isJsonMap(first) && isJsonMap(second) && keyword !== 'default' && keyword !== 'const' ? { ...second, ...first } : first;
        }
    }
}

function mergedProperties(first: Json, second: Json): Json {

    const merged: Record<string, Json> = {};
    for (const [name, schema] of Object.entries(isJsonMap(first) ? first : {})) {
        define(merged, name, schema);
    }

    for (const [name, schema] of Object.entries(isJsonMap(second) ? second : {})) {
        const present = Object.hasOwn(merged, name) ? merged[name] : undefined;
        define(merged, name, present === undefined || present === true ? schema :
            present === schema || schema === true ? present : conjunction(present, schema));
    }

    return merged;
}

const conjunctions = new WeakMap<object, WeakMap<object, JsonMap>>();

/** A schema that demands two; always the same for the same two, so that what depends on it stays as it is. */
function conjunction(first: Json, second: Json): Json {

    if (!isJsonMap(first) || !isJsonMap(second)) {
        return first === false || second === false ? false : first;
    }

    let known = conjunctions.get(first);
    if (!known) {
        known = new WeakMap();
        conjunctions.set(first, known);
    }

    let schema = known.get(second);
    if (!schema) {
        schema = { allOf: [first, second] };
        known.set(second, schema);
    }

    return schema;
}

function demand(into: Record<string, Json>, names: readonly string[]): void {

    if (names.length > 0) {
        into['required'] = [...new Set([...stringsOf(into['required']), ...names])];
    }
}
