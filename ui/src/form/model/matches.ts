/**
 * Whether a value fits a schema: to find the branch of `oneOf`, `anyOf` and `if` that a value belongs to. The service validates; here a keyword that
 * is not known is satisfied. Results are kept by value, which is never modified, so that an edit only tests what it changed.
 */

import { isJsonMap, isNumber, isSame } from '../../json/exact-number.js';
import type { Json, JsonMap } from '../../json/exact-number.js';
import { isOfType, isSchema, limitOf, schemaEntries, schemasOf, stringsOf, typeOf } from './schema.js';
import type { Schema } from './schema.js';
import type { SchemaDocuments } from './schema-documents.js';
import { matchesPattern } from './safe-pattern.js';

/** Schemas that refer to each other are followed this deep. */
const MAX_DEPTH = 40;

/** Schemas that are tested between two calls of `restart`: branches of branches may be exponentially many. */
const MAX_STEPS = 20_000;

/** Items of an array that are tested. */
const MAX_ITEMS = 1000;

/** Tests values. */
export class Matcher {

    readonly #documents: SchemaDocuments;
    readonly #known = new WeakMap<object, WeakMap<JsonMap, boolean>>();
    #steps = 0;

    constructor(documents: SchemaDocuments) {

        this.#documents = documents;
    }

    /** Begins to count the steps anew. */
    restart(): void {

        this.#steps = 0;
    }

    /** Returns whether a value fits. An absent value fits no schema but true. What takes too many steps counts as fitting. */
    matches(schema: Schema, value: Json | undefined, depth = 0): boolean {

        if (typeof schema === 'boolean' || value === undefined) {
            return schema === true;
        }

        this.#steps += 1;
        if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) {
            return true;
        }

        if (typeof value !== 'object' || value === null) {
            return this.#test(schema, value, depth);
        }

        let known = this.#known.get(value);
        if (!known) {
            known = new WeakMap();
            this.#known.set(value, known);
        }

        let result = known.get(schema);
        if (result === undefined) {
            result = this.#test(schema, value, depth);
            if (this.#steps <= MAX_STEPS) {
                known.set(schema, result);
            }
        }

        return result;
    }

    #test(schema: JsonMap, value: Json, depth: number): boolean {

        const all = (schemas: readonly Schema[]): boolean => schemas.every((each) => this.matches(each, value, depth + 1));
        const some = (keyword: 'anyOf' | 'oneOf'): boolean => {

            const schemas = schemasOf(schema[keyword]);
            return schemas.length === 0 || schemas.some((each) => this.matches(each, value, depth + 1));
        };

        const target = '$ref' in schema ? this.#documents.resolve(schema) : true;
        const { if: condition, then: positive = true, else: negative = true, not } = schema;
        return isValueFine(schema, value) &&
            (target === null || this.matches(target, value, depth + 1)) &&
            all(schemasOf(schema['allOf'])) && some('anyOf') && some('oneOf') &&
            !(isSchema(not) && this.matches(not, value, depth + 1)) &&
            (!isSchema(condition) || all([this.matches(condition, value, depth + 1) ? positive : negative].filter(isSchema))) &&
            (!isJsonMap(value) || this.#isObjectFine(schema, value, depth)) &&
            (!Array.isArray(value) || this.#isArrayFine(schema, value, depth));
    }

    #isObjectFine(schema: JsonMap, object: JsonMap, depth: number): boolean {

        const properties = isJsonMap(schema['properties']) ? schema['properties'] : {};
        const patterns = schemaEntries(schema['patternProperties']);
        const rest = schema['additionalProperties'];
        return stringsOf(schema['required']).every((name) => Object.hasOwn(object, name)) && Object.entries(object).every(([name, value]) => {

            const matched = patterns.filter(([pattern]) => matchesPattern(pattern, name) !== false).map(([, each]) => each);
            const own = Object.hasOwn(properties, name) ? [properties[name]].filter(isSchema) : [];
            const schemas = own.length + matched.length > 0 ? [...own, ...matched] : isSchema(rest) ? [rest] : [];
            return schemas.every((each) => this.matches(each, value, depth + 1));
        });
    }

    #isArrayFine(schema: JsonMap, array: readonly Json[], depth: number): boolean {

        const { items, prefixItems } = schema;
        const first = schemasOf(prefixItems ?? (Array.isArray(items) ? items : []));
        const rest = Array.isArray(items) ? schema['additionalItems'] : items;
        const [min = 0, max = Infinity] = [limitOf(schema['minItems']), limitOf(schema['maxItems'])];
        return array.length >= min && array.length <= max && array.slice(0, MAX_ITEMS).every((item, i) => {

            const own = first[i] ?? rest;
            return !isSchema(own) || this.matches(own, item, depth + 1);
        });
    }
}

/** The keywords that concern the value alone. */
function isValueFine(schema: JsonMap, value: Json): boolean {

    const types = stringsOf(schema['type']);
    if (types.length > 0 && !types.some((type) => isOfType(typeOf(value), type))) {
        return false;
    }

    if (schema['const'] !== undefined && !isSame(schema['const'], value)) {
        return false;
    }

    if (Array.isArray(schema['enum']) && !schema['enum'].some((each) => isSame(each as Json, value))) {
        return false;
    }

    return typeof value === 'string' ? isTextFine(schema, value) : !isNumber(value) || isNumberFine(schema, Number(value));
}

function isTextFine(schema: JsonMap, text: string): boolean {

    const [min = 0, max = Infinity] = [limitOf(schema['minLength']), limitOf(schema['maxLength'])];
    const { pattern } = schema;
    return text.length >= min && [...text.slice(0, 2 * Math.min(max, text.length) + 1)].length <= max && (typeof pattern !== 'string' || matchesPattern(pattern, text) !== false);
}

function isNumberFine(schema: JsonMap, number: number): boolean {

    const { exclusiveMinimum, exclusiveMaximum } = schema;
    const [min = -Infinity, max = Infinity] = [limitOf(schema['minimum']), limitOf(schema['maximum'])];
    const [above = -Infinity, below = Infinity] = [limitOf(exclusiveMinimum), limitOf(exclusiveMaximum)];
    return (exclusiveMinimum === true ? number > min : number >= min) && (exclusiveMaximum === true ? number < max : number <= max) &&
        number > above && number < below;
}
