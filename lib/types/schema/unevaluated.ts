/**
 * `unevaluatedProperties` and `unevaluatedItems`: apply to the members and elements that are evaluated neither by other
 * keywords of the schema, nor by a schema it refers to, nor by an alternative that the value matches.
 */

import type { JsonObject, JsonValue } from '../../util/json-types.js';
import { isJsonObject } from '../../util/json-types.js';
import { SafeRegExp } from '../../util/regexp/safe-regexp.js';
import { CONTAINS_ALONE, eitherOf, listOf, propertiesOf, referredBy } from './linked-schema.js';
import type { Schema } from './shapes.js';
import { spend } from '../../util/concurrency/time-budget.js';

/** Approximate cost of visiting a schema, in steps of the time budget. */
const VISIT_COST = 20;

/** The linked schemas, and a predicate that validates a value against one of them. */
export interface Linked {
    readonly targets: readonly Schema[];
    readonly matches: (schema: JsonValue | undefined, value: JsonValue) => boolean;
}

/** Returns the names of the members that a schema, without its `unevaluatedProperties`, does not evaluate. */
export function unevaluatedNames(schema: JsonObject, value: JsonObject, linked: Linked): string[] {

    const described = new Set<string>();
    const isAll = describeNames({ ...schema, unevaluatedProperties: undefined }, value, described, linked);
    return isAll ? [] : Object.keys(value).filter((name) => !described.has(name));
}

/** Returns the indices of the elements that a schema, without its `unevaluatedItems`, does not evaluate. */
export function unevaluatedIndices(schema: JsonObject, value: readonly JsonValue[], linked: Linked): number[] {

    const described = new Set<number>();
    const isAll = describeIndices({ ...schema, unevaluatedItems: undefined }, value, described, linked);
    return isAll ? [] : [...value.keys()].filter((index) => !described.has(index));
}

/** A schema with some keywords masked by undefined. */
type Partly = Readonly<Record<string, JsonValue | undefined>>;

/** Adds the names that a schema evaluates; returns true if it evaluates all members. */
function describeNames(schema: Partly, value: JsonObject, described: Set<string>, linked: Linked): boolean {

    spend(VISIT_COST);
    if (schema['additionalProperties'] !== undefined || schema['unevaluatedProperties'] !== undefined) {
        return true;
    }

    propertiesOf(schema).forEach(([name]) => described.add(name));
    const patterns = Object.keys(schema['patternProperties'] ?? {}).map((source) => SafeRegExp.of(source));
    for (const name of patterns.length > 0 ? Object.keys(value) : []) {
        if (patterns.some((pattern) => pattern.test(name))) {
            described.add(name);
        }
    }

    return samePlace(schema, value, linked).some((other) => describeNames(other, value, described, linked));
}

/** Adds the indices that a schema evaluates; returns true if it evaluates all elements. */
function describeIndices(schema: Partly, value: readonly JsonValue[], described: Set<number>, linked: Linked): boolean {

    spend(VISIT_COST);
    const { items, additionalItems, unevaluatedItems, contains } = schema;
    const tuple = Array.isArray(items) ? items : [];
    if ((items !== undefined && items !== tuple) || (items === tuple && additionalItems !== undefined) || unevaluatedItems !== undefined) {
        return true;
    }

    for (const [index, element] of value.entries()) {
        if (index < tuple.length || (contains !== undefined && schema[CONTAINS_ALONE] !== true && linked.matches(contains, element))) {
            described.add(index);
        }
    }

    return samePlace(schema, [...value], linked).some((other) => describeIndices(other, value, described, linked));
}

/** Returns the subschemas (objects only) that apply to the same value: references and in-place applicators; of alternatives, the matching ones. */
function samePlace(schema: Partly, value: JsonValue, { targets, matches }: Linked): JsonObject[] {

    const { dependentSchemas, dependencies } = schema;
    const found: (JsonValue | undefined)[] = [referredBy(schema, targets), ...listOf(eitherOf(schema, 'allOf'))];
    found.push(...['anyOf', 'oneOf'].flatMap((keyword) => listOf(eitherOf(schema, keyword))).filter((option) => matches(option, value)));
    if (schema['if'] !== undefined) {
        found.push(...(matches(schema['if'], value) ? [schema['if'], schema['then']] : [schema['else']]));
    }

    for (const dependents of [dependentSchemas, dependencies]) {
        const present = isJsonObject(dependents) && isJsonObject(value) ? Object.entries(dependents) : [];
        found.push(...present.filter(([name]) => Object.hasOwn(value as JsonObject, name)).map(([, other]) => other));
    }

    return found.filter((other) => isJsonObject(other));
}
